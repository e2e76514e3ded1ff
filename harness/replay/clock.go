package replay

import (
	"fmt"
	"time"

	"github.com/inalab/inalab/internal/units"
)

// Clock turns times of a capture into times of a run, which starts with the first packet.
// A packet that is earlier than one before it, or has no time, counts as of the same
// instant: a run does not go back.
type Clock struct {
	Back    int // packets that were earlier than one before
	Untimed int // packets without a time

	start time.Time
	now   units.Time
}

// maxSpan is the longest capture: what picoseconds in 63 bits have room for, less a tenth.
const maxSpan = 95 * 24 * time.Hour

// At returns when a packet comes.
func (c *Clock) At(t time.Time) (units.Time, error) {
	switch {
	case t.IsZero():
		c.Untimed++
		return c.now, nil
	case c.start.IsZero():
		c.start = t
		return c.now, nil
	}
	since := t.Sub(c.start)
	if since > maxSpan {
		return 0, fmt.Errorf("a packet of %v is %v after the first: at most %v are possible; cut the capture", t, since, maxSpan)
	}
	at := units.Time(since.Nanoseconds()) * units.Time(units.Nanosecond)
	if at < c.now {
		c.Back++
		return c.now, nil
	}
	c.now = at
	return at, nil
}

// Time returns the time of the capture at an instant of the run, in whole nanoseconds.
func (c *Clock) Time(at units.Time) time.Time {
	start := c.start
	if start.IsZero() {
		start = time.Unix(0, 0) // no packet had a time
	}
	return start.Add(time.Duration(at / units.Time(units.Nanosecond)))
}
