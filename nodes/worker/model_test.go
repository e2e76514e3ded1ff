package worker

import (
	"slices"
	"testing"
)

// A worker that is given a model computes on with the mini-batch that it would have
// drawn, whether it shares the work of others or not.
func TestModelGoesOnWithItsMiniBatches(t *testing.T) {
	images, err := LoadImages()
	if err != nil {
		t.Fatal(err)
	}
	for name, reshard := range map[string]bool{"own mini-batches": false, "shares": true} {
		build := func() Trainer {
			m, err := newModel(ModelConfig{Hidden: 3, MiniBatch: 4, Seed: 7}, 1, 3, images, reshard)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		old, grad := build(), []float32(nil)
		mean := make([]float32, old.Params())
		step := func(tr Trainer, gen int) []float32 {
			if s, ok := tr.(Sharer); ok {
				s.Share(gen, [4]uint64{})
			}
			grad = make([]float32, tr.Params())
			tr.Gradient(grad)
			return grad
		}
		for gen := range 3 {
			copy(mean, step(old, gen))
			old.Apply(mean)
		}
		late := build()
		late.(Checkpointer).SetState(3, old.(Checkpointer).State())
		if a, b := step(old, 3), step(late, 3); !slices.Equal(a, b) {
			t.Errorf("%s: the gradients differ", name)
		}
	}
}

// Replicas of one origin are what each would have been by itself, of their own memory.
func TestReplicasOfAnOrigin(t *testing.T) {
	images, err := LoadImages()
	if err != nil {
		t.Fatal(err)
	}
	shared := images
	shared.Origin = new(Origin)
	for _, cfg := range []ModelConfig{{Hidden: 3, MiniBatch: 4, Seed: 7}, {Hidden: 3, MiniBatch: 4, Seed: 7}, {Hidden: 3, MiniBatch: 4, Seed: 8}, {Hidden: 2, MiniBatch: 4, Seed: 8}} {
		after := func(im Images) []float32 {
			m, err := newModel(cfg, 1, 3, im, false)
			if err != nil {
				t.Fatal(err)
			}
			grad := make([]float32, m.Params())
			for range 2 {
				m.Gradient(grad)
				m.Apply(grad)
			}
			return m.(Checkpointer).State()
		}
		if !slices.Equal(after(shared), after(images)) {
			t.Errorf("%+v: the models differ", cfg)
		}
	}
}
