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
	out    []sansio.Arrival // through their cores, and not on the way out yet
}

// newMultiQueue puts a machine behind the cores of a host.
func newMultiQueue(m Model, node string, inner sansio.Machine) (*MultiQueue, error) {
	if m.Queues < 1 || m.Batch < 0 || m.PerBatch < 0 {
		return nil, fmt.Errorf("modelling a %s host: %d queues, batches of %d, %v a batch: the first must be positive, the others not negative", m.Kind, m.Queues, m.Batch, m.PerBatch)
	}
	h := &MultiQueue{inner: inner, model: m, cores: make([]core, m.Queues)}
	for i := range h.cores {
		h.cores[i] = core{model: &h.model, until: units.Never}
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
	h.enqueue(lo, true, eff)
	h.run(now, eff)
	h.leave(now, eff)
}

// Expire does what is due on the way in, in cores and machine, and on the way out.
func (h *MultiQueue) Expire(now units.Time, eff *sansio.Effects) {
	lo := len(eff.Sends)
	h.rx.Expire(now, eff)
	h.enqueue(lo, true, eff)
	if h.inner.NextDeadline() <= now {
		h.inner.Expire(now, eff)
		h.enqueue(lo, false, eff)
	}
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

// enqueue takes the sends from lo on out of the batch, to queues of cores.
func (h *MultiQueue) enqueue(lo int, received bool, eff *sansio.Effects) {
	for i := lo; i < len(eff.Sends); i++ {
		t := &eff.Sends[i].Train
		if c := &h.cores[h.steer(t, received)]; received {
			c.rx.push(t)
		} else {
			c.tx.push(t)
		}
	}
	eff.Sends = eff.Sends[:lo]
}

// steer returns the core of a train: by the host's own UDP port, which is the
// destination of what it receives. All else is the first core's.
func (h *MultiQueue) steer(t *sansio.Train, received bool) int {
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
		busy = false
		for i := range h.cores {
			c := &h.cores[i]
			if c.until <= now {
				h.finish(now, c, eff)
				busy = true
			}
		}
		for i := range h.cores {
			h.cores[i].start(now)
		}
	}
}

// finish hands a batch to the machine, or puts it with what is to leave.
func (h *MultiQueue) finish(now units.Time, c *core, eff *sansio.Effects) {
	c.until = units.Never
	if !c.received {
		h.out = append(h.out, c.work...)
		return
	}
	lo := len(eff.Sends)
	h.inner.Handle(now, c.work, eff)
	h.enqueue(lo, false, eff)
	for i := range c.work {
		release(&c.work[i].Train, eff)
	}
}

// NextDeadline returns when a frame or a core is through, or the machine's own.
func (h *MultiQueue) NextDeadline() units.Time {
	at := min(h.rx.NextDeadline(), h.tx.NextDeadline(), h.inner.NextDeadline())
	for i := range h.cores {
		at = min(at, h.cores[i].until)
	}
	return at
}
