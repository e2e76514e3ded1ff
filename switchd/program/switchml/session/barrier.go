package session

import (
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// Barrier answers when as many workers have called it, with a fault at the
// deadline of the first of them.
func (m *Machine) Barrier(now units.Time, call Call, conn Conn, workers uint32) {
	if f := m.barrier(now, call, conn, workers); f != nil {
		m.answer(call, 0, f)
	}
}

func (m *Machine) barrier(now units.Time, call Call, conn Conn, workers uint32) *Fault {
	c := m.clients[conn]
	if c == nil {
		return fault(Aborted, "Barrier: the connection has ended: connect again")
	}
	if f := checkCount("Barrier", workers); f != nil {
		return f
	}
	if j := c.job; j != nil && j.refused != "" {
		return fault(OutOfOrder, "Barrier: %s; then start all workers again", j.refused)
	}
	h := c.cohort
	switch {
	case h == nil:
		h = m.open(int(workers), false)
		m.replace(h, c)
	case h.broken != "":
		return h.brokenFault("Barrier")
	case h.workers != int(workers):
		return fault(Invalid, "Barrier of %d workers, by a client that called Broadcast among %d: use one number", workers, h.workers)
	default:
		m.replace(h, c)
	}
	w := waiter{call: call, client: c, since: now, until: now.Add(m.cfg.Patience), round: atBarrier}
	for i := range h.waiting {
		if h.waiting[i].round == atBarrier {
			w.since, w.until = h.waiting[i].since, h.waiting[i].until
			break
		}
	}
	h.waiting = append(h.waiting, w)
	m.release(h)
	return nil
}

// replace ends a call that a client must have given up, since it calls again: each
// of its ranks waits at most once. A connection without a seat is one worker.
func (m *Machine) replace(h *cohort, c *client) {
	ranks, oldest, waits := 0, -1, 0
	for _, at := range h.seats {
		if at == c {
			ranks++
		}
	}
	for i := range h.waiting {
		if w := &h.waiting[i]; w.client == c && w.round == atBarrier {
			if waits++; oldest < 0 {
				oldest = i
			}
		}
	}
	if waits >= max(ranks, 1) {
		m.answer(h.waiting[oldest].call, 0, fault(Aborted, "Barrier: this client has called it again: wait for the first call"))
		h.waiting = slices.Delete(h.waiting, oldest, oldest+1)
	}
}

// release lets all go once all are there.
func (m *Machine) release(h *cohort) {
	n := 0
	for i := range h.waiting {
		if h.waiting[i].round == atBarrier {
			n++
		}
	}
	if n < h.workers {
		return
	}
	m.endBarrier(h, func(*waiter) *Fault { return nil })
	h.done = h.seated && !slices.ContainsFunc(h.seats, func(c *client) bool { return c == nil || c.job == nil || !c.job.doc.Complete() })
	m.tidy()
}

// endBarrier answers all who wait at the barrier.
func (m *Machine) endBarrier(h *cohort, with func(*waiter) *Fault) {
	for i := range h.waiting {
		if w := &h.waiting[i]; w.round == atBarrier {
			m.answer(w.call, 0, with(w))
		}
	}
	h.waiting = slices.DeleteFunc(h.waiting, func(w waiter) bool { return w.round == atBarrier })
}

func (m *Machine) expireBarrier(now units.Time, h *cohort) {
	i := slices.IndexFunc(h.waiting, func(w waiter) bool { return w.round == atBarrier && w.until <= now })
	if i < 0 {
		return
	}
	f := fault(Late, "Barrier of %d workers: not all called it within %v: %s: start who is missing, then all again", h.workers, now.Sub(h.waiting[i].since), h.missing())
	m.endBarrier(h, func(*waiter) *Fault { return f })
}
