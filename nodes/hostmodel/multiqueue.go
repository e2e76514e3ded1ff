package hostmodel

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// MultiQueue is a machine with one network interface, port 0, on a host whose
// network card has a queue for each core (SwitchML App B, "Flow Director"). A
// flow belongs to the core that the host's own UDP port of it names, so that a
// worker uses as many cores as it has ports.
type MultiQueue struct {
	inner  sansio.Machine
	model  Model
	rx, tx *impair.Link // network card and bus
	cores  []core
	out    burst // with the card, and not on the way out yet
}

// newMultiQueue puts a machine behind the cores of a host.
func newMultiQueue(m Model, node string, inner sansio.Machine) (*MultiQueue, error) {
	if err := m.validate(); err != nil {
		return nil, fmt.Errorf("modelling a %s host: %w", m.Kind, err)
	}
	h := &MultiQueue{inner: inner, model: m, cores: make([]core, m.Queues)}
	for i := range h.cores {
		h.cores[i] = core{model: &h.model, until: units.Never, idle: true, called: units.Time(-m.Drain)}
	}
	bus := impair.Params{Delay: m.Latency, Queue: queueLimit}
	var errs [2]error
	h.rx, errs[0] = impair.New(impair.Config{Name: node + "/rx", Params: bus, MaxInFlight: inFlight})
	h.tx, errs[1] = impair.New(impair.Config{Name: node + "/tx", Params: bus, MaxInFlight: inFlight})
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("modelling a %s host: %w", m.Kind, err)
	}
	return h, nil
}

// Handle takes frames from the wire.
func (h *MultiQueue) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	lo := len(eff.Sends)
	h.rx.Handle(now, in, eff)
	h.receive(lo, eff)
	h.run(now, eff)
	h.leave(now, eff)
}

// Expire does what is due on the way in, in cores and machine, and on the way out.
func (h *MultiQueue) Expire(now units.Time, eff *sansio.Effects) {
	lo := len(eff.Sends)
	h.rx.Expire(now, eff)
	h.receive(lo, eff)
	h.run(now, eff)
	h.leave(now, eff)
}

// leave takes what cores are through with to the way out. That is called once,
// since what it sends is in memory that its next call takes back.
func (h *MultiQueue) leave(now units.Time, eff *sansio.Effects) {
	if len(h.out) == 0 {
		h.tx.Expire(now, eff)
		return
	}
	h.tx.Handle(now, h.out, eff)
	for i := range h.out {
		release(&h.out[i].Train, eff)
	}
	h.out = h.out[:0]
}

// release gives up the memory of a train that was kept.
func release(t *sansio.Train, eff *sansio.Effects) {
	if t.Memory != nil {
		eff.Drop(t.Memory)
	}
}

// receive takes the sends from lo on, which came in, to the queues of cores.
func (h *MultiQueue) receive(lo int, eff *sansio.Effects) {
	for i := lo; i < len(eff.Sends); i++ {
		t := &eff.Sends[i].Train
		h.cores[h.steer(t, true)].rx.push(t)
	}
	eff.Sends = eff.Sends[:lo]
}

// sends takes the sends from lo on, which the machine made, to cores: answers to what
// a core received to that core, all else as sent of the machine's own accord.
func (h *MultiQueue) sends(lo int, by *core, eff *sansio.Effects) {
	for i := lo; i < len(eff.Sends); i++ {
		t := &eff.Sends[i].Train
		if c := &h.cores[h.steer(t, false)]; c == by {
			c.tx.push(t)
		} else {
			c.own.push(t)
		}
	}
	eff.Sends = eff.Sends[:lo]
}

// steer returns the core of a train: by the host's own UDP port, which is the
// destination of what it receives. All else is the first core's.
func (h *MultiQueue) steer(t *sansio.Train, received bool) int {
	if len(h.cores) == 1 {
		return 0
	}
	_, udp, ok := t.UDP()
	switch {
	case !ok:
		return 0
	case received:
		return int(udp.DstPort()) % len(h.cores)
	}
	return int(udp.SrcPort()) % len(h.cores)
}

// run finishes what cores are through with, and gives them more.
func (h *MultiQueue) run(now units.Time, eff *sansio.Effects) {
	for busy := true; busy; {
		busy = h.expire(now, eff)
		for i := range h.cores {
			c := &h.cores[i]
			if c.task != polling && c.until <= now {
				h.finish(now, c, eff)
				busy = true
			}
		}
		for i := range h.cores {
			h.cores[i].start(now)
		}
	}
}

// expire does what is due in the machine, and reports whether anything was.
func (h *MultiQueue) expire(now units.Time, eff *sansio.Effects) bool {
	if h.inner.NextDeadline() > now || !h.looks() {
		return false
	}
	lo := len(eff.Sends)
	h.inner.Expire(now, eff)
	h.sends(lo, nil, eff)
	return true
}

// looks reports whether the host looks at its machine's timers: some core has found its
// queue empty, which is when the client looks at those of that core, and none has
// something to send of its own accord that it has not come to yet.
func (h *MultiQueue) looks() (ok bool) {
	for i := range h.cores {
		c := &h.cores[i]
		ok = ok || c.idle
		if !c.own.empty() {
			return false
		}
	}
	return ok
}

// finish hands what a core received to the machine, or what it sent to the card.
func (h *MultiQueue) finish(now units.Time, c *core, eff *sansio.Effects) {
	done := c.task
	c.task = polling
	switch done {
	case receiving:
		h.handle(now, c, eff)
	case answering:
		if c.store() {
			h.out = c.empty(h.out)
		}
	case starting:
		h.out = append(h.out, c.work...)
	case flushing:
		h.out = c.empty(h.out)
	}
}

// handle hands what a core received to the machine.
func (h *MultiQueue) handle(now units.Time, c *core, eff *sansio.Effects) {
	lo := len(eff.Sends)
	h.inner.Handle(now, c.work, eff)
	h.sends(lo, c, eff)
	for i := range c.work {
		release(&c.work[i].Train, eff)
	}
}

// NextDeadline returns when a frame or a core is through, or the machine's own.
func (h *MultiQueue) NextDeadline() units.Time {
	at := min(h.rx.NextDeadline(), h.tx.NextDeadline())
	if h.looks() {
		at = min(at, h.inner.NextDeadline())
	}
	for i := range h.cores {
		at = min(at, h.cores[i].until)
	}
	return at
}
