package groups

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
)

// Limits and defaults.
const (
	// DefaultGroup is the paper's packets in a group (XAgg §IV-D).
	DefaultGroup = 1024
	// DefaultAgain bounds how often an index is asked for (assumed).
	DefaultAgain = 10 * units.Millisecond
	// MaxReport is the most indexes of a loss report: they fit a frame of 1500 bytes (assumed).
	MaxReport = 256
	// MaxReports bounds the loss reports to a sender in the time of Again. They name as many packets of
	// 1 kB as a link of 28 Gbit/s carries in 10 ms (assumed).
	MaxReports = 128
	// MaxHosts is the most senders: host ids have 32 bits (XAgg §IV-A).
	MaxHosts = 32
	// MaxPackets bounds the packets of a gradient: 4 GiB of 1 kB packets (assumed).
	MaxPackets = 1 << 22
)

// Config describes the groups of a gradient. Both ends have the same.
type Config struct {
	Packets uint32         // of a gradient; indexes are 1 to Packets
	Group   uint32         // packets in a group; 0 is DefaultGroup
	Settle  units.Duration // from a check to the question for what lacks; 0 asks at once
	Again   units.Duration // from a question to the next, from one end to the next; 0 is DefaultAgain
}

// resolve puts defaults in the place of zeros.
func (c *Config) resolve() {
	c.Group = cmp.Or(c.Group, DefaultGroup)
	c.Again = cmp.Or(c.Again, DefaultAgain)
}

// validate checks a configuration whose zeros are resolved.
func (c *Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Packets < 1 || c.Packets > MaxPackets {
		fault("gradient of %d packets: 1 to %d are possible", c.Packets, MaxPackets)
	}
	if c.Group > MaxPackets {
		fault("groups of %d packets: 1 to %d are possible", c.Group, MaxPackets)
	}
	if c.Settle < 0 || c.Again < 0 {
		fault("waiting %v before a question and %v before the next: both must not be negative", c.Settle, c.Again)
	}
	return errors.Join(errs...)
}

// groups returns how many groups there are, with the tail.
func (c *Config) groups() int { return int((c.Packets + c.Group - 1) / c.Group) }

// of returns the group of an index.
func (c *Config) of(index uint32) int { return int((index - 1) / c.Group) }

// bounds returns the first and the last index of a group.
func (c *Config) bounds(group int) (first, last uint32) {
	first = uint32(group)*c.Group + 1
	return first, min(first+c.Group-1, c.Packets)
}

// ends reports whether an index is the last of a group or of the gradient.
func (c *Config) ends(index uint32) bool { return index%c.Group == 0 || index == c.Packets }
