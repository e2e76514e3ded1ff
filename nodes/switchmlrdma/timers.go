package switchmlrdma

import "github.com/inalab/inalab/internal/units"

// timers is the queue of retransmission timers, in order of expiry. Most timeouts are
// alike, so that a new timer goes near the end; a timer whose message was answered is
// skipped when it comes to the front.
type timers struct {
	queue []timer
	head  int
}

type timer struct {
	at     units.Time
	pair   int
	number uint32
}

func (t *timers) arm(pair int, number uint32, at units.Time) {
	if t.head > 64 && t.head > len(t.queue)/2 {
		t.queue = t.queue[:copy(t.queue, t.queue[t.head:])]
		t.head = 0
	}
	t.queue = append(t.queue, timer{at: at, pair: pair, number: number})
	for i := len(t.queue) - 1; i > t.head && t.queue[i-1].at > at; i-- {
		t.queue[i], t.queue[i-1] = t.queue[i-1], t.queue[i]
	}
}

// next returns when the first live timer expires.
func (t *timers) next(queues []queue) units.Time {
	for t.head < len(t.queue) {
		f := t.queue[t.head]
		if s := &queues[f.pair]; s.busy && s.number == f.number {
			return f.at
		}
		t.head++
	}
	return units.Never
}

// pop takes the timer that next found.
func (t *timers) pop() (pair int) {
	t.head++
	return t.queue[t.head-1].pair
}
