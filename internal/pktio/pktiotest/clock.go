package pktiotest

import (
	"sync"

	"github.com/inalab/inalab/internal/units"
)

// Clock is a clock that is moved by hand. The zero Clock stands at the epoch.
// It may be used from several goroutines.
type Clock struct {
	mu  sync.Mutex
	now units.Time
}

// Now returns the time that was last set.
func (c *Clock) Now() units.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock forward to t; a clock past t stays.
func (c *Clock) Set(t units.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = max(c.now, t)
}
