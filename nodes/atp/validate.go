package atp

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"

	wire "github.com/inalab/inalab/internal/wire/atp"
)

// MaxStreams bounds threads times servers (assumed; the public code has 12 threads and 4 servers).
const MaxStreams = 256

// minSequenceBits is the least with room for anything.
const minSequenceBits = 4

// resolve puts defaults in the place of zeros.
func (c *Config) resolve() {
	c.Cut = cmp.Or(c.Cut, DefaultTensor)
	c.Threads = cmp.Or(c.Threads, 1)
	c.Window = cmp.Or(c.Window, DefaultWindow)
	c.Span = cmp.Or(c.Span, DefaultSpan)
	c.LeastWindow = cmp.Or(c.LeastWindow, 1)
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.SequenceBits = cmp.Or(c.SequenceBits, wire.SequenceBits)
	c.Age = cmp.Or(c.Age, DefaultAge)
	c.Lifetime = cmp.Or(c.Lifetime, DefaultLifetime)
}

// streams returns how many streams a worker has.
func (c *Config) streams() int { return c.Threads * len(c.Servers) }

// levels returns how many levels headers of the job have; 0: base headers, of two.
func (c *Config) levels() uint8 { return c.Servers[0].Upper.Levels }

// port returns the UDP port of the job's packets.
func (c *Config) port() uint16 { return wire.PortOf(int(c.levels())) }

// span returns the most packets of a stream from the oldest that lacks its parameters to the
// newest sent.
func (c *Config) span() int {
	if c.Indexing == Static && c.Aggregators > 0 {
		return min(c.Span, c.Part/c.streams())
	}
	return c.Span
}

// tensors returns the lengths of a generation's tensors.
func (c *Config) tensors() []int {
	if len(c.Tensors) == 0 {
		return []int{c.Tensor}
	}
	return c.Tensors
}

// validate checks a configuration whose zeros are resolved.
func (c *Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Workers < 1 || c.Worker < 0 || c.Worker >= c.Workers {
		fault("worker %d of %d: workers are counted from 0", c.Worker, c.Workers)
	}
	if c.Tensor < 1 || c.Cut < block {
		fault("tensor of %d elements, cut to %d: there must be one, and a cut holds at least the %d values of a packet", c.Tensor, c.Cut, block)
	}
	if c.Sample.Every < 0 {
		fault("one block of %d carries values: it must not be negative", c.Sample.Every)
	}
	if c.Timeout < 0 || c.Age < 0 || c.Lifetime < 0 {
		fault("timeout %v, age limit %v, lifetime of packets %v: they must not be negative", c.Timeout, c.Age, c.Lifetime)
	}
	if c.Aggregators < 0 || c.Aggregators > wire.MaxAggregators {
		fault("%d aggregators: 0 to %d are possible", c.Aggregators, wire.MaxAggregators)
	}
	if c.Resend > Gaps {
		fault("resend %d: %d to %d are possible", c.Resend, Expected, Gaps)
	}
	if f := c.Scaling.Factor; f < 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		fault("scaling factor %v: it must be a positive number, or 0 for the default", f)
	}
	errs = append(errs, c.Sample.CheckTensors(c.Tensors, c.Tensor), c.validateServers(), c.validateWindow(), c.validateSetups())
	if len(c.Servers) > 0 && c.Threads > 0 {
		errs = append(errs, c.validateIndexing(), c.validateNumbers())
	}
	return errors.Join(errs...)
}

func (c *Config) validateServers() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if n := c.streams(); c.Threads < 1 || n < 1 || n > MaxStreams {
		fault("%d threads and %d servers: there must be one of each, and at most %d streams, which is their product", c.Threads, len(c.Servers), MaxStreams)
	}
	for i := range c.Servers {
		s := &c.Servers[i]
		if !s.Flow.Src.Is4() || !s.Flow.Dst.Is4() {
			fault("sending from %v to server %d at %v: both must be IPv4 addresses", s.Flow.Src, i, s.Flow.Dst)
		}
		if s.Flow.DstPort != c.port() {
			fault("sending to UDP port %d of server %d: ATP has port %d", s.Flow.DstPort, i, c.port())
		}
		if s.Upper.Levels != c.levels() {
			fault("servers 0 and %d have headers of %d and %d levels: all of a job have as many", i, c.levels(), s.Upper.Levels)
		}
		for k := range i {
			if c.Servers[k].Flow.Dst == s.Flow.Dst {
				fault("servers %d and %d are both at %v: give each a host of its own", k, i, s.Flow.Dst)
			}
		}
		if err := s.validate(); err != nil {
			fault("server %d: %w", i, err)
		}
	}
	return errors.Join(errs...)
}

