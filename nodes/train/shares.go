package train

import (
	"fmt"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/train/data"
)

// Shares draws what one worker computes on where others may be out of service:
// its own mini-batch, and a part of theirs.
//
// The mini-batch of a worker in an iteration is the same whoever draws it, from
// that worker's shard and by its stream ([Shard], [BatchStream]). The images of the
// workers that are out of service are dealt like cards to those that are present,
// to another one first in each iteration. So the present workers together use
// every image of the whole batch once, and their shares differ by one image at most.
//
// Shares of different sizes have different weights in the mean over the whole batch.
// Who adds up gradients divides the sum by the number of workers p that are in it,
// so a worker that has s of B images multiplies its mean gradient by s p / B before
// it hands it over:
//
//	1/p sum (s p / B) mean over s images  =  1/B sum over B images
//
// Where nobody is out of service that factor is 1.
type Shares struct {
	worker  int
	batches []*Batches // of all workers
	drawn   int        // iterations
	share   []int
}

// NewShares returns the shares of worker, one of workers 0..workers-1, in mini-batches
// of size images for each of them; zero means DefaultBatch. All workers of a job
// have the same root seed.
func NewShares(set data.Set, worker, workers, size int, root rng.Root) (*Shares, error) {
	s := &Shares{worker: worker}
	if worker < 0 || worker >= workers {
		return nil, fmt.Errorf("share mini-batches: worker %d is not in 0..%d", worker, workers-1)
	}
	for w := range workers {
		shard, err := Shard(set, w, workers)
		if err != nil {
			return nil, err
		}
		b, err := NewBatches(shard, size, root.Stream(BatchStream(w)))
		if err != nil {
			return nil, err
		}
		s.batches = append(s.batches, b)
	}
	return s, nil
}

// Draw returns the share of an iteration, and its weight; absent holds the workers
// that are out of service. Iterations are drawn in order, from 0 on; some may be
// left out. The share is valid until the next call.
//
// A worker that is itself absent, but draws all the same, since it is back before
// the others give it back its part, has its own mini-batch with weight 1: its images
// are then used twice, and the sum is still a mean, of a batch that is larger by them.
func (s *Shares) Draw(iteration int, absent trace.Mask) (share []int, weight float64) {
	if iteration < s.drawn {
		panic(fmt.Sprintf("drawing iteration %d after iteration %d", iteration, s.drawn-1))
	}
	for ; s.drawn <= iteration; s.drawn++ {
		for _, b := range s.batches {
			b.Next()
		}
	}
	s.share = append(s.share[:0], s.batches[s.worker].batch...)
	if absent.Has(uint8(s.worker)) {
		return s.share, 1
	}
	present, rank := s.count(absent)
	at := iteration // who is dealt to next is number at mod present
	for w, b := range s.batches {
		if !absent.Has(uint8(w)) {
			continue
		}
		for _, image := range b.batch {
			if at%present == rank {
				s.share = append(s.share, image)
			}
			at++
		}
	}
	whole := len(s.batches) * len(s.batches[s.worker].batch)
	return s.share, float64(len(s.share)*present) / float64(whole)
}

// count returns the number of present workers, and of those before this one.
func (s *Shares) count(absent trace.Mask) (present, rank int) {
	for w := range s.batches {
		if absent.Has(uint8(w)) {
			continue
		}
		if w < s.worker {
			rank++
		}
		present++
	}
	return present, rank
}
