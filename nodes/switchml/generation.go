package switchml

import (
	"math"

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
	tensors []tensor

	unsent      int // tensors that are not submitted
	remaining   int // blocks without a result
	retransmits int
	saturated   int
}

// tensor is one all-reduce: a part of a generation that is cut into blocks of
// its own.
type tensor struct {
	gen       *generation
	at, n     int // first element, and how many, of the generation's
	first     int // its first block among the generation's factors
	blocks    int
	remaining int // blocks without a result
	submitted bool
}

func (g *generation) complete() bool { return g.unsent == 0 && g.remaining == 0 }

// blank returns a generation that has memory and nothing else.
func (c *Core) blank() *generation {
	g := &generation{sums: reuse.Touched[int32](c.held)}
	if !c.cfg.Integers {
		g.q, g.factors = reuse.Touched[int32](c.held), reuse.Touched[float64](c.heldBlocks)
	}
	return g
}

// newGeneration lays out the tensors of a generation.
func (c *Core) newGeneration(number int) *generation {
	g, ok := c.spare.Take()
	if !ok {
		g = c.blank()
	}
	g.number, g.retransmits, g.saturated, g.remaining = number, 0, 0, 0
	g.tensors = g.tensors[:0]
	at, first, size := 0, 0, c.cfg.block()
	for _, n := range c.cfg.tensors() {
		blocks := (n + size - 1) / size
		g.tensors = append(g.tensors, tensor{gen: g, at: at, n: n, first: first, blocks: blocks, remaining: blocks})
		at, first, g.remaining = at+n, first+blocks, g.remaining+blocks
	}
	g.unsent = len(g.tensors)
	return g
}

// span returns where the values of block b of a tensor, which carries some, are
// held.
func (c *Core) span(t *tensor, b int) (lo, hi int) {
	lo, hi = c.cfg.Sample.Span(b, t.n, c.cfg.block())
	return t.at + lo, t.at + hi
}

// factor returns where the factor of block b of a tensor is.
func (c *Core) factor(t *tensor, b int) *float64 {
	return &t.gen.factors[t.first+c.cfg.Sample.Held(b)]
}

// generationOf returns an open generation, or nil.
func (c *Core) generationOf(number int) *generation {
	for _, g := range c.open {
		if g.number == number {
			return g
		}
	}
	return nil
}

// Complete reports whether all results of generation gen, which is not finished,
// are here.
func (c *Core) Complete(gen int) bool {
	g := c.generationOf(gen)
	return g != nil && g.complete()
}

// Sums returns the integer sums of the oldest generation that is not finished,
// borrowed until the next begins.
func (c *Core) Sums() []int32 { return c.open[0].sums }

// Finish ends the complete generation gen, the oldest there is. The tensors go to
// the function that it returns, and the core takes others: the function may be
// called at any time before the generation is Returned, on any goroutine.
func (c *Core) Finish(gen int) (result.Outcome, func(mean []float32)) {
	g := c.generationOf(gen)
	c.open = c.open[1:]
	c.spare.Lend(g)
	cfg := c.cfg
	mean := func(dst []float32) {
		for i := range g.tensors {
			g.tensors[i].mean(&cfg, dst)
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

// mean writes a tensor's part of the mean gradient.
func (t *tensor) mean(cfg *Config, dst []float32) {
	size := cfg.block()
	end := t.at + cfg.Sample.Elements(t.n, size)
	for i := range (end - t.at + size - 1) / size {
		lo := t.at + i*size
		hi := min(lo+size, end)
		gradient.MeanBlock(dst[lo:hi], t.gen.sums[lo:hi], t.gen.factors[t.first+i], cfg.Workers)
		if cfg.Values.twoPerWord() {
			finite(dst[lo:hi])
		}
	}
}

// finite takes back what rounding to 16 bits carried past the largest float32.
func finite(g []float32) {
	for i, v := range g {
		g[i] = max(-math.MaxFloat32, min(math.MaxFloat32, v))
	}
}
