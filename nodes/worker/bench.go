package worker

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// IntegerCollective is a collective that also reduces int32 tensors as they are.
type IntegerCollective interface {
	Collective
	// BeginInts starts reducing generation gen; q is borrowed until it is complete.
	BeginInts(now units.Time, gen int, q []int32, eff *sansio.Effects)
	// Sums returns the sums of the complete generation, borrowed until it is
	// finished or the next begins.
	Sums() []int32
}

// BenchConfig describes a worker that reduces one synthetic tensor again and
// again, without compute in between.
type BenchConfig struct {
	Elements   int // int32 values of the tensor
	Iterations int // warm-up included, at least 1

	// First is the number of worker 0 among those of all jobs of a run. Jobs that
	// share a switch contribute other values, so that a sum with one of another job
	// in it is wrong.
	First int `json:",omitempty"`

	// Small values have sums of up to 256 workers that fit an int32, for a protocol whose sums
	// stop at the ends of its range. Others wrap around.
	Small bool `json:",omitempty"`
}

// Bench is the machine of a benchmark's worker. The sums of the last iteration
// are checked, element by element, when the time is no longer taken.
type Bench struct {
	node    string
	worker  int
	workers int
	cfg     BenchConfig
	core    IntegerCollective

	q       []int32
	started bool
	gen     int
	begun   units.Time
	wake    units.Time // end of the check, or never
	wrong   uint64
	checked bool
}

func newBench(cfg Config, core Collective) (*Bench, error) {
	ints, ok := core.(IntegerCollective)
	if !ok {
		return nil, errors.New("this protocol has no path for int32 tensors")
	}
	if cfg.Bench.Elements < 1 || cfg.Bench.Iterations < 1 {
		return nil, fmt.Errorf("configuring the benchmark of %s: %d elements, %d iterations: both must be positive", cfg.Loop.Node, cfg.Bench.Elements, cfg.Bench.Iterations)
	}
	b := &Bench{node: cfg.Loop.Node, worker: cfg.Loop.Worker, workers: cfg.Workers, cfg: *cfg.Bench, core: ints, wake: units.Never}
	b.q = make([]int32, cfg.Bench.Elements)
	for i := range b.q {
		b.q[i] = b.cfg.pattern(b.worker, i)
	}
	return b, nil
}

// smallBits are those that are cut off small values: sums of 2^8 workers of 23 bits, one of them the
// sign, fit.
const smallBits = 9

// pattern is what worker w contributes at element i: any formula does that
// differs between workers and elements and overflows now and then.
func (c *BenchConfig) pattern(w, i int) int32 {
	v := int32(uint32(i+1) * 2654435761 * uint32(c.First+w+1))
	if c.Small {
		return v >> smallBits
	}
	return v
}

// Done reports whether all iterations are over and checked.
func (b *Bench) Done() bool { return b.checked }

// Iteration returns the number of completed all-reduces.
func (b *Bench) Iteration() int { return b.gen }

// Core returns the collective inside.
func (b *Bench) Core() Collective { return b.core }

// Verified returns the elements checked and those that were wrong.
func (b *Bench) Verified() (checked, wrong uint64) {
	if !b.checked {
		return 0, 0
	}
	return uint64(len(b.q)), b.wrong
}

// NextDeadline returns the start of the run, the core's deadline, or the end of
// the check.
func (b *Bench) NextDeadline() units.Time {
	if !b.started {
		return 0
	}
	return min(b.wake, b.core.NextDeadline())
}

// Handle passes packets to the core.
func (b *Bench) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	b.core.Handle(now, in, eff)
	b.progress(now, eff)
}

// Expire starts the run, or passes on to the core.
func (b *Bench) Expire(now units.Time, eff *sansio.Effects) {
	switch {
	case !b.started && now >= 0:
		b.started, b.begun = true, now
		b.core.BeginInts(now, 0, b.q, eff)
	case now >= b.wake:
		b.wake, b.checked = units.Never, true
	}
	if b.core.NextDeadline() <= now {
		b.core.Expire(now, eff)
	}
	b.progress(now, eff)
}

func (b *Bench) progress(now units.Time, eff *sansio.Effects) {
	for b.started && b.gen < b.cfg.Iterations && b.core.Complete(b.gen) {
		eff.Samples = append(eff.Samples, result.Sample{Worker: b.worker, Iteration: b.gen, Start: b.begun, End: now, Contributed: true})
		b.gen++
		b.begun = now
		if b.gen == b.cfg.Iterations {
			b.wake = now
			eff.Computes = append(eff.Computes, sansio.Compute{Start: now, Until: now, Run: b.verify})
			return
		}
		b.core.BeginInts(now, b.gen, b.q, eff)
	}
}

// verify compares the last sums with the sum of everybody's pattern.
func (b *Bench) verify() {
	for i, got := range b.core.Sums() {
		var want int32
		for w := range b.workers {
			want += b.cfg.pattern(w, i)
		}
		if got != want {
			b.wrong++
		}
	}
}
