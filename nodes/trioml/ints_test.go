package trioml_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/trioml"
)

func integer(w, gen, i int) int32 {
	return int32(uint32(w+1)*2654435761 + uint32(gen)*40503 + uint32(i)*1_000_003)
}

// integers reduces tensors of integer with a core, in place of floats.
func integers(core sansiotest.IntCore, worker, tensor int) *sansiotest.Ints {
	return &sansiotest.Ints{IntCore: core, Tensor: func(gen int) []int32 {
		q := make([]int32, tensor)
		for i := range q {
			q[i] = integer(worker, gen, i)
		}
		return q
	}}
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
			for g, sums := range h.Core.(*sansiotest.Ints).Got {
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
