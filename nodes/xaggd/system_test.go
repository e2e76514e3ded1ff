package xaggd

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
)

func TestSumsWithoutFaults(t *testing.T) {
	for name, tree := range map[string]shape{"star": star(4), "k-ary": kary, "testbed": testbed, "chain": chain} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, params{tree: tree, gens: 3, delay: 10 * us})
			if err := r.run(); err != nil {
				t.Fatal(err)
			}
			for h, w := range r.agents { // ordered: each on its own
				if n := w.count.Get(CountAgain) + w.count.Get(CountReports); n > 0 {
					t.Errorf("worker %d sent %d packets and loss reports for nothing", h, n)
				}
			}
		})
	}
}

func TestSumsAreExactWhateverIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := params{
			tree:  rapid.SampledFrom([]shape{star(1), star(3), testbed, chain, kary}).Draw(t, "tree"),
			gens:  2,
			delay: units.Duration(rapid.IntRange(1, 100).Draw(t, "delay")) * us,
			seed:  rng.Root(rapid.Uint64().Draw(t, "seed")),
			loss:  rapid.SampledFrom([]float64{0, 0.01, 0.1, 0.3}).Draw(t, "loss"),
			twice: rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "twice"),
			late:  units.Duration(rapid.SampledFrom([]int{0, 50, 500}).Draw(t, "late")) * us,
		}
		p.tensor = rapid.SampledFrom([]int{1, 320, 200 * 32, 1030*32 + 5}).Draw(t, "tensor")
		p.integers = rapid.Bool().Draw(t, "integers")
		p.first = rapid.SampledFrom([]uint16{0, 0x7fff, 0xffff}).Draw(t, "first iteration")
		r := newRig(t, p)
		if err := r.run(); err != nil {
			t.Fatal(err)
		}
	})
}
