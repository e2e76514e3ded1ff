package microcode

import (
	"fmt"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// watcher counts by job what threads do, and makes the events of the reference
// program of it: it reads what they have in local memory.
type watcher struct {
	engine *Engine
	sink   trace.Sink    // nil: no events
	next   trio.Observer // nil: none

	in    vm.Variable // what a packet's thread has of its header; src_id stands first
	block vm.Variable // reply of the last HashInsert of a packet's thread
	scan  vm.Variable // reply of the last HashScan of a timer's
	mark  vm.Variable // what a timer's thread writes into the block that it sends
}

// markAged is the mark of a block that ages out: AGED of the program.
const markAged = wire.AgeTimeout<<4 | 1<<2

func newWatcher(e *Engine, p *isa.Program, sink trace.Sink, next trio.Observer) (*watcher, error) {
	w := &watcher{engine: e, sink: sink, next: next}
	for _, v := range []struct {
		name string
		at   *vm.Variable
	}{{"in", &w.in}, {"block", &w.block}, {"scan", &w.scan}, {"mark", &w.mark}} {
		s, ok := p.Symbol(v.name)
		if ok {
			*v.at, ok = vm.VariableOf(s)
		}
		if !ok {
			return nil, fmt.Errorf("program %s has no variable %s: its threads cannot be followed", p.Name, v.name)
		}
	}
	return w, nil
}

// headerAt is the byte of LMEM where the Trio-ML header of a packet is.
const headerAt = isa.HeadStart + inet.UDPHeaders

func (w *watcher) header(t *vm.Thread) wire.Header {
	h, _ := wire.Parse(t.LMEM[headerAt : headerAt+wire.HeaderLen])
	return h
}

// job returns the counters of the job of the packet in a thread.
func (w *watcher) job(t *vm.Thread) *trioml.JobCounts { return w.engine.jobs.Count(t.LMEM[headerAt]) }

// Sent is called when a result leaves: of a packet's thread, the packet was the last.
func (w *watcher) Sent(now units.Time, t *vm.Thread, created bool) {
	if created {
		r := DecodeBlockRecord(t.LMEM[w.engine.addr.block : w.engine.addr.block+recordBytes])
		if w.header(t).Block != wire.NoticeBlock {
			w.result(now, t, r)
		}
	}
	if w.next != nil {
		w.next.Sent(now, t, created)
	}
}

func (w *watcher) result(now units.Time, t *vm.Thread, r BlockRecord) {
	timer := w.scan.Get(t)&isa.ScanFound != 0
	aged := timer && uint8(w.mark.Get(t)) == markAged && r.AgeOp&wire.AgeTimeout != 0 // which a contribution may have brought, too
	j := w.job(t)
	j.Results++
	if r.Degraded {
		j.Degraded++
	}
	if aged {
		j.Aged++
	}
	if w.sink == nil {
		return
	}
	h := w.header(t)
	switch {
	case aged:
		w.event(now, trace.BlockAged, origin{h.Job, h.Source, timerNote(t)}, r)
	case !timer:
		w.contributed(now, t, h.Job, r)
	}
	w.event(now, trace.BlockSent, origin{job: h.Job, source: h.Source}, r)
}

// origin is what an event says that is not in the record of its block.
type origin struct {
	job, source uint8
	note        string
}

func (w *watcher) event(now units.Time, kind trace.Kind, from origin, r BlockRecord) {
	w.sink.Event(&trace.Event{
		At: now, Kind: kind, Node: w.engine.cfg.Node, Job: from.job, Gen: uint32(r.Gen), Block: r.Block,
		Source: from.source, Mask: r.RcvdMask, Count: r.Workers, Degraded: r.Degraded, Note: from.note,
	})
}

// timerNote names a timer's thread; no program of Trio-ML writes to its work register.
func timerNote(t *vm.Thread) string {
	work := t.Register(isa.WorkRegister)
	return trioml.TimerNote(int(work>>48), int(work>>32&0xffff))
}

// contributed tells of the packet of a thread.
func (w *watcher) contributed(now units.Time, t *vm.Thread, job uint8, r BlockRecord) {
	from := origin{job: job, source: uint8(w.in.Get(t) >> (isa.RegisterBits - 8))}
	if w.block.Get(t)&isa.HashCreated != 0 {
		opened := r
		opened.RcvdMask, opened.Workers, opened.Degraded = trace.Mask{}, 0, false
		w.event(now, trace.BlockOpened, from, opened)
	}
	w.event(now, trace.Contribution, from, r)
}

// Discarded is called when a packet is dropped. A malformed one is no job's.
func (w *watcher) Discarded(now units.Time, t *vm.Thread, reason string) {
	h := w.header(t)
	switch wire.Problem(reason) {
	case wire.Short:
		h = wire.Header{}
	case wire.NoGrads, wire.Truncated, wire.Oversized:
	default:
		w.engine.jobs.Count(h.Job).Dropped++
	}
	if w.sink != nil {
		w.sink.Event(&trace.Event{At: now, Kind: trace.Dropped, Node: w.engine.cfg.Node, Job: h.Job, Gen: uint32(h.Gen), Block: h.Block, Source: h.Source, Note: reason})
	}
	if w.next != nil {
		w.next.Discarded(now, t, reason)
	}
}

// Scanned is called when a timer's thread has come by a record. A block that is
// referenced, or has time left, waits on, unless a thread is ending it, or is about to.
func (w *watcher) Scanned(now units.Time, t *vm.Thread, s mem.Scanned) {
	if w.sink != nil {
		id := uint8(s.Key >> 32)
		j, known := w.engine.Job(id)
		if r, open := w.engine.blockAt(s.Record); known && open && (s.Ref || r.BlockExp > j.Step) && !r.Owned && !w.lacksAbsentOnly(id, r) {
			w.event(now, trace.Scanned, origin{id, j.OutSrcID, timerNote(t)}, r)
		}
	}
	if w.next != nil {
		w.next.Scanned(now, t, s)
	}
}

// lacksAbsentOnly reports whether a block waits for absent sources only: the thread
// sends it at once.
func (w *watcher) lacksAbsentOnly(job uint8, r BlockRecord) bool {
	return w.engine.cfg.Age == trioml.AgeAbsent && w.engine.Waits(job).Without(r.RcvdMask) == (trace.Mask{})
}

// Ended is called when a thread has ended. A packet whose thread has done so by
// itself, and did not drop it, was added, unless it was a notice.
func (w *watcher) Ended(now units.Time, t *vm.Thread, f trio.Fate) {
	if (f == trio.Consumed || f == trio.Created) && t.Fault() == vm.NoFault && w.header(t).Block != wire.NoticeBlock {
		w.job(t).Add(now)
	}
	if f == trio.Consumed && w.sink != nil {
		h := w.header(t)
		if r, ok := w.engine.Block(h.Job, h.Block); ok && r.Gen == h.Gen {
			w.contributed(now, t, h.Job, r)
		}
	}
	if w.next != nil {
		w.next.Ended(now, t, f)
	}
}
