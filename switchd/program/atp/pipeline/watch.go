package pipeline

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// watcher counts by job what passes do, and makes the events of the reference program of it: it
// reads the fields that a pass has left, and registers.
type watcher struct {
	e      *Engine
	next   tofino.Observer // nil: none
	at     fields
	count  sansio.Tally
	notes  []note     // by half
	packet atp.Packet // at hand
	halves int        // that are not free
}

// note is what registers do not say of a half, or only roughly.
type note struct {
	part      *atp.Part
	since     units.Time // when its latest packet came
	saturated bool       // of a first half: a value of either
}

// fields are those that the watcher looks at.
type fields struct {
	outcome, id, known, marked, op, look, owner, way fit.FieldID
	before, set, bit, entry, resubmitted, dst        fit.FieldID
	values                                           fit.FieldID // first
}

func (w *watcher) bind(e *Engine, next tofino.Observer) (err error) {
	w.e, w.next, w.notes = e, next, make([]note, e.state.halves())
	f := &w.at
	for _, n := range []struct {
		name string
		at   *fit.FieldID
	}{
		{"meta.outcome", &f.outcome}, {"meta.id", &f.id}, {"meta.known", &f.known}, {"meta.marked", &f.marked}, {"meta.op", &f.op}, {"meta.owner", &f.owner},
		{"meta.look", &f.look}, {"meta.way", &f.way}, {"meta.before", &f.before}, {"meta.set", &f.set}, {"meta.bit", &f.bit}, {"meta.entry", &f.entry},
		{"ig.resubmitted", &f.resubmitted}, {"ipv4.dst", &f.dst}, {"d.v[0]", &f.values},
	} {
		if *n.at, err = e.chip.Field(n.name); err != nil {
			return err
		}
	}
	return nil
}

// Passed looks at passes through the ingress.
func (w *watcher) Passed(o *tofino.Observation) {
	if o.Side == fit.Ingress && o.Reason == vm.OK {
		w.ingress(o)
	}
	if w.next != nil {
		w.next.Passed(o)
	}
}

func (w *watcher) ingress(o *tofino.Observation) {
	out := o.Field(w.at.outcome)
	id := uint32(o.Field(w.at.id))
	job := w.e.Find(jobOf(id))
	back := uint64(o.Port) == recirculation
	if o.Field(w.at.owner) != 0 {
		w.reserved(o)
	}
	if id == 0 || job == nil || !back && o.Field(w.at.known) == 0 {
		if passed[out] != "" {
			w.e.Pass(passed[out], 1)
		}
		return
	}
	p := w.read(o, id, job)
	if back {
		w.count.Add(CountRecirculate, 1)
		if o.Field(w.at.look) != 0 && o.Field(w.at.op) != opSweep {
			w.count.Add(CountRound, 1)
		}
	} else if o.Field(w.at.resubmitted) == 0 {
		w.arrived(o, job, out)
	}
	if o.Field(w.at.owner) != 0 {
		w.half(o, p)
	}
	w.decided(o, p, out)
}

// read returns what events say of the packet of a pass.
func (w *watcher) read(o *tofino.Observation, id uint32, job *atp.Entry) *atp.Packet {
	p := &w.packet
	*p = atp.Packet{Header: wire.Header{Job: job.ID, Sequence: id & (1<<wire.SequenceBits - 1), Index: uint16(w.index(o))}, Job: job, Bit: uint32(o.Field(w.at.bit))}
	if op := o.Field(w.at.op); op != opNone && op < opFree || op == opSweep {
		var dst [4]byte
		binary.BigEndian.PutUint32(dst[:], uint32(o.Field(w.at.dst)))
		p.Part = job.Part(dst, levelOf[op])
	}
	return p
}

// arrived counts a packet of a job that is here for the first time.
func (w *watcher) arrived(o *tofino.Observation, job *atp.Entry, out uint64) {
	job.Counts[atp.Packets]++
	job.Last = o.At
	if o.Field(w.at.marked) != 0 {
		job.Counts[atp.Marks]++
	}
	if op := o.Field(w.at.op); out == 0 && (op == opMerge || op == opClear) {
		job.Counts[atp.Resends]++
	}
}

// reserved counts halves that are not free. A packet whose job was removed since its first pass may
// reserve one, too.
func (w *watcher) reserved(o *tofino.Observation) {
	switch op := o.Field(w.at.op); {
	case op >= opMerge:
		w.halves--
	case o.Field(w.at.way) == wayFirst:
		w.halves++
		*w.note(o) = note{since: o.At}
	}
}

