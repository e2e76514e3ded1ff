package atpps

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// maxWorkers is how many workers the masks of a server have bits for.
const maxWorkers = 8 * 8 * len(trace.Mask{})

// spans is how many of a stream's spans its numbers must be at least: two are in the ring, and
// what is late is told from what is new.
const spans = 4

func (c *Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Workers < 1 || c.Workers > maxWorkers {
		fault("%d workers: 1 to %d are possible", c.Workers, maxWorkers)
	}
	if !c.Flow.Src.Is4() || !c.Flow.Dst.Is4() || !c.Flow.Dst.IsMulticast() {
		fault("sending from %v to %v: both must be IPv4 addresses, and the second the group of the job's workers", c.Flow.Src, c.Flow.Dst)
	}
	if i := slices.IndexFunc(c.From, func(a netip.Addr) bool { return !a.Is4() }); i >= 0 {
		fault("packets from %v: give the IPv4 address of a worker's host", c.From[i])
	}
	if c.Aggregators < 0 || c.Aggregators > wire.MaxAggregators {
		fault("%d aggregators: 0 to %d are possible", c.Aggregators, wire.MaxAggregators)
	}
	if c.Places < 0 {
		fault("%d places in windows: it must not be negative", c.Places)
	}
	if c.Rehash > Recycle {
		fault("re-hashing of kind %d: allowed are ToFree, ByIndex, Never and Recycle", c.Rehash)
	}
	if c.Rehash == Recycle && !c.ByPlace {
		fault("indexes that come again, where all packets of one move for ever: they can with ByPlace only")
	}
	if c.Copy < 0 || c.Ring < 0 {
		fault("frames copied at %v, of which %d bytes may wait: neither may be negative", c.Copy, c.Ring)
	}
	return errors.Join(append(errs, c.validateStreams(), c.validatePlaces(), c.validateSetups())...)
}

// validatePlaces checks who has which bits.
func (c *Config) validatePlaces() error {
	if c.Levels != 0 {
		return c.validatePaths()
	}
	return c.validateRacks()
}

// validateSetups checks those that may follow.
func (c *Config) validateSetups() error {
	ids := map[uint8]bool{c.Job: true}
	for i, s := range c.Setups {
		if ids[s.Job] {
			return fmt.Errorf("set-up %d has job id %d again: give each one of its own", i+1, s.Job)
		}
		ids[s.Job] = true
		if !s.Group.Is4() || !s.Group.IsMulticast() {
			return fmt.Errorf("set-up %d sends to %v: that must be an IPv4 group of the job's workers", i+1, s.Group)
		}
		next := Config{Workers: c.Workers, Racks: s.Racks, Levels: c.Levels, Paths: s.Paths}
		if err := next.validatePlaces(); err != nil {
			return fmt.Errorf("set-up %d: %w", i+1, err)
		}
	}
	return nil
}

func (c *Config) validateStreams() error {
	if len(c.Streams) == 0 || c.Span < 1 {
		return fmt.Errorf("%d streams with %d packets in flight: there must be one of each at least", len(c.Streams), c.Span)
	}
	for i, n := range c.Streams {
		switch last := uint64(n.First) + uint64(n.Size) - 1; {
		case n.First < 1 || n.Size%2 != 0 || last >= 1<<wire.SequenceBits:
			return fmt.Errorf("stream %d has the %d numbers from %d on: the first is at least 1, the last below %d, and they are even in number", i, n.Size, n.First, 1<<wire.SequenceBits)
		case c.Aggregators >= int(n.Size/2):
			return fmt.Errorf("stream %d has %d numbers, half of which must be more than the %d aggregators that it sweeps: take fewer streams or aggregators", i, n.Size, c.Aggregators)
		case uint64(n.Size) < spans*uint64(c.Span):
			return fmt.Errorf("stream %d has %d numbers and %d packets in flight: it needs %d times as many numbers", i, n.Size, c.Span, spans)
		}
		for k, o := range c.Streams[:i] {
			if o.Has(n.First) || n.Has(o.First) {
				return fmt.Errorf("streams %d and %d share numbers: give each a range of its own", k, i)
			}
		}
	}
	return nil
}

func (c *Config) validateRacks() error {
	var all trace.Mask
	bits, local := uint32(0), 0
	for i := range c.Racks {
		r := &c.Racks[i]
		if r.Local {
			local++
		}
		switch n := len(r.Workers); {
		case r.Local && (n != 1 || r.Direct || local > 1):
			return fmt.Errorf("rack %d has %d workers on the server's host: there is one at most, alone", i, n)
		case r.Bit >= wire.MaxFanIn || bits&(1<<r.Bit) != 0:
			return fmt.Errorf("rack %d has bit %d: give each one of its own below %d", i, r.Bit, wire.MaxFanIn)
		case n < 1 || n > wire.MaxFanIn || r.Direct && n != 1:
			return fmt.Errorf("rack %d has %d workers: 1 to %d are possible, and 1 where it is a worker in the server's rack", i, n, wire.MaxFanIn)
		}
		bits |= 1 << r.Bit
		for _, w := range r.Workers {
			if int(w) >= c.Workers || all.Has(w) {
				return fmt.Errorf("rack %d has worker %d of %d: each has one place", i, w, c.Workers)
			}
			all.Set(w)
		}
	}
	if all.Len() != c.Workers {
		return fmt.Errorf("racks have %d of %d workers: each has one place", all.Len(), c.Workers)
	}
	return nil
}
