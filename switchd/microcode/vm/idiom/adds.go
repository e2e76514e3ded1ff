package idiom

import (
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// Adds is a loop that adds LMEM or a tail to shared memory, and in which each instruction issues an
// XTXN (trio §4): a stream of kind LMEMToSums or TailToSums whose MemAdd32s are asynchronous, all
// of one length, and whose TailRead is waited for. A machine with time serves each XTXN as an
// event of its own, and need not run the instruction for it: what will be issued is
// known when the loop begins.
type Adds struct {
	loop loop
	unit int
}

// AddsOf returns such loops of a program, by instruction; nil: there is none. The list is as long
// as the program.
func AddsOf(p *isa.Program) []*Adds {
	out := make([]*Adds, len(p.Instructions))
	for i := range out {
		if l := loopAt(p, i); l != nil && l.unit != 0 {
			out[i] = &Adds{*l, int(l.unit)}
		}
	}
	return out
}

// Unit returns the bytes of an add.
func (a *Adds) Unit() int { return a.unit }

// Begin returns the iterations of a thread that is at the loop and ready to run, those that are
// sure to be followed by another; false if there are none. The thread stays as it is until
// [Adds.End].
func (a *Adds) Begin(t *vm.Thread) (s Stream, ok bool) {
	if t.Fault() != vm.NoFault || t.Awaits(0, isa.LMEMBytes) {
		return Stream{}, false
	}
	count, _ := a.loop.iterations(t)
	return a.loop.stream(t, count)
}

// End leaves the registers and counters of a thread as n iterations do, which is at least one.
func (a *Adds) End(t *vm.Thread, n uint64) { a.loop.advance(t, n) }

// addsOf returns the bytes of each add of a loop whose instructions issue an XTXN each, and whose adds
// alone are asynchronous; 0 if it is another loop.
func (r *loopReader) addsOf() uint64 {
	if r.length != uint64(len(r.transfers)) {
		return 0 // an instruction issues one at most
	}
	adds := r.transfers
	switch r.shape.Kind {
	case LMEMToSums:
	case TailToSums:
		if adds = adds[1:]; r.transfers[0].async {
			return 0
		}
	default:
		return 0
	}
	for i := range adds {
		if !adds[i].async || adds[i].len != adds[0].len {
			return 0
		}
	}
	return adds[0].len
}
