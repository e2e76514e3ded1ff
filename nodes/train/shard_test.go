package train

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/train/data"
)

// labelled returns a set of those labels; the images do not matter.
func labelled(labels []uint8) data.Set {
	return data.Set{Labels: labels, Images: make([]byte, len(labels)*data.Pixels)}
}

func TestShardsAreDisjointCompleteAndBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := labelled(rapid.SliceOfN(rapid.Uint8Range(0, data.Classes-1), 1, 120).Draw(t, "labels"))
		workers := rapid.IntRange(1, set.Len()).Draw(t, "workers")
		var everything []int
		sizes := make([]int, workers)
		perClass := make([][]int, data.Classes)
		for c := range perClass {
			perClass[c] = make([]int, workers)
		}
		for w := range workers {
			shard, err := Shard(set, w, workers)
			if err != nil {
				t.Fatal(err)
			}
			sizes[w] = len(shard)
			everything = append(everything, shard...)
			for _, i := range shard {
				perClass[set.Labels[i]][w]++
			}
		}
		slices.Sort(everything)
		for i, got := range everything {
			if got != i {
				t.Fatalf("the shards together hold %v", everything)
			}
		}
		if len(everything) != set.Len() {
			t.Fatalf("the shards hold %d of %d images", len(everything), set.Len())
		}
		for _, counts := range append(perClass, sizes) {
			if slices.Max(counts)-slices.Min(counts) > 1 {
				t.Fatalf("unequal counts over the workers: %v", counts)
			}
		}
	})
}

func TestSixShardsOfTheRealSet(t *testing.T) {
	train, _ := load(t)
	for w := range 6 {
		shard, err := Shard(train, w, 6)
		if err != nil {
			t.Fatal(err)
		}
		var counts [data.Classes]int
		for _, i := range shard {
			counts[train.Labels[i]]++
		}
		for class, n := range counts {
			if n != data.TrainPerClass/6 {
				t.Errorf("worker %d has %d images of class %d, want %d", w, n, class, data.TrainPerClass/6)
			}
		}
	}
}

func TestShardRefuses(t *testing.T) {
	set := labelled(make([]uint8, 5))
	for _, c := range []struct{ worker, workers int }{{0, 0}, {0, -1}, {0, 6}, {-1, 5}, {5, 5}} {
		if shard, err := Shard(set, c.worker, c.workers); err == nil {
			t.Errorf("worker %d of %d got %v", c.worker, c.workers, shard)
		}
	}
}

func TestEveryEpochHoldsEveryImageOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shard := rapid.SliceOfNDistinct(rapid.IntRange(0, 9999), 1, 40, rapid.ID[int]).Draw(t, "shard")
		size := rapid.IntRange(1, 60).Draw(t, "size")
		batches, err := NewBatches(shard, size, rng.Root(1).Stream(BatchStream(2)))
		if err != nil {
			t.Fatal(err)
		}
		var drawn []int
		for len(drawn) < 3*len(shard) {
			batch := batches.Next()
			if len(batch) != size {
				t.Fatalf("a mini-batch of %d images, want %d", len(batch), size)
			}
			drawn = append(drawn, batch...)
		}
		want := slices.Sorted(slices.Values(shard))
		for epoch := range 3 {
			got := slices.Sorted(slices.Values(drawn[epoch*len(shard) : (epoch+1)*len(shard)]))
			if !slices.Equal(got, want) {
				t.Fatalf("epoch %d drew %v of %v", epoch, got, want)
			}
		}
	})
}

func TestBatchesFollowTheirStream(t *testing.T) {
	shard := make([]int, 500)
	for i := range shard {
		shard[i] = i
	}
	draw := func(root rng.Root, worker int) []int {
		b, err := NewBatches(shard, 0, root.Stream(BatchStream(worker)))
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(b.Next())
	}
	first := draw(1, 0)
	if len(first) != DefaultBatch {
		t.Errorf("size zero gave %d images, want %d", len(first), DefaultBatch)
	}
	if !slices.Equal(first, draw(1, 0)) {
		t.Error("one stream gave two different mini-batches")
	}
	if slices.Equal(first, draw(1, 1)) || slices.Equal(first, draw(2, 0)) {
		t.Error("another worker or seed drew the same mini-batch")
	}
}

func TestNewBatchesRefuses(t *testing.T) {
	stream := rng.Root(1).Stream(BatchStream(0))
	if _, err := NewBatches(nil, 4, stream); err == nil {
		t.Error("took an empty shard")
	}
	if _, err := NewBatches([]int{1}, -1, stream); err == nil {
		t.Error("took a negative size")
	}
}
