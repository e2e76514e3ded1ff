package capture

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/inalab/inalab/internal/trace"
)

// words are what comments say that a switch did with a packet.
var words = map[trace.Kind]string{
	trace.BlockOpened: "opened", trace.Contribution: "added", trace.Dropped: "dropped",
	trace.Collided: "collided", trace.PassedOn: "passed-on", trace.Freed: "freed", trace.BlockSent: "sent",
}

// final reports whether an event settles what becomes of a packet that arrived.
func final(k trace.Kind) bool {
	return k == trace.Contribution || k == trace.Dropped || k == trace.Collided || k == trace.PassedOn
}

// maxResults bounds the results that are remembered until their frames come (assumed: more than
// wait in all egress links together).
const maxResults = 1 << 16

// decisions finds the frames that events are about.
type decisions struct {
	queue   *queue
	sources map[Source]bool
	workers map[uint8]trace.Mask // by job
	engines map[int]string       // of taps
	members map[string]trace.Mask
	aged    map[engineKey]bool
	results map[key][]result
	order   []key // of results, the oldest first
	missed  uint64
}

type engineKey struct {
	node string
	job  uint8
	of   key
}

// result is a block that left.
type result struct {
	e    trace.Event
	at   int64
	aged bool // a timer had given up on some worker
}

func newDecisions(l Lab, q *queue) *decisions {
	d := &decisions{
		queue: q, sources: map[Source]bool{}, workers: map[uint8]trace.Mask{}, engines: map[int]string{}, members: map[string]trace.Mask{},
		aged: map[engineKey]bool{}, results: map[key][]result{},
	}
	for _, s := range l.Sources {
		d.sources[s] = true
		of := d.workers[s.Job]
		of.Set(s.ID)
		d.workers[s.Job] = of
	}
	for i, t := range l.Taps {
		d.engines[i] = t.Engine
	}
	return d
}

// take notes an event; at is its time by the clock of frames.
func (d *decisions) take(e *trace.Event, at int64) {
	switch e.Kind {
	case trace.BlockAged:
		if len(d.aged) >= maxResults {
			clear(d.aged)
		}
		d.aged[engineKey{e.Node, e.Job, keyOf(e)}] = true
	case trace.BlockSent:
		d.sent(e, at)
	case trace.Freed:
		if h := d.arrived(e, at, true); h != nil {
			d.comment(h, e, at)
		}
	case trace.BlockOpened, trace.Contribution, trace.Dropped, trace.Collided, trace.PassedOn:
		h := d.arrived(e, at, false)
		if h == nil {
			if final(e.Kind) && d.tapped(e.Node) {
				d.missed++
			}
			return
		}
		h.decided = h.decided || final(e.Kind)
		d.comment(h, e, at)
	}
}

// tapped reports whether packets come to an engine by a tap. Those of the top of a chassis come from
// other engines.
func (d *decisions) tapped(node string) bool {
	for _, engine := range d.engines { // ordered: one that fits is enough
		if engine == node {
			return true
		}
	}
	return false
}

func keyOf(e *trace.Event) key { return key{e.Gen, e.Block} }

func (d *decisions) comment(h *held, e *trace.Event, at int64) {
	h.packet.Comments = append(h.packet.Comments, d.text(h.f.proto(), e)+after(at-h.at))
}

// arrived returns the frame that an event is about; nil: there is none. Of the frames of its
// source that is the newest: a link lost the others. Where the source is not known, frames are
// decided on in the order in which they came.
func (d *decisions) arrived(e *trace.Event, at int64, parameters bool) (oldest *held) {
	for _, h := range slices.Backward(d.queue.in[keyOf(e)]) {
		if h.decided || h.at > at || h.f.result != parameters || !d.sameJob(h, e) || !d.leadsTo(h, e.Node) {
			continue
		}
		is, known := d.from(h, e)
		if is {
			return h
		}
		if !known {
			oldest = h
		}
	}
	return oldest
}

// leadsTo reports whether a frame arrived where the event's engine gets its packets.
func (d *decisions) leadsTo(h *held, node string) bool {
	engine := d.engines[h.packet.Interface]
	return engine == node || engine == switchOf(node)
}

// switchOf returns the switch of an engine: all before the slash.
func switchOf(node string) string {
	name, _, _ := strings.Cut(node, "/")
	return name
}

// from reports whether a frame is of the source of an event, and whether that is known.
func (d *decisions) from(h *held, e *trace.Event) (is, known bool) {
	if h.f.source >= 0 {
		return h.f.source == int(e.Source), true
	}
	if len(d.sources) == 0 {
		return false, false
	}
	return d.sources[Source{e.Job, h.f.src, e.Source}], true
}

