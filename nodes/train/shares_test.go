package train

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/train/data"
)

// drawSet returns images without light, and a job that shares them.
func drawSet(t *rapid.T) (set data.Set, workers, size int, root rng.Root) {
	workers = rapid.IntRange(1, 9).Draw(t, "workers")
	set = labelled(rapid.SliceOfN(rapid.Uint8Range(0, data.Classes-1), workers, 150).Draw(t, "labels"))
	return set, workers, rapid.IntRange(1, 20).Draw(t, "mini-batch"), rng.Root(rapid.Uint64().Draw(t, "seed"))
}

func sharesOf(t rapid.TB, set data.Set, workers, size int, root rng.Root) (out []*Shares) {
	t.Helper()
	for w := range workers {
		s, err := NewShares(set, w, workers, size, root)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// plain returns the mini-batches of workers that know nothing of one another.
func plain(t rapid.TB, set data.Set, workers, size int, root rng.Root) (out []*Batches) {
	t.Helper()
	for w := range workers {
		shard, err := Shard(set, w, workers)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewBatches(shard, size, root.Stream(BatchStream(w)))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

// Where nobody is out of service every worker has the mini-batches that it has
// without shares, in the same order and with weight 1.
func TestSharesOfAllPresentAreTheMiniBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, workers, size, root := drawSet(t)
		shares, want := sharesOf(t, set, workers, size, root), plain(t, set, workers, size, root)
		for i := range 6 {
			for w, s := range shares {
				got, weight := s.Draw(i, trace.Mask{})
				if next := want[w].Next(); !slices.Equal(got, next) || weight != 1 {
					t.Fatalf("iteration %d, worker %d: %v with weight %v, want %v", i, w, got, weight, next)
				}
			}
		}
	})
}

// With workers out of service every image of the whole batch is in the share of one
// present worker. Shares differ by one image at most, and weigh as much as they have.
// Nobody has to draw every iteration.
func TestSharesCoverTheWholeBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, workers, size, root := drawSet(t)
		shares, home := sharesOf(t, set, workers, size, root), plain(t, set, workers, size, root)
		for i := range 6 {
			var want, got, sizes []int
			for _, b := range home {
				want = append(want, b.Next()...)
			}
			if rapid.IntRange(0, 3).Draw(t, "left out") == 0 {
				continue
			}
			var absent trace.Mask
			for w := range workers {
				if rapid.Bool().Draw(t, "absent") {
					absent.Set(uint8(w))
				}
			}
			present, weights := workers-absent.Len(), 0.0
			for w, s := range shares {
				if absent.Has(uint8(w)) {
					continue
				}
				share, weight := s.Draw(i, absent)
				got, sizes, weights = append(got, share...), append(sizes, len(share)), weights+weight
				if want := float64(len(share)) * float64(present) / float64(workers*size); weight != want {
					t.Fatalf("a share of %d images has weight %v, want %v", len(share), weight, want)
				}
			}
			if present == 0 {
				continue
			}
			slices.Sort(want)
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Fatalf("iteration %d without %v: the shares hold %v, want %v", i, absent, got, want)
			}
			if slices.Max(sizes)-slices.Min(sizes) > 1 || math.Abs(weights-float64(present)) > 1e-9 {
				t.Fatalf("%d present workers have shares of %v, of weights that sum to %v", present, sizes, weights)
			}
		}
	})
}

// The weighted mean over the present workers is the gradient of the whole batch.
func TestWeightedMeanIsThatOfTheWholeBatch(t *testing.T) {
	images, _ := load(t)
	const workers, size = 4, 5
	net, err := New(Config{Hidden: 6}, images)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(rng.Root(3).Stream(InitStream))
	var whole []int
	for _, b := range plain(t, images, workers, size, 9) {
		whole = append(whole, b.Next()...)
	}
	want, grad, mean := make([]float32, net.Params()), make([]float32, net.Params()), make([]float64, net.Params())
	net.Gradient(want, whole)
	var absent trace.Mask
	absent.Set(2)
	for w, s := range sharesOf(t, images, workers, size, 9) {
		if w == 2 {
			continue
		}
		share, weight := s.Draw(0, absent)
		net.Gradient(grad, share)
		for i, g := range grad {
			mean[i] += float64(g) * weight / 3
		}
	}
	for i, m := range mean {
		if math.Abs(m-float64(want[i])) > 1e-5*(1+math.Abs(m)) {
			t.Fatalf("parameter %d: mean %v, gradient of the whole batch %v", i, m, want[i])
		}
	}
}

// Who is back before the others know has its own mini-batch.
func TestShareOfTheAbsentIsItsOwn(t *testing.T) {
	set := labelled(make([]uint8, 12))
	var absent trace.Mask
	absent.Set(1)
	s := sharesOf(t, set, 3, 2, 1)[1]
	got, weight := s.Draw(1, absent)
	home := plain(t, set, 3, 2, 1)[1]
	home.Next()
	if want := home.Next(); !slices.Equal(got, want) || weight != 1 {
		t.Errorf("share %v with weight %v, want %v", got, weight, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("an iteration was drawn twice")
		}
	}()
	s.Draw(1, absent)
}

func TestSharesRefuse(t *testing.T) {
	set := labelled(make([]uint8, 4))
	for _, c := range []struct{ worker, workers, size int }{{0, 5, 1}, {3, 3, 1}, {-1, 3, 1}, {0, 2, -1}} {
		if _, err := NewShares(set, c.worker, c.workers, c.size, 1); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}
