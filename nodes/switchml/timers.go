package switchml

import "github.com/inalab/inalab/internal/units"

// waits reports whether a phase of a slot has no result yet.
func (t *thread) waits(slot int, phase uint32) bool {
	s := &t.slots[slot]
	return s.busy && s.phase == phase
}

// due returns when a thread sends again the oldest packet that waits too long: when its
// timer expires or, of timers that are looked at once a timeout, at the next look.
func (t *thread) due() units.Time {
	at := t.timers.Next(t.waits)
	if !t.core.cfg.Coarse || at == units.Never {
		return at
	}
	every := t.backoff.timeout
	looks := max(1, (at.Sub(t.looked)+every-1)/every)
	return t.looked.Add(looks * every)
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
