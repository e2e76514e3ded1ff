package train

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/train/data"
)

// InitStream is the name of the stream that [Network.Init] gets, the same for
// all replicas of a job.
const InitStream = "train/init"

// BatchStream is the name of the stream that draws the mini-batches of a
// worker.
func BatchStream(worker int) string { return "train/batches/" + strconv.Itoa(worker) }

// Shard returns the indexes into set of the images that belong to one of
// workers 0..workers-1. The images are dealt like cards, class after class and
// each in its order: the shards are disjoint, hold every image, and differ by
// at most one image in size and in the number of any class. There can be no
// more workers than images.
func Shard(set data.Set, worker, workers int) ([]int, error) {
	if workers < 1 || workers > set.Len() {
		return nil, fmt.Errorf("deal %d images: %d workers are not in 1..%d", set.Len(), workers, set.Len())
	}
	if worker < 0 || worker >= workers {
		return nil, fmt.Errorf("deal %d images: worker %d is not in 0..%d", set.Len(), worker, workers-1)
	}
	shard := make([]int, 0, set.Len()/workers+1)
	dealt := 0
	for class := range data.Classes {
		for i, label := range set.Labels {
			if int(label) != class {
				continue
			}
			if dealt%workers == worker {
				shard = append(shard, i)
			}
			dealt++
		}
	}
	return shard, nil
}

// Batches draws the mini-batches of one worker: in each epoch every image of
// the shard once, in an order drawn from a stream. Where the shard is no
// multiple of the mini-batch, one mini-batch takes the last images of an epoch
// and the first of the next.
type Batches struct {
	shard  []int
	stream *rng.Stream
	order  []int // what is left of the epoch: positions in shard
	batch  []int
}

// NewBatches returns the mini-batches of a shard, of size images each; zero
// means DefaultBatch. It keeps shard. The stream is the worker's own, such as
// that named by [BatchStream].
func NewBatches(shard []int, size int, stream *rng.Stream) (*Batches, error) {
	size = cmp.Or(size, DefaultBatch)
	if size < 0 {
		return nil, fmt.Errorf("draw mini-batches: size %d is negative", size)
	}
	if len(shard) == 0 {
		return nil, fmt.Errorf("draw mini-batches of %d: the shard is empty", size)
	}
	return &Batches{shard: shard, stream: stream, batch: make([]int, size)}, nil
}

// Next returns the next mini-batch, valid until the next call.
func (b *Batches) Next() []int {
	for i := range b.batch {
		if len(b.order) == 0 {
			b.order = b.stream.Perm(len(b.shard))
		}
		b.batch[i] = b.shard[b.order[0]]
		b.order = b.order[1:]
	}
	return b.batch
}
