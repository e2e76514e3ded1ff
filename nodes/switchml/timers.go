package switchml

import "github.com/inalab/inalab/internal/units"

// timers is the queue of retransmission timers. All timeouts are alike, so the
// order of arming is the order of expiry; a timer whose packet was answered is
// skipped when it comes to the front.
type timers struct {
	queue []timer
	head  int
}

type timer struct {
	slot  int
	phase uint32
	at    units.Time
}

func (t *timers) arm(slot int, phase uint32, at units.Time) {
	if t.head > 64 && t.head > len(t.queue)/2 {
		t.queue = t.queue[:copy(t.queue, t.queue[t.head:])]
		t.head = 0
	}
	t.queue = append(t.queue, timer{slot: slot, phase: phase, at: at})
}

// next returns when the first live timer expires.
func (t *timers) next(slots []slot) units.Time {
	for t.head < len(t.queue) {
		f := t.queue[t.head]
		if s := slots[f.slot]; s.busy && s.phase == f.phase {
			return f.at
		}
		t.head++
	}
	return units.Never
}

// pop takes the timer that next found.
func (t *timers) pop() (slot int) {
	t.head++
	return t.queue[t.head-1].slot
}
