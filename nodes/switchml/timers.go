package switchml

import "github.com/inalab/inalab/internal/units"

// timers is the queue of retransmission timers, in order of expiry. Timeouts are
// mostly alike, so that a new timer goes to the end, or near it where the timeout
// is shorter again; a timer whose packet was answered is skipped when it comes to
// the front.
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
	for i := len(t.queue) - 1; i > t.head && t.queue[i-1].at > at; i-- {
		t.queue[i], t.queue[i-1] = t.queue[i-1], t.queue[i]
	}
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

// backoff is the timeout of a thread. As in the public client, it is the
// configured one at the start of each tensor and doubles whenever so many
// timeouts have come together, which are more each time.
type backoff struct {
	timeout   units.Duration
	expiries  int // since the last doubling
	threshold int // zero: it does not double
	increment int
}

func (b *backoff) reset(c *Config) {
	*b = backoff{timeout: c.Timeout, threshold: c.Threshold, increment: c.Increment}
}

// expired counts a timeout and reports whether it doubles the next.
func (b *backoff) expired() (doubled bool) {
	b.expiries++
	if b.threshold == 0 || b.expiries < b.threshold || b.timeout >= MaxTimeout {
		return false
	}
	b.timeout = min(2*b.timeout, MaxTimeout)
	b.expiries = 0
	b.threshold += b.increment
	return true
}
