package xaggd

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/switchd/program/xagg"
)

func TestSumsWithoutFaults(t *testing.T) {
	for name, tree := range map[string]shape{"star": star(4), "k-ary": kary, "testbed": testbed, "chain": chain} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, params{tree: tree, gens: 2, delay: 10 * us})
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
		p.tensor = rapid.SampledFrom([]int{1, 32, 33, 320, 641, 60 * 32, 90 * 32, 1030*32 + 5}).Draw(t, "tensor")
		if p.tensor > 1024*32 {
			p.tree = chain // of two groups; other trees would take long
		}
		p.integers = rapid.Bool().Draw(t, "integers")
		p.first = rapid.SampledFrom([]uint16{0, 0x7fff, 0xffff}).Draw(t, "first iteration")
		r := newRig(t, p)
		if err := r.run(); err != nil {
			t.Fatal(err)
		}
	})
}

// Of a run that carries values in some packets only, what is held comes out exactly, and the others are sent
// and counted as well.
func TestUnstoredValues(t *testing.T) {
	r := newRig(t, params{
		tree: testbed, gens: 2, delay: 10 * us, tensor: 101*32 - 5, loss: 0.05,
		worker: func(_ int, c *WorkerConfig) { c.Sample = gradient.Sampling{Every: 4} },
	})
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	for _, h := range r.order {
		if got := len(r.recs[h].In[1]); got != 26*32-5 {
			t.Errorf("worker %d holds %d values, and every fourth of 101 packets has %d", h, got, 26*32-5)
		}
		if sent := r.agents[h].count.Get(CountSent); sent != 2*101 {
			t.Errorf("worker %d sent %d packets first", h, sent)
		}
	}
}

// A worker says which packets lack their results, and whether its own have left.
func TestWorkerTellsWhatItWaitsFor(t *testing.T) {
	r := newRig(t, params{tree: star(2), gens: 1, delay: 10 * us, tensor: 100 * 32})
	r.drop = func(_ units.Time, h int, up bool, f sansio.Train) bool {
		x, ok := gradientHeader(f)
		return ok && h == 2 && up && (x.Gradient == 7 || x.Gradient == 9)
	}
	if _, err := r.net.Run(units.Time(10 * ms)); err != nil {
		t.Fatal(err)
	}
	got := r.agents[1].Waiting(10)
	want := []trace.Wait{{Block: 7, Sent: true}, {Block: 9, Sent: true}}
	if !slices.Equal(got, want) {
		t.Errorf("it waits for %v, and %v are wanted", got, want)
	}
	if got := r.agents[1].Waiting(1); !slices.Equal(got, want[:1]) {
		t.Errorf("the first that it waits for is %v, and %v is wanted", got, want[:1])
	}
}

// Send agents have whole groups each, and send in turn.
func TestSendAgentsTakeTurns(t *testing.T) {
	var order []uint32
	r := newRig(t, params{
		tree: star(1), gens: 1, delay: us, tensor: 2100 * 32,
		worker: func(_ int, c *WorkerConfig) { c.Agents = 2 },
	})
	r.drop = func(_ units.Time, h int, up bool, f sansio.Train) bool {
		if x, ok := gradientHeader(f); ok && h == 1 && up {
			order = append(order, x.Gradient)
		}
		return false
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	if want := []uint32{1, 2049, 2, 2050, 3, 2051}; !slices.Equal(order[:6], want) {
		t.Errorf("packets left in the order %v, and %v is wanted", order[:6], want)
	}
	if slices.Sort(order); len(order) != 2100 || order[2099] != 2100 || slices.Compact(order)[1000] != 1001 {
		t.Errorf("%d packets left, and each of 2100 was to leave once", len(order))
	}
}

// batches counts the calls that results take.
type batches struct {
	Store
	n int
}

func (b *batches) Results(from uint32, into []xagg.Element) error {
	b.n++
	return b.Store.Results(from, into)
}

// Results are read in batches, since each call may be the kernel's.
func TestResultsAreReadInBatches(t *testing.T) {
	r := newRig(t, params{tree: star(2), gens: 1, delay: us})
	w := r.agents[1]
	b := &batches{Store: w.store}
	w.store = b
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	if w.cfg.Fragments != 2100 || b.n != 9 {
		t.Errorf("%d results took %d calls, and batches of 256 are 9", w.cfg.Fragments, b.n)
	}
}