// sent notes that a result left, for the frames in which it does.
func (d *decisions) sent(e *trace.Event, at int64) {
	of, name := keyOf(e), engineKey{e.Node, e.Job, keyOf(e)}
	r := result{*e, at, d.aged[name]}
	delete(d.aged, name)
	list, known := d.results[of]
	if !known {
		d.order = append(d.order, of)
	}
	list = slices.DeleteFunc(list, func(o result) bool { return o.e.Job == e.Job && switchOf(o.e.Node) == switchOf(e.Node) })
	d.results[of] = append(list, r)
	for len(d.order) > maxResults {
		delete(d.results, d.order[0])
		d.order = d.order[1:]
	}
	for _, h := range d.queue.out[of] {
		d.leaves(h)
	}
}

// leaves says of a frame that a switch sent which result it is. Of several jobs the one whose
// worker it goes to is meant.
func (d *decisions) leaves(h *held) {
	if !h.f.ours || h.f.result {
		return
	}
	var found *result
	list := d.results[h.f.of]
	for i := range list {
		r := &list[i]
		if h.at >= r.at && d.sameJob(h, &r.e) && switchOf(r.e.Node) == switchOf(d.engines[h.packet.Interface]) && (found == nil || d.worker(h.f.dst, r.e.Job)) {
			found = r
		}
	}
	if found == nil {
		return
	}
	h.sent = d.text(h.f.proto(), &found.e)
	if found.aged {
		h.sent += " aged=true"
	}
	h.sent += after(h.at - found.at)
}

// worker reports whether an address is that of a worker of a job.
func (d *decisions) worker(addr netip.Addr, job uint8) bool {
	for s := range d.sources { // ordered: one that fits is enough
		if s.Job == job && s.Addr == addr {
			return true
		}
	}
	return false
}

// sameJob reports whether a frame can be of the job of an event. Clients of SwitchML write a
// counter of their own into the header.
func (d *decisions) sameJob(h *held, e *trace.Event) bool {
	return h.f.proto() == SwitchML || h.f.job == uint16(e.Job)
}

// shortMask bounds the sources that have a digit without having been seen (assumed: more are PFEs, which
// have numbers from 200 on).
const shortMask = 32

// widen adds the sources of an event to those that bitmaps of its engine have digits for: all workers
// of the job, where some of them send to this engine. Where nobody knows the workers, it is all
// numbers up to the greatest.
func (d *decisions) widen(e *trace.Event) trace.Mask {
	name := fmt.Sprint(e.Node, " ", e.Job)
	all := d.members[name].Or(e.Mask)
	if e.Mask.Without(d.workers[e.Job]) != e.Mask {
		all = all.Or(d.workers[e.Job])
	}
	if _, known := d.workers[e.Job]; !known {
		for s := uint8(0); s < shortMask && (all.Without(below(s)) != trace.Mask{}); s++ {
			all.Set(s)
		}
	}
	d.members[name] = all
	return all
}

// below is the set of all sources below one.
func below(source uint8) (m trace.Mask) {
	for s := range source {
		m.Set(s)
	}
	return m
}

// blockWords are what protocols call a block.
var blockWords = map[Proto]string{SwitchML: "slot", ATP: "sequence", XAgg: "gradient"}

// text is what a comment says of an event.
func (d *decisions) text(p Proto, e *trace.Event) string {
	all := d.widen(e)
	block := "block"
	if w, ok := blockWords[p]; ok {
		block = w
	}
	var b strings.Builder
	fmt.Fprintf(&b, "decision=%s switch=%s job=%d %s=%d", words[e.Kind], e.Node, e.Job, block, e.Block)
	if p == ATP {
		fmt.Fprintf(&b, " aggregator=%d", e.Index)
	} else {
		fmt.Fprintf(&b, " gen=%d", e.Gen)
	}
	if e.Kind != trace.BlockSent && e.Kind != trace.Freed {
		fmt.Fprintf(&b, " source=%d", e.Source)
	}
	if e.Mask != (trace.Mask{}) || e.Kind == trace.BlockSent {
		fmt.Fprintf(&b, " bitmap=%s count=%d", e.Mask.Bitmap(all), e.Count)
	}
	if e.Degraded {
		b.WriteString(" degraded=true")
	}
	if e.Note != "" {
		fmt.Fprintf(&b, " note=%q", e.Note)
	}
	return b.String()
}

// after says how long a frame and a decision are apart.
func after(ns int64) string { return fmt.Sprintf(" after=%v", time.Duration(ns)) }
