package trio

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// instant is the PFE without time. Threads run one after another, each from its first
// instruction to its last. Every XTXN is done when it is issued, or together with others
// of its loop (Stream). No packet is copied on the way in, and no two threads are at work
// at once.
type instant struct {
	pfe     *PFE
	thread  thread
	current packet
}

// XTXN does what the thread asks (vm.Handler).
func (x *instant) XTXN(*vm.Thread) (uint64, vm.Outcome) {
	t := &x.thread
	var reply uint64
	var ok bool
	if forMemory(t.Pending.XTXN) {
		reply, ok = x.pfe.access(t)
	} else {
		reply, ok = x.pfe.serve(t)
	}
	if !ok {
		return 0, vm.Kill
	}
	return reply, vm.Done
}

// packet runs the thread of frame i of a train.
func (x *instant) packet(t *sansio.Train, i int, from sansio.Port) {
	x.current.arrive(t, i, from, x.pfe.now)
	x.current.number = x.pfe.arrived
	x.execute(work{packet: &x.current, since: x.pfe.now})
}

func (x *instant) execute(w work) {
	x.pfe.prepare(&x.thread, w)
	x.thread.stop = x.pfe.goOn(&x.thread, x)
	x.pfe.conclude(&x.thread)
	x.pfe.startEvents()
}

// timers runs the threads that timers have started.
func (x *instant) timers() {
	for {
		w, ok := x.pfe.timers.due(x.pfe, x.pfe.now, true)
		if !ok {
			return
		}
		x.pfe.countRun(w)
		x.execute(w)
	}
}
