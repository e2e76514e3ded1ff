package session

import (
	"fmt"
	"slices"
	"strings"
)

// name is the call that waits.
func (w *waiter) name() string {
	if w.round == atBarrier {
		return "Barrier"
	}
	return "Broadcast"
}

// missing says who has called a barrier and who has not, as far as that can be
// known: a Barrier has no rank, a connection may have.
func (h *cohort) missing() string {
	var here []int
	var called, unknown []string
	for i := range h.waiting {
		w := &h.waiting[i]
		switch ranks := w.client.ranks; {
		case w.round != atBarrier:
		case len(ranks) == 1 && ranks[0] < h.workers && !slices.Contains(here, ranks[0]):
			here = append(here, ranks[0])
		default:
			unknown = append(unknown, w.client.addr+w.client.rankNote())
		}
	}
	slices.Sort(here)
	for _, rank := range here {
		called = append(called, fmt.Sprintf("rank %d", rank))
	}
	called = append(called, unknown...)
	var absent []string
	for rank := range h.workers {
		if !slices.Contains(here, rank) {
			absent = append(absent, fmt.Sprintf("rank %d%s", rank, h.seatNote(rank)))
		}
	}
	text := "called by " + strings.Join(called, ", ") + "; missing: "
	if n := h.workers - len(called); n < len(absent) {
		text += fmt.Sprintf("%d of ", n)
	}
	return text + strings.Join(absent, ", ")
}

// rankNote says what is known of the ranks behind a connection.
func (c *client) rankNote() string {
	if len(c.ranks) == 0 {
		return " (rank unknown)"
	}
	slices.Sort(c.ranks)
	return fmt.Sprintf(" (one of ranks %s)", strings.Trim(fmt.Sprint(c.ranks), "[]"))
}

// seatNote says what is known of a rank that is missing.
func (h *cohort) seatNote(rank int) string {
	switch c := h.seats[rank]; {
	case !h.seated:
		return ""
	case c == nil:
		return " (never came)"
	case c.fault != "":
		return fmt.Sprintf(" (at %s, refused: %s)", c.addr, c.fault)
	default:
		return fmt.Sprintf(" (at %s)", c.addr)
	}
}

// seatText names who had a seat.
func seatText(rank int, c *client) string {
	text := fmt.Sprintf("rank %d at %s", rank, c.addr)
	if c.fault != "" {
		text += fmt.Sprintf(" (refused: %s)", c.fault)
	}
	return text
}
