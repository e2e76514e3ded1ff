package vtime

import (
	"math"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
)

// load is a distribution of the times from a push to its event.
type load struct {
	name  string
	start func(s *rng.Stream) units.Duration // of the events that the queue starts with; nil: as ahead
	ahead func(s *rng.Stream) units.Duration
	timer func(s *rng.Stream) units.Duration // of every eighth target; nil: as ahead
}

// loads are what simulations of networks have, and one that no width of bucket
// suits.
var loads = []load{
	{name: "exponential", ahead: exponential(units.Microsecond)},
	{name: "bimodal", ahead: exponential(100 * units.Nanosecond), timer: uniform(units.Millisecond, 500*units.Millisecond)},
	{name: "equal", ahead: constant(units.Microsecond)}, // all events are for one instant, always
	{name: "staggered", start: uniform(0, units.Microsecond), ahead: constant(units.Microsecond)},
	{name: "magnitudes", ahead: magnitudes(3600 * units.Second)},
}

func constant(d units.Duration) func(*rng.Stream) units.Duration {
	return func(*rng.Stream) units.Duration { return d }
}

func uniform(lo, hi units.Duration) func(*rng.Stream) units.Duration {
	return func(s *rng.Stream) units.Duration { return lo + units.Duration(s.IntN(int(hi-lo))) }
}

func exponential(mean units.Duration) func(*rng.Stream) units.Duration {
	return func(s *rng.Stream) units.Duration {
		return units.Duration(-math.Log(1-s.Float64()) * float64(mean))
	}
}

// magnitudes has every magnitude from 1 ps to most as likely as the others.
func magnitudes(most units.Duration) func(*rng.Stream) units.Duration {
	return func(s *rng.Stream) units.Duration {
		return units.Duration(math.Exp(s.Uniform(0, math.Log(float64(most)))))
	}
}

// hold is a queue under a load: each step pops an event and pushes the next of
// the same target.
type hold struct {
	q            queue
	ahead, timer []units.Time // drawn beforehand, used round and round
	i            int
}

func newHold(q queue, l load, pending int) *hold {
	stream := rng.Root(1).Stream("vtime." + l.name)
	draw := func(from func(*rng.Stream) units.Duration, n int) []units.Time {
		if from == nil {
			from = l.ahead
		}
		times := make([]units.Time, n)
		for i := range times {
			times[i] = units.Time(from(stream))
		}
		return times
	}
	const drawn = 1 << 14
	h := &hold{q: q, ahead: draw(nil, drawn), timer: draw(l.timer, drawn)}
	q.Push(0, 0)
	q.Pop() // from here on the queue has been empty before, as it mostly has
	for i, at := range draw(l.start, pending) {
		q.Push(at, int32(i))
	}
	return h
}

func (h *hold) step() Event {
	e := h.q.Pop()
	h.i = (h.i + 1) % len(h.ahead)
	if e.Target%8 == 0 {
		h.q.Push(e.At+h.timer[h.i], e.Target)
	} else {
		h.q.Push(e.At+h.ahead[h.i], e.Target)
	}
	return e
}

// fill is an order of pushing into a queue.
type fill struct {
	name string
	at   func(s *rng.Stream, i, n int) units.Time // of push i of n
}

var fills = []fill{
	{"random", func(s *rng.Stream, _, n int) units.Time { return units.Time(s.IntN(n * 100)) }},
	{"rising", func(_ *rng.Stream, i, _ int) units.Time { return units.Time(i) * 100 }},
	{"falling", func(_ *rng.Stream, i, n int) units.Time { return units.Time(n-i) * 100 }},
	{"one-instant", func(*rng.Stream, int, int) units.Time { return 7 }},
	{"few-instants", func(s *rng.Stream, _, _ int) units.Time { return units.Time(s.IntN(5)) }},
	{"magnitudes", func(s *rng.Stream, _, _ int) units.Time {
		return units.Time(magnitudes(math.MaxInt64 / 2)(s))
	}},
}

func (f fill) times(n int) []units.Time {
	stream := rng.Root(1).Stream("vtime." + f.name)
	at := make([]units.Time, n)
	for i := range at {
		at[i] = f.at(stream, i, n)
	}
	return at
}
