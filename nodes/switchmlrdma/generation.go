package switchmlrdma

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/reuse"
	"github.com/inalab/inalab/nodes/gradient"
)

// generation is a gradient on its way.
type generation struct {
	number  int
	grad    []float32 // borrowed from Begin until the generation is complete
	q       []int32
	sums    []int32   // of the blocks held
	factors []float64 // scaling factor of each block held

	remaining   int // blocks without a result
	retransmits int // packets
	saturated   int
}

func (c *Core) newGeneration() generation {
	g := generation{number: -1, sums: reuse.Touched[int32](c.held), factors: make([]float64, c.cfg.Sample.Held(c.blocks-1)+1)}
	if !c.cfg.Integers {
		g.q = reuse.Touched[int32](c.held)
	}
	return g
}

func (g *generation) begin(number, blocks int) {
	g.number, g.remaining, g.retransmits, g.saturated = number, blocks, 0, 0
}

// Sums returns the integer sums of the complete generation, borrowed until the
// next begins.
func (c *Core) Sums() []int32 { return c.gen.sums }

// Finish ends the complete generation gen. The tensors go to the function that it
// returns, and the core takes others: the function may be called at any time before the
// generation is Returned, on any goroutine.
func (c *Core) Finish(gen int) (result.Outcome, func(mean []float32)) {
	g, cfg := c.gen, c.cfg
	c.spare.Lend(g)
	next, ok := c.spare.Take()
	if !ok {
		next = c.newGeneration()
	}
	c.gen = next
	c.gen.number = gen
	mean := func(dst []float32) {
		size := cfg.block()
		for i := range (len(g.sums) + size - 1) / size {
			lo, hi := i*size, min((i+1)*size, len(g.sums))
			gradient.MeanBlock(dst[lo:hi], g.sums[lo:hi], g.factors[i], cfg.Workers)
		}
		if cfg.Recorder != nil {
			cfg.Recorder.Sent(gen, g.q)
			cfg.Recorder.Delivered(gen, g.sums)
		}
	}
	return result.Outcome{Retransmits: g.retransmits, Contributed: true, Saturated: g.saturated}, mean
}

// Returned takes the memory of n generations back, whose means have been written.
func (c *Core) Returned(n int) { c.spare.Returned(n) }
