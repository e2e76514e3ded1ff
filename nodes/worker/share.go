package worker

import (
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train"
)

// share settles, for the generation that begins, who is absent and how long the
// compute so takes. The function that it returns tells the trainer, inside a Compute.
func (l *Loop) share() func() {
	roster, ok := l.core.(Roster)
	if l.cfg.Reshard == 0 || !ok {
		return func() {}
	}
	gen, absent := l.gen, roster.Absent(l.gen)
	l.nominal = l.cfg.stretched(absent.Len())
	sharer, ok := l.trainer.(Sharer)
	if !ok {
		return func() {}
	}
	return func() { sharer.Share(gen, absent) }
}

// stretched returns the compute time where so many workers are absent. One of them
// that is back already keeps the pace of the others: were it ahead of them by more
// than the router's patience, their blocks would be sent without them.
func (c *LoopConfig) stretched(absent int) units.Duration {
	if absent >= c.Reshard { // everybody is back already
		return c.Compute
	}
	return c.Compute * units.Duration(c.Reshard) / units.Duration(c.Reshard-absent)
}

// sharing is a model whose mini-batches are shares of the whole batch. It meets
// Sharer.
type sharing struct {
	model
	shares *train.Shares
	gen    int
	absent trace.Mask
}

// Share says what the next gradient is of.
func (s *sharing) Share(gen int, absent trace.Mask) { s.gen, s.absent = gen, absent }

// Gradient writes the mean gradient of this worker's share, weighed: see train.Shares.
func (s *sharing) Gradient(grad []float32) float64 {
	share, weight := s.shares.Draw(s.gen, s.absent)
	loss := s.Network.Gradient(grad, share)
	if w := float32(weight); w != 1 {
		for i := range grad {
			grad[i] *= w
		}
	}
	return loss
}

// SetState puts a State in place of the model. Shares are drawn by generation anyway.
func (s *sharing) SetState(_ int, state []float32) { s.Network.SetState(state) }
