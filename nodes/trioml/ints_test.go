package trioml_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	outcome "github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/trioml"
)

// intCore reduces int32 tensors where a sansiotest.Host has floats. Like a
// benchmark, it does not call Finish.
type intCore struct {
	*trioml.Core
	worker, tensor int
	sums           [][]int32
}

func integer(w, gen, i int) int32 {
	return int32(uint32(w+1)*2654435761 + uint32(gen)*40503 + uint32(i)*1_000_003)
}

func (c *intCore) Begin(now units.Time, gen int, _ []float32, eff *sansio.Effects) {
	q := make([]int32, c.tensor)
	for i := range q {
		q[i] = integer(c.worker, gen, i)
	}
	c.BeginInts(now, gen, q, eff)
}

func (c *intCore) Finish(int) (outcome.Outcome, func([]float32)) {
	c.sums = append(c.sums, slices.Clone(c.Sums()))
	return outcome.Outcome{}, func([]float32) {}
}

// Integers go as they are and come back as wrapping sums, for more generations
// than a worker keeps results of.
func TestIntegers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.ints, p.gens = true, rapid.IntRange(1, trioml.MaxAhead+2).Draw(t, "int generations")
		r := newRig(t, p)
		if !r.run(t, units.Time(10*units.Second)) {
			t.Fatal("not all workers are done")
		}
		for w, h := range r.hosts {
			for g, sums := range h.Core.(*intCore).sums {
				for i, got := range sums {
					var want int32
					for v := range r.workers() {
						want += integer(v, g, i)
					}
					if got != want {
						t.Fatalf("worker %d, generation %d: sum %d is %d, want %d", w, g, i, got, want)
					}
				}
			}
		}
	})
}
