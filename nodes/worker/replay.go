package worker

// ReplayConfig describes a worker that replays a model's sizes and times and
// trains nothing.
type ReplayConfig struct {
	Elements int // of the gradient, those that are held
}

// replay is a trainer without a model: it gives gradients that differ between
// workers, iterations and elements.
type replay struct {
	elements int
	state    uint32
}

func newReplay(cfg ReplayConfig, worker int) *replay {
	return &replay{elements: cfg.Elements, state: uint32(worker)*2654435761 + 1}
}

// Params returns the length of the gradient.
func (r *replay) Params() int { return r.elements }

// Gradient writes values in (-1, 1), by a linear congruential generator
// (multiplier and increment of Numerical Recipes, 2nd edition, section 7.1).
func (r *replay) Gradient(grad []float32) float64 {
	x := r.state
	for i := range grad {
		x = x*1664525 + 1013904223
		grad[i] = float32(int32(x)>>8) / (1 << 23)
	}
	r.state = x
	return 0
}

// Apply does nothing.
func (r *replay) Apply([]float32) {}

// Accuracy is that of no model.
func (r *replay) Accuracy() float64 { return 0 }
