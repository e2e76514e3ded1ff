package stall

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Diagnosis says what a run waits for.
type Diagnosis struct {
	What    string   // the slot or block; empty: no worker says what it waits for
	Engine  string   // where it is open, or was; empty: nowhere
	Has     string   // the sources that it has, as a bitmap; empty: it is not open
	Result  bool     // its result was sent, and lost on the way down
	Missing []string // workers whose packets, or whom the result, did not reach
	Reached string   // what nobody's packet came to, where it is not any engine
	Hop     Hop      // the first without packets
	Last    string   // the latest event; empty: none was recorded
	Absent  []string // nodes that do not answer
}

// packet names what a worker waits for, as its events do.
type packet struct{ gen, block uint32 }

// Diagnose says what a job waits for whose nodes are as in the snapshot. Those of
// other jobs in it are left out.
func Diagnose(j *job.Job, s *Snapshot) Diagnosis {
	layout := layoutOf(j)
	s = layout.restrictTo(j, s)
	d := diagnosis{s: s, layout: layout}
	d.Absent = s.Silent
	if e := s.last(); e != nil {
		d.Last = d.describe(e)
	}
	if p, ok := d.oldest(); ok {
		d.explain(p)
	} else {
		d.guess()
	}
	return d.Diagnosis
}

// diagnosis is a Diagnosis in the making.
type diagnosis struct {
	Diagnosis
	layout
	s *Snapshot
}

// oldest returns the packet that has waited for more turns than any other: of the
// lowest generation. Where no worker says, it is the oldest open block.
func (d *diagnosis) oldest() (out packet, ok bool) {
	for _, w := range d.s.Workers {
		for _, k := range w.Waits {
			if p := (packet{k.Gen, k.Block}); !ok || p.gen < out.gen || p.gen == out.gen && p.block < out.block {
				out, ok = p, true
			}
		}
	}
	if ok {
		return out, true
	}
	if e, there := d.s.engine(d.top); there && len(e.Open) > 0 {
		return packet{e.Open[0].Gen, e.Open[0].Block}, true
	}
	return packet{}, false
}

// explain follows a packet to the hop where it ended.
func (d *diagnosis) explain(p packet) {
	d.What = d.packetName(p)
	if d.explainServed(p) {
		return
	}
	if d.top == "" {
		d.guess()
		return
	}
	if d.explainMissing(d.top, p) || d.returned(p) {
		return
	}
	for _, w := range d.s.Workers { // nobody's packet came to the top
		d.missing(w.Node, d.engineOf[w.Node], p)
	}
	if len(d.Missing) == 0 {
		d.guess()
	}
}

// explainMissing explains a packet whose block is open at an engine, or below it, by
// those who are missing in it.
func (d *diagnosis) explainMissing(engine string, p packet) bool {
	state, ok := d.s.engine(engine)
	if !ok {
		return false
	}
	i := slices.IndexFunc(state.Open, func(b dataplane.OpenBlock) bool { return d.names(b, p) })
	if i < 0 {
		return d.openBelow(engine, p)
	}
	open := state.Open[i]
	d.Engine = engine
	d.Has = fmt.Sprintf("%s (%d of %d)", open.Have.Bitmap(open.Want), open.Have.Len(), open.Want.Len())
	for source := range 256 {
		if !open.Want.Has(uint8(source)) || open.Have.Has(uint8(source)) {
			continue
		}
		name := d.Who(engine, uint8(source))
		if _, isEngine := d.s.engine(name); isEngine {
			if !d.explainMissing(name, p) {
				d.explainSubtree(name, engine, p)
			}
			continue
		}
		d.missing(name, engine, p)
	}
	return true
}

// names reports whether a block is that of a packet. What knows sequence numbers alone has no generation.
func (d *diagnosis) names(b dataplane.OpenBlock, p packet) bool {
	return b.Block == p.block && (d.naming.Numbers != nil || uint16(b.Gen) == uint16(p.gen))
}

// openBelow looks for the block at the engines behind the sources of one.
func (d *diagnosis) openBelow(engine string, p packet) bool {
	return slices.ContainsFunc(d.sources(engine), func(name string) bool {
		return d.Layout.Engine(name) != nil && d.explainMissing(name, p)
	})
}

// explainSubtree explains why an engine that does not hold a block did not pass it on.
func (d *diagnosis) explainSubtree(engine, above string, p packet) {
	before := len(d.Missing)
	d.unsent(engine, above, p)
	if len(d.Missing) == before {
		d.Missing = append(d.Missing, engine)
	}
}

// unsent adds the workers below an engine that sent nothing; where all did, the
// engine whose packet was lost on the way up.
func (d *diagnosis) unsent(engine, above string, p packet) {
	before := len(d.Missing)
	for _, name := range d.sources(engine) {
		switch {
		case d.Layout.Engine(name) != nil:
			d.unsent(name, engine, p)
		case !d.sent(name, p):
			d.missing(name, engine, p)
		}
	}
	if len(d.Missing) > before {
		return
	}
	if hop, ok := lossy(d.s.linksAlong([]string{engine, above})); ok {
		d.Missing = append(d.Missing, engine)
		if d.Hop.Name == "" {
			d.Hop = hop
		}
	}
}

// missing adds a worker whose packet an engine lacks, and where it is.
func (d *diagnosis) missing(node, engine string, p packet) {
	d.Missing = append(d.Missing, node)
	if d.Hop.Name != "" {
		return // the first counts
	}
	w, answered := d.s.worker(node)
	switch {
	case slices.Contains(d.s.Dead, node):
		d.Hop = Hop{node, "its process has ended"}
	case !answered:
		d.Hop = Hop{node, "its process does not answer"}
	case d.sent(node, p):
		d.Hop = d.lostUp(d.s, node, engine)
	default:
		d.Hop = Hop{node, "it has not sent it: " + d.condition(w)}
	}
}

// sent reports whether a worker's packet has left.
func (d *diagnosis) sent(node string, p packet) bool {
	w, ok := d.s.worker(node)
	return ok && slices.Contains(w.Waits, trace.Wait{Gen: p.gen, Block: p.block, Sent: true})
}

// returned explains a packet whose result others have by the way down to those
// who have not.
func (d *diagnosis) returned(p packet) bool {
	var with bool
	var without []string
	for _, w := range d.s.Workers {
		switch {
		case waitsFor(w, p):
			without = append(without, w.Node)
		case d.hasResult(w, p):
			with = true
		}
	}
	if !with || len(without) == 0 {
		return false
	}
	d.Engine, d.Result, d.Missing = d.top, true, without
	d.Hop = d.lostDown(d.s, d.top, without[0])
	return true
}

// hasResult reports whether a worker that does not wait for a packet has its result.
func (d *diagnosis) hasResult(w worker.Snapshot, p packet) bool {
	iteration, _ := d.naming.Block(p.gen, p.block)
	return w.Iteration > iteration || w.Iteration == iteration && w.State == worker.StateReducing
}

// guess names the first link that lost anything, where nobody says what is
// waited for.
func (d *diagnosis) guess() {
	switch {
	case len(d.s.Dead) > 0:
		d.Hop = Hop{d.s.Dead[0], "its process has ended"}
		return
	case len(d.s.Silent) > 0:
		d.Hop = Hop{d.s.Silent[0], "its process does not answer"}
		return
	}
	for _, sw := range d.s.Switches {
		if hop, ok := lossy(sw.Links); ok {
			d.Hop = hop
			return
		}
	}
}
