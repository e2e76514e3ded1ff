package session

import (
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// maxRounds bounds how many broadcasts a rank may be ahead of another (assumed: the
// public client makes one).
const maxRounds = 16

// round is one broadcast of a cohort.
type round struct {
	root  int
	known bool // the root has called
	value uint64
	left  int // ranks that have not got it
}

// Broadcast is a request of that name.
type Broadcast struct {
	Value               uint64
	Rank, Workers, Root uint32
}

// Broadcast answers with the value of the root. The k-th call of each rank of a
// cohort is one broadcast.
func (m *Machine) Broadcast(now units.Time, call Call, conn Conn, b Broadcast) {
	if f := m.broadcast(now, call, conn, b); f != nil {
		m.answer(call, 0, f)
	}
	m.tidy()
}

func (m *Machine) broadcast(now units.Time, call Call, conn Conn, b Broadcast) *Fault {
	c := m.clients[conn]
	if c == nil {
		return fault(Aborted, "Broadcast: the connection has ended: connect again")
	}
	if f := checkRank("Broadcast", b.Rank, b.Workers); f != nil {
		return f
	}
	if b.Root >= b.Workers {
		return fault(Invalid, "Broadcast: root %d of %d workers: ranks count from 0 to %d", b.Root, b.Workers, b.Workers-1)
	}
	h, f := m.sit(c, int(b.Workers), int(b.Rank))
	if f != nil {
		return f
	}
	m.giveUpEarlier(h, int(b.Rank))
	r, f := h.round(int(b.Rank), int(b.Root))
	if f != nil {
		return f
	}
	c.job = nil
	number := h.calls[b.Rank]
	h.calls[b.Rank]++
	if b.Rank == b.Root {
		r.known, r.value = true, b.Value
		m.deliver(h, number)
	}
	if r.known {
		m.answer(call, r.value, nil)
		r.left--
	} else {
		h.waiting = append(h.waiting, waiter{call: call, client: c, since: now, until: now.Add(m.cfg.Patience), rank: int(b.Rank), round: number})
	}
	for len(h.rounds) > 0 && h.rounds[0].left == 0 {
		h.rounds, h.first = h.rounds[1:], h.first+1
	}
	return nil
}

// giveUpEarlier ends a call of a rank that must have been given up, since the rank
// calls again.
func (m *Machine) giveUpEarlier(h *cohort, rank int) {
	i := slices.IndexFunc(h.waiting, func(w waiter) bool { return w.round != atBarrier && w.rank == rank })
	if i < 0 {
		return
	}
	w := h.waiting[i]
	h.giveUp(&w)
	h.waiting = slices.Delete(h.waiting, i, i+1)
	m.answer(w.call, 0, fault(Aborted, "Broadcast: rank %d has called it again: wait for the first call", rank))
}

// round returns the broadcast that a rank's next call is of.
func (h *cohort) round(rank, root int) (*round, *Fault) {
	i := h.calls[rank] - h.first
	if i == len(h.rounds) {
		if i == maxRounds {
			return nil, fault(NoRoom, "Broadcast: rank %d is %d broadcasts ahead of others: wait for them with a Barrier", rank, i)
		}
		h.rounds = append(h.rounds, round{root: root, left: h.workers})
	}
	r := &h.rounds[i]
	number := h.calls[rank]
	if !r.known && !slices.ContainsFunc(h.waiting, func(w waiter) bool { return w.round == number }) {
		r.root = root // who said otherwise has gone
	}
	if r.root != root {
		return nil, fault(Invalid, "Broadcast: rank %d wants the value of rank %d, others that of rank %d: give all one root", rank, root, r.root)
	}
	return r, nil
}

// deliver gives a round's value to those who wait for it.
func (m *Machine) deliver(h *cohort, number int) {
	r := &h.rounds[number-h.first]
	h.waiting = slices.DeleteFunc(h.waiting, func(w waiter) bool {
		if w.round != number {
			return false
		}
		m.answer(w.call, r.value, nil)
		r.left--
		return true
	})
}

func (m *Machine) expireBroadcasts(now units.Time, h *cohort) {
	h.waiting = slices.DeleteFunc(h.waiting, func(w waiter) bool {
		if w.round == atBarrier || w.until > now {
			return false
		}
		root := h.rounds[w.round-h.first].root
		m.answer(w.call, 0, fault(Late, "Broadcast: rank %d, the root of %d workers, has not called it within %v%s: start it, then all again",
			root, h.workers, now.Sub(w.since), h.seatNote(root)))
		h.giveUp(&w)
		return true
	})
}
