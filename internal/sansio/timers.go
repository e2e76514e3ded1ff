package sansio

import "github.com/inalab/inalab/internal/units"

// Timers is a queue of retransmission timers, in order of expiry: one for a place
// (a slot, a queue pair) and the number of what is under way there. Timeouts are mostly
// alike, so that a new timer goes to the end, or near it; one whose packet was answered
// is skipped when it comes to the front. The zero value is empty.
type Timers struct {
	queue []timer
	head  int
}

type timer struct {
	at     units.Time
	place  int
	number uint32
}

// Arm adds a timer.
func (t *Timers) Arm(place int, number uint32, at units.Time) {
	if t.head > 64 && t.head > len(t.queue)/2 {
		t.queue = t.queue[:copy(t.queue, t.queue[t.head:])]
		t.head = 0
	}
	t.queue = append(t.queue, timer{at: at, place: place, number: number})
	for i := len(t.queue) - 1; i > t.head && t.queue[i-1].at > at; i-- {
		t.queue[i], t.queue[i-1] = t.queue[i-1], t.queue[i]
	}
}

// Next returns when the first timer expires whose number is still waited for.
func (t *Timers) Next(waits func(place int, number uint32) bool) units.Time {
	for t.head < len(t.queue) {
		f := t.queue[t.head]
		if waits(f.place, f.number) {
			return f.at
		}
		t.head++
	}
	return units.Never
}

// Pop takes the timer that Next found.
func (t *Timers) Pop() (place int) {
	t.head++
	return t.queue[t.head-1].place
}
