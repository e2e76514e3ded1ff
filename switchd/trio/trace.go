package trio

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// A Tracer is an Observer that is told of every instruction and every XTXN. A PFE that has
// one executes instructions one by one, without shortcuts: what it does is the same, and
// takes longer to compute. The rules of Observer hold for all methods.
type Tracer interface {
	Observer
	// Started is called when a thread is ready for its first instruction.
	Started(now units.Time, t *vm.Thread, w Work)
	// Executed is called when a thread has executed an instruction, by its index. Its
	// XTXN, t.Pending, has not been served where it issued one.
	Executed(t *vm.Thread, instruction int, issued bool)
	// Served is called when the pending XTXN has been served and its reply stored. The
	// thread goes on at resume; in instant mode that is now.
	Served(now, resume units.Time, t *vm.Thread, reply uint64)
	// Gone is called when a thread drops its packet, or one that it created.
	Gone(now units.Time, t *vm.Thread, created bool, reason string)
	// Failed is called when a thread did wrong, before it is Ended: at which instruction,
	// and the name of the fault's counter.
	Failed(now units.Time, t *vm.Thread, instruction int, reason string)
	// Refused is called when a packet that arrived is dropped before it has a thread.
	Refused(now units.Time, packet uint64, reason string)
	// Left is called when a packet has left the PFE: the one of a number, or one that its
	// thread created. 0 is created by a timer's thread.
	Left(now units.Time, packet uint64, created bool)
}

// Work is what a thread is started for: a packet, a part of a timer's run, or an event.
type Work struct {
	Packet uint64     // number of the packet in the order of arrival, from 1; 0: a timer or an event
	Since  units.Time // arrival of the packet, or the instant of the timer or event
	Timer  string     // name of the entry
	Part   int        // of the hash table, which is the thread's own
	Run    uint32     // number of the timer's run
	Event  string     // entry of the event, such as "event restart"; empty: none
	Notes  uint64     // what the event's thread finds in the work register
}

// workOf returns what a tracer is told of a thread's work.
func (p *PFE) workOf(w *work) Work {
	if w.packet != nil {
		return Work{Packet: w.packet.number, Since: w.since}
	}
	if s := w.event.source; s != nil {
		return Work{Since: w.since, Event: s.String(), Notes: w.event.notes}
	}
	return Work{Since: w.since, Timer: p.timers.list[w.timer].Name, Part: w.part, Run: w.run}
}

// goOn executes a thread's instructions until it ends or waits. h serves its XTXNs; nil:
// it waits at each.
func (p *PFE) goOn(t *thread, h vm.Handler) vm.Stop {
	if p.tracer == nil {
		return t.Run(h)
	}
	for {
		stop := p.stepOn(t)
		if stop != vm.Waits || h == nil {
			return stop
		}
		reply, outcome := h.XTXN(&t.Thread)
		if outcome != vm.Done {
			return vm.Killed
		}
		p.resume(t, reply, p.now)
	}
}

// stepOn executes instructions one by one until the thread ends or waits.
func (p *PFE) stepOn(t *thread) vm.Stop {
	for {
		at, before := t.PC(), t.Executed
		stop, stopped := t.Step()
		if t.Executed > before && stop != vm.Faults {
			p.tracer.Executed(&t.Thread, at, stopped && stop == vm.Waits)
		}
		if stopped {
			return stop
		}
	}
}

// resume gives a thread the reply of its XTXN; it goes on at a time.
func (p *PFE) resume(t *thread, reply uint64, at units.Time) {
	t.Resume(reply)
	if p.tracer != nil {
		p.tracer.Served(p.now, at, &t.Thread, reply)
	}
}

// failedAt returns the instruction at which a thread did wrong.
func (t *thread) failedAt() int {
	if t.stop == vm.Killed {
		return int(t.Pending.Instr)
	}
	return t.PC()
}
