package vtime

import (
	"fmt"
	"math"
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
)

// queue is what the benchmarks compare.
type queue interface {
	Push(at units.Time, target int32)
	Pop() Event
}

// loads are the times from a push to its event. All but the last are what
// simulations of networks have.
var loads = []struct {
	name  string
	ahead func(s *rng.Stream) units.Duration
}{
	{"exponential", func(s *rng.Stream) units.Duration { return exponential(s, units.Microsecond) }},
	{"bimodal", func(s *rng.Stream) units.Duration {
		if s.Bernoulli(0.02) {
			return units.Millisecond + units.Duration(s.IntN(int(499*units.Millisecond)))
		}
		return exponential(s, 100*units.Nanosecond)
	}},
	{"equal", func(*rng.Stream) units.Duration { return units.Microsecond }},
	// From 1 ps to an hour, every magnitude as likely as the others: no width
	// of bucket suits it.
	{"skewed", func(s *rng.Stream) units.Duration {
		return units.Duration(math.Exp(s.Uniform(0, math.Log(3600e12))))
	}},
}

func exponential(s *rng.Stream, mean units.Duration) units.Duration {
	return units.Duration(-math.Log(1-s.Float64()) * float64(mean))
}

// BenchmarkHold is the hold model: every event that is popped pushes another,
// some time ahead of it. One operation is both.
func BenchmarkHold(b *testing.B) {
	for _, load := range loads {
		stream := rng.Root(1).Stream("vtime." + load.name)
		ahead := make([]units.Time, 1<<14)
		for i := range ahead {
			ahead[i] = units.Time(load.ahead(stream))
		}
		for _, pending := range []int{16, 64, 96, 128, 192, 256, 1024, 4096, 65536} {
			name := fmt.Sprintf("%s/%d", load.name, pending)
			b.Run(name+"/heap", func(b *testing.B) { hold(b, &heap{}, ahead, pending) })
			b.Run(name+"/ladder", func(b *testing.B) { hold(b, &Queue{}, ahead, pending) })
		}
	}
}

func hold(b *testing.B, q queue, ahead []units.Time, pending int) {
	for i := range pending {
		q.Push(ahead[i%len(ahead)], int32(i))
	}
	i := 0
	step := func() {
		e := q.Pop()
		q.Push(e.At+ahead[i%len(ahead)], e.Target)
		i++
	}
	for range 20 * pending { // towards the steady state
		step()
	}
	for b.Loop() {
		step()
	}
}
