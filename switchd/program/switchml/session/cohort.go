package session

import (
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// cohort is a number of clients that wait for one another.
type cohort struct {
	workers int
	seats   []*client // by rank; nil throughout for clients that never broadcast
	seated  bool      // its clients called Broadcast
	done    bool      // a job was set up: newcomers begin another
	broken  string    // who hung up; empty: nobody
	waiting []waiter  // in the order of their calls

	rounds []round // broadcasts that not everybody has got, the oldest first
	first  int     // number of the oldest
	calls  []int   // broadcasts that each rank has called, by rank
}

// waiter is a call that waits.
type waiter struct {
	call   Call
	client *client
	since  units.Time
	until  units.Time
	rank   int // of a Broadcast
	round  int // likewise, counted from the cohort's beginning; atBarrier: it is a Barrier
}

const atBarrier = -1

func (h *cohort) find(call Call) int {
	return slices.IndexFunc(h.waiting, func(w waiter) bool { return w.call == call })
}

// giveUp undoes what a waiting call has done.
func (h *cohort) giveUp(w *waiter) {
	if w.round != atBarrier {
		h.calls[w.rank]--
	}
}

// open returns the cohort that newcomers with a number of workers join.
func (m *Machine) open(workers int, seated bool) *cohort {
	for _, h := range m.cohorts {
		if h.workers == workers && h.seated == seated && !h.done && h.broken == "" {
			return h
		}
	}
	h := &cohort{workers: workers, seated: seated, seats: make([]*client, workers), calls: make([]int, workers)}
	m.cohorts = append(m.cohorts, h)
	return h
}

// sit gives the caller of a Broadcast the seat of its rank.
func (m *Machine) sit(c *client, workers, rank int) (*cohort, *Fault) {
	h := c.cohort
	if h == nil || h.workers != workers || h.broken != "" {
		h = m.open(workers, true)
	}
	switch other := h.seats[rank]; {
	case other == c:
		return h, nil
	case other != nil:
		return nil, fault(Exists, "Broadcast: rank %d of %d workers is at %s already, and a job of as many workers is being set up: "+
			"wait until it is, or end the client there", rank, workers, other.addr)
	}
	if old := c.cohort; old != nil && old != h {
		m.leave(old, c)
	}
	h.seats[rank], c.cohort = c, h
	if !slices.Contains(c.ranks, rank) {
		c.ranks = append(c.ranks, rank)
	}
	return h, nil
}

// leave takes a client out of its cohort, which is broken by that, unless all it
// ever did there was to wait for its first broadcast.
func (m *Machine) leave(h *cohort, c *client) {
	c.cohort = nil
	for rank, at := range h.seats {
		if at != c {
			continue
		}
		h.seats[rank] = nil
		if h.broken == "" && h.calls[rank] > 0 {
			h.broken = seatText(rank, c) + " has gone"
		}
	}
	if h.broken == "" {
		return
	}
	for i := range h.waiting {
		m.answer(h.waiting[i].call, 0, h.brokenFault(h.waiting[i].name()))
	}
	h.waiting = nil
}

func (h *cohort) brokenFault(call string) *Fault {
	return fault(Aborted, "%s: %s, one of %d workers that wait for one another: start all of them again", call, h.broken, h.workers)
}

// tidy drops cohorts that nobody is in.
func (m *Machine) tidy() {
	m.cohorts = slices.DeleteFunc(m.cohorts, func(h *cohort) bool {
		return len(h.waiting) == 0 && !slices.ContainsFunc(h.seats, func(c *client) bool { return c != nil })
	})
}

// checkCount returns what is wrong with a number of workers.
func checkCount(call string, workers uint32) *Fault {
	switch {
	case workers == 0:
		return fault(Invalid, "%s: 0 workers: give num_workers, 1 to %d", call, switchml.MaxRanks)
	case workers > switchml.MaxRanks:
		return fault(Invalid, "%s: %d workers: a slot's bitmap has %d bits, so use at most as many on one switch", call, workers, switchml.MaxRanks)
	}
	return nil
}

// checkRank returns what is wrong with a rank among a number of workers, too.
func checkRank(call string, rank, workers uint32) *Fault {
	if f := checkCount(call, workers); f != nil {
		return f
	}
	if rank >= workers {
		return fault(Invalid, "%s: rank %d of %d workers: ranks count from 0 to %d", call, rank, workers, workers-1)
	}
	return nil
}
