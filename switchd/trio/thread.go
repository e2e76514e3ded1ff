package trio

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// thread is a thread of a PPE at work.
type thread struct {
	vm.Thread
	work    work
	created *packet // by the thread, and not yet sent; nil: none
	fate    Fate    // of what it was started for
	sent    int     // created packets that it has sent
	reason  string  // why it was killed

	scanned uint32 // cursor of the farthest record that it was granted instructions for
	earlier uint64 // instructions that it had executed by then

	id   int32 // index of the clock's threads
	ppe  int
	stop vm.Stop    // why it left its instructions
	done units.Time // when the last of its asynchronous XTXNs is done
	adds addLoop    // in which it is, or was last
}

// work is what a thread is started for: a packet, a part of a timer, or an event.
type work struct {
	owner  *PFE    // whose program the thread runs; with time
	packet *packet // nil: a timer or an event
	event  event   // zero: none
	timer  int     // index of Config.Timers
	part   int
	run    uint32     // number of the run
	since  units.Time // arrival, or when the timer fired
	ready  units.Time // for a thread, Timing.Packet later
}

// Fate is the outcome of the work that a thread was started for.
type Fate uint8

// Fates.
const (
	Consumed  Fate = iota // the thread has ended and sent nothing
	Created               // the thread has ended, and had sent a packet that it created
	Forwarded             // the packet was sent on
	Dropped               // the packet was dropped, by the program or for a fault
	TimerRun              // a timer's thread
	EventRun              // an event's thread
	NumFates
)

func (f Fate) String() string {
	names := [...]string{"consumed", "created", "forwarded", "dropped", "timer", "event"}
	if f >= NumFates {
		return "?"
	}
	return names[f]
}

// maxLength is the greatest length that the work register can hold, in 16 bits; longer
// packets have it also.
const maxLength = 1<<16 - 1

// prepare makes a thread ready for its work: registers and LMEM as the program's
// image has them, the head of the packet, the notes of the machine.
func (p *PFE) prepare(t *thread, w work) {
	t.work, t.created, t.fate, t.sent, t.reason, t.done = w, nil, Consumed, 0, "", 0
	switch {
	case w.event.source != nil:
		t.fate = EventRun
		p.begin(t, &p.fresh, w.event.source.Target)
		t.SetRegister(isa.WorkRegister, w.event.notes)
	case w.packet == nil:
		t.fate = TimerRun
		timer := &p.timers.list[w.timer]
		p.begin(t, &p.fresh, timer.entry)
		t.SetRegister(isa.WorkRegister, uint64(w.part)<<48|uint64(timer.Threads)<<32|uint64(w.run))
	default:
		k := w.packet
		p.begin(t, &p.packets, p.entry)
		k.load(&t.LMEM)
		length := min(k.length(), maxLength)
		t.SetRegister(isa.WorkRegister, uint64(length)<<48|uint64(k.head)<<32|uint64(uint32(k.from)))
	}
	if p.tracer != nil {
		p.tracer.Started(p.now, &t.Thread, p.workOf(&w))
	}
}

func (p *PFE) begin(t *thread, like *vm.Thread, entry int) {
	t.scanned, t.earlier = 0, 0
	p.code.StartLike(&t.Thread, like, entry)
}

// newThread returns a thread that has what the program's image says, at its first instruction.
func newThread(cfg *Config, code *vm.Code, limit uint64) (t vm.Thread) {
	code.Start(&t, 0, limit)
	image := &cfg.Program.Image
	copy(t.LMEM[:], image.LMEM)
	for i, v := range image.Registers {
		t.SetRegister(i, v)
	}
	return t
}

// conclude decides what becomes of the work of a thread that has stopped, and
// counts what it did. The packet is still the caller's to give up.
func (p *PFE) conclude(t *thread) {
	if t.created != nil {
		p.count.Add(CountNotSent, 1)
		p.recycle(t.created)
		t.created = nil
	}
	switch t.stop {
	case vm.Faults:
		p.fail(t, faultName(t.Fault()))
	case vm.Killed:
		p.fail(t, t.reason)
	default:
		if t.fate == Consumed {
			p.count.Add(CountConsumed, 1)
			if t.sent > 0 {
				t.fate = Created
			}
		}
	}
	t.Executed += t.earlier
	p.stats.ended(t, p.now)
	if p.cfg.Observer != nil {
		p.cfg.Observer.Ended(p.now, &t.Thread, t.fate)
	}
}

// fail drops the packet of a thread that did wrong, if it still has it.
func (p *PFE) fail(t *thread, reason string) {
	p.count.Add(reason, 1)
	p.noteFault(reason, t.failedAt())
	if p.tracer != nil {
		p.tracer.Failed(p.now, &t.Thread, t.failedAt(), reason)
	}
	if t.fate == Consumed {
		t.fate = Dropped
	} else {
		p.count.Add(CountLateFaults, 1) // the reason has counted no packet
	}
}

// An Observer is told of what threads do, in the order of time. It may read the
// thread, whose variables vm.VariableOf finds, and the memory of the PFE; it must
// change neither, nor keep the thread.
type Observer interface {
	// Sent is called when a thread sends its packet, or one that it created, on.
	Sent(now units.Time, t *vm.Thread, created bool)
	// Discarded is called when a thread drops its packet; reason is the name of
	// the counter.
	Discarded(now units.Time, t *vm.Thread, reason string)
	// Scanned is called when a HashScan of a thread has found a record, whose REF
	// flag is cleared by then; the work register of a timer's thread says which part
	// of the table is its own.
	Scanned(now units.Time, t *vm.Thread, s mem.Scanned)
	// Ended is called when a thread has ended.
	Ended(now units.Time, t *vm.Thread, f Fate)
}

// NopObserver does nothing. Observers of a part embed it.
type NopObserver struct{}

// Sent does nothing.
func (NopObserver) Sent(units.Time, *vm.Thread, bool) {}

// Discarded does nothing.
func (NopObserver) Discarded(units.Time, *vm.Thread, string) {}

// Scanned does nothing.
func (NopObserver) Scanned(units.Time, *vm.Thread, mem.Scanned) {}

// Ended does nothing.
func (NopObserver) Ended(units.Time, *vm.Thread, Fate) {}
