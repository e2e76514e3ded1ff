package worker

import (
	"fmt"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/train"
	"github.com/inalab/inalab/nodes/train/data"
)

// Images is the data that models train on and are tested with. It is only
// read, so workers in one process share it.
type Images struct {
	Train, Test data.Set

	// Origin, unless it is nil, has replicas of one job copied from the first one. It is written: workers of
	// one goroutine share it.
	Origin *Origin
}

// Origin is the first replica of a job as it was drawn.
type Origin struct {
	hidden int
	seed   rng.Root
	net    *train.Network // nil: there was none yet
}

// network returns a replica as it is before the first step.
func (im *Images) network(cfg *ModelConfig) (*train.Network, error) {
	o := im.Origin
	if o != nil && o.net != nil && o.hidden == cfg.Hidden && o.seed == cfg.Seed {
		return o.net.Replica(), nil
	}
	net, err := train.New(train.Config{Hidden: cfg.Hidden}, im.Train)
	if err != nil {
		return nil, fmt.Errorf("building the model: %w", err)
	}
	net.Init(cfg.Seed.Stream(train.InitStream))
	if o != nil {
		*o = Origin{cfg.Hidden, cfg.Seed, net.Replica()}
	}
	return net, nil
}

// LoadImages decodes the embedded data set.
func LoadImages() (im Images, err error) {
	im.Train, im.Test, err = data.Load()
	return im, err
}

// Stored returns the images as they are, for other processes, which have them from there sooner than by
// decoding.
func (im Images) Stored() []byte { return data.AppendStored(data.AppendStored(nil, im.Train), im.Test) }

// StoredImages reads what [Images.Stored] returned; the bytes are the images' from then on.
func StoredImages(b []byte) (im Images, err error) {
	if im.Train, b, err = data.Stored(b); err == nil {
		im.Test, _, err = data.Stored(b)
	}
	return im, err
}

// ModelConfig describes one worker's replica.
type ModelConfig struct {
	Hidden    int // hidden units; zero means train.DefaultHidden
	MiniBatch int // images of a step; zero means train.DefaultBatch
	Seed      rng.Root

	Replay *ReplayConfig `json:",omitempty"` // in place of all that: sizes and times only
}

// model is a replica with the worker's share of the data. It meets Trainer.
type model struct {
	*train.Network
	batches *train.Batches
	drawn   int // mini-batches so far
	test    data.Set
}

// newModel returns the model, which is a Sharer too where shares are divided anew.
func newModel(cfg ModelConfig, worker, workers int, images Images, reshard bool) (Trainer, error) {
	net, err := images.network(&cfg)
	if err != nil {
		return nil, err
	}
	if reshard {
		shares, err := train.NewShares(images.Train, worker, workers, cfg.MiniBatch, cfg.Seed)
		if err != nil {
			return nil, fmt.Errorf("sharing the images: %w", err)
		}
		return &sharing{model: model{Network: net, test: images.Test}, shares: shares}, nil
	}
	shard, err := train.Shard(images.Train, worker, workers)
	if err != nil {
		return nil, fmt.Errorf("sharding the images: %w", err)
	}
	batches, err := train.NewBatches(shard, cfg.MiniBatch, cfg.Seed.Stream(train.BatchStream(worker)))
	if err != nil {
		return nil, err
	}
	return &model{Network: net, batches: batches, test: images.Test}, nil
}

// Gradient writes the mean gradient of the next mini-batch.
func (m *model) Gradient(grad []float32) float64 { return m.Network.Gradient(grad, m.next()) }

// next draws the next mini-batch.
func (m *model) next() []int {
	m.drawn++
	return m.batches.Next()
}

// Accuracy returns the share of test images that the model gets right.
func (m *model) Accuracy() float64 { return m.Network.Accuracy(m.test) }

// SetState puts a State in place of the model, and draws the mini-batches that this
// worker would have drawn by then.
func (m *model) SetState(gen int, state []float32) {
	m.Network.SetState(state)
	for m.drawn < gen {
		m.next()
	}
}