// half notes what a pass did to a half that is the packet's, or was freed.
func (w *watcher) half(o *tofino.Observation, p *atp.Packet) {
	entry := int(o.Field(w.at.entry))
	n := &w.notes[entry]
	first := entry < w.e.state.aggregators
	op, way := o.Field(w.at.op), o.Field(w.at.way)
	switch op {
	case opClaim, opClaim2:
		n.since = o.At
		if way == wayFirst {
			n.part = p.Part
			if first {
				p.Job.Counts[atp.Reserved]++
				w.event(o, trace.BlockOpened, p)
			}
		}
		w.added(o, p, first)
	case opMerge:
		w.added(o, p, first)
		if first {
			p.Job.Counts[atp.FreedByResend]++
		}
	default:
		w.freed(o, p, n, first)
	}
}

// added counts a packet whose values went in, and watches for values that came to an end of the
// range.
func (w *watcher) added(o *tofino.Observation, p *atp.Packet, first bool) {
	way := o.Field(w.at.way)
	if first && (way == wayFirst || way == wayAdd) {
		p.Job.Counts[atp.Aggregated]++
		w.event(o, trace.Contribution, p)
	}
	if way != wayAdd {
		return
	}
	if n := &w.notes[int(o.Field(w.at.entry))%w.e.state.aggregators]; !n.saturated && w.extreme(o) {
		n.saturated = true
		p.Job.Counts[atp.Saturated]++
	}
}

// extreme reports whether some value of a half is an end of the range.
func (w *watcher) extreme(o *tofino.Observation) bool {
	const all, most = math.MaxUint32, math.MaxInt32
	values := o.Words(w.at.values, passValues)
	return vec.HasBE(values, all, most) || vec.HasBE(values, all, most+1)
}

// freed counts an aggregator that was freed, when its first half is.
func (w *watcher) freed(o *tofino.Observation, p *atp.Packet, n *note, first bool) {
	if !first {
		return
	}
	owner := uint32(o.Field(w.at.owner))
	a := atp.Aggregator{Index: w.index(o), Job: jobOf(owner), Sequence: owner & (1<<wire.SequenceBits - 1), Bitmap: uint32(o.Field(w.at.before)), Part: n.part}
	by, what := atp.FreedByResend, atp.ByResend
	if o.Field(w.at.op) == opFree {
		if by, what = atp.FreedByParameter, atp.ByParameter; owner != p.ID() {
			by, what = atp.FreedByAge, atp.ByAge
		}
	}
	w.e.CountsOf(a.Job)[by]++
	w.e.Freed(o.At, &a, what)
}

// decided counts what becomes of a packet.
func (w *watcher) decided(o *tofino.Observation, p *atp.Packet, out uint64) {
	if c := fates[out]; c != 0 {
		p.Job.Counts[c]++
	}
	switch out {
	case outDuplicate, outForged:
		w.e.Dropped(o.At, p, fates[out])
	case outLate:
		w.count.Add(CountSecondPass, 1)
		fallthrough
	case outCollided:
		w.collided(o, p)
	case outResent:
		w.e.Event(o.At, trace.PassedOn, p, trace.Mask{}, "")
	case outComplete:
		w.event(o, trace.BlockSent, p)
	case outPartial, outDiffer:
		if out == outPartial {
			w.event(o, trace.BlockSent, p)
		}
		if o.Field(w.at.op) == opMerge {
			a := atp.Aggregator{Index: w.index(o), Job: p.Header.Job, Sequence: p.Sequence, Bitmap: uint32(o.Field(w.at.set)), Part: w.note(o).part}
			w.e.Freed(o.At, &a, atp.ByResend)
		}
	}
}

// collided tells whose aggregator a packet met.
func (w *watcher) collided(o *tofino.Observation, p *atp.Packet) {
	if !w.e.Traced() {
		return
	}
	a := w.e.state.describe(int(o.Field(w.at.entry)))
	w.e.Event(o.At, trace.Collided, p, trace.Mask{}, fmt.Sprintf("job %d number %d", a.Job, a.Sequence))
}

// event tells who is in an aggregator behind a pass.
func (w *watcher) event(o *tofino.Observation, kind trace.Kind, p *atp.Packet) {
	if part := w.note(o).part; w.e.Traced() && part != nil {
		w.e.Event(o.At, kind, p, part.Mask(uint32(o.Field(w.at.set))), "")
	}
}

// index returns that of the aggregator of a pass.
func (w *watcher) index(o *tofino.Observation) int {
	return int(o.Field(w.at.entry)) % max(1, w.e.state.aggregators)
}

// note returns that of the half of a pass.
func (w *watcher) note(o *tofino.Observation) *note { return &w.notes[o.Field(w.at.entry)] }
