package pktio

import (
	"math"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/units"
)

// MonotonicNow returns CLOCK_MONOTONIC in nanoseconds. All processes of a
// machine read the same clock, whatever their namespaces (a time namespace
// apart), so whoever starts a run picks an epoch from it and tells everybody.
func MonotonicNow() int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic("read CLOCK_MONOTONIC: " + err.Error()) // POSIX requires the clock; nothing can be timed without it
	}
	return ts.Nano()
}

// Clock is the wall clock of a run. The zero Clock is not usable; make one with
// [NewClock].
type Clock struct {
	anchor  time.Time // a reading of the runtime's clock, which is CLOCK_MONOTONIC without the system call
	sinceNs int64     // nanoseconds from the epoch to anchor
}

// NewClock returns a clock that counts from epochNs, an instant of
// [MonotonicNow] in nanoseconds, past or to come.
func NewClock(epochNs int64) Clock {
	const readings = 8 // assumed; one undisturbed reading is enough
	c, best := Clock{}, time.Duration(math.MaxInt64)
	for range readings {
		before := time.Now()
		ns := MonotonicNow()
		gap := time.Since(before)
		if gap < best {
			best = gap
			c = Clock{anchor: before.Add(gap / 2), sinceNs: ns - epochNs}
		}
	}
	return c
}

// Now returns picoseconds since the epoch, negative before it. The clock has a
// resolution of a nanosecond, and agrees with the clocks of other processes to
// within half the cost of one system call.
func (c Clock) Now() units.Time {
	return units.Time(c.sinceNs+int64(time.Since(c.anchor))) * units.Time(units.Nanosecond)
}