// validate checks the directions of packets to a server.
func (s *Server) validate() error {
	if n := int(s.Upper.Levels); n != 0 && (n < 3 || n > wire.MaxLevels || int(s.Upper.Level) >= n) {
		return fmt.Errorf("first switch at level %d of %d: 3 to %d levels are possible besides two, counted from 0", s.Upper.Level, n, wire.MaxLevels)
	}
	h := s.header()
	for level := range h.Levels() {
		fan, bitmap := h.FanIn(level), h.Bitmap(level)
		if fan < 1 || fan > wire.MaxFanIn {
			return fmt.Errorf("fan-in %d of level %d: 1 to %d are possible", fan, level, wire.MaxFanIn)
		}
		if bits.OnesCount32(bitmap) != 1 {
			return fmt.Errorf("bitmap %#x of level %d: a worker has one bit", bitmap, level)
		}
		if level < int(s.Upper.Level) && (bitmap != 1 || fan != 1) {
			return fmt.Errorf("bitmap %#x and fan-in %d of level %d for a worker whose first switch is that of level %d: both must be 1", bitmap, fan, level, s.Upper.Level)
		}
	}
	if s.Direct && s.Upper.Levels > 0 {
		return fmt.Errorf("direct and a header of %d levels: the level of the first switch says that", s.Upper.Levels)
	}
	if s.Direct && (s.Bitmaps[0] != 1 || s.FanIns[0] != 1) {
		return fmt.Errorf("bitmap %#x and fan-in %d of level 0 for a worker whose first switch is that of level 1: both must be 1", s.Bitmaps[0], s.FanIns[0])
	}
	return nil
}

func (c *Config) validateWindow() error {
	if c.Window < 1 || c.LeastWindow < 1 || c.Span < c.LeastWindow {
		return fmt.Errorf("window of %d packets, at least %d, span of %d: all must be positive, and the span not below the least window", c.Window, c.LeastWindow, c.Span)
	}
	return nil
}

func (c *Config) validateIndexing() error {
	switch {
	case c.Indexing > Static:
		return fmt.Errorf("indexing %d: %d to %d are possible", c.Indexing, ByPosition, Static)
	case c.ByPlace && c.Indexing != ByPosition:
		return fmt.Errorf("indexes of places that move, with indexing %d: places have indexes with indexing %d only", c.Indexing, ByPosition)
	case c.Indexing != Static && (c.Base != 0 || c.Part != 0):
		return fmt.Errorf("part of %d aggregators from %d on: only static indexing has a part", c.Part, c.Base)
	case c.Indexing != Static || c.Aggregators == 0:
		return nil
	case c.Base < 0 || c.Part < 0 || c.Base+c.Part > c.Aggregators:
		return fmt.Errorf("part of %d aggregators from %d on, in a table of %d: choose one inside the table", c.Part, c.Base, c.Aggregators)
	case c.span() < c.LeastWindow:
		return fmt.Errorf("part of %d aggregators for %d streams with windows of at least %d packets: enlarge the part, or take fewer threads or servers", c.Part, c.streams(), c.LeastWindow)
	}
	return nil
}

// lead returns from how many packets before a half on a stream is close to it. Servers know no
// narrower span than the configured one.
func (c *Config) lead() int { return max(c.Aggregators, 2*c.Span) }

// validateNumbers checks that a half of a stream's numbers is long enough for the half before to be
// over when the stream is close to the next.
func (c *Config) validateNumbers() error {
	if c.SequenceBits < minSequenceBits || c.SequenceBits > wire.SequenceBits {
		return fmt.Errorf("sequence numbers of %d bits: %d to %d are possible", c.SequenceBits, minSequenceBits, wire.SequenceBits)
	}
	half := int(wire.Split(c.SequenceBits, c.streams())[0].Size / 2)
	if half < c.span()+c.lead() {
		return fmt.Errorf("%d streams have %d sequence numbers each, of which a half must hold a span of %d packets and one for each of %d aggregators, or three spans: take fewer threads or servers, a shorter span or fewer aggregators",
			c.streams(), 2*half, c.Span, c.Aggregators)
	}
	return nil
}
