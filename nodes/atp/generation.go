package atp

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
	sums    []int32           // of the blocks held; 0 where they came as floats
	floats  []gradient.Floats // sums (§3.8)
	asked   []gradient.Floats // what was sent so, for a recorder
	tensors []tensor

	remaining   int // packets without parameters
	retransmits int
	saturated   int
	joined      bool // this worker was not there when it began: some parameters may be missing
}

// tensor is a part of a generation that is cut into packets of its own.
type tensor struct {
	gen    *generation
	at, n  int // first element, and how many, of the generation's
	blocks int
	before int // blocks of the generation's tensors before it
	parts  int // of these
}

// part is a cut of a tensor: blocks from to to-1 of it.
type part struct {
	*tensor
	from, to int
}

// blank returns a generation that has memory and nothing else.
func (c *Core) blank() *generation {
	g := &generation{sums: reuse.Touched[int32](c.held)}
	if !c.cfg.Integers {
		g.q = reuse.Touched[int32](c.held)
	}
	return g
}

// newGeneration lays out the tensors of a generation.
func (c *Core) newGeneration(number int) *generation {
	g, ok := c.spare.Take()
	switch {
	case !ok:
		g = c.blank()
	case len(g.floats) > 0 || g.joined:
		clear(g.sums)
	}
	g.number, g.retransmits, g.saturated, g.remaining = number, 0, 0, 0
	g.tensors, g.floats, g.asked, g.joined = g.tensors[:0], nil, nil, false
	c.layOut(g)
	return g
}

// layOut divides a generation into tensors.
func (c *Core) layOut(g *generation) {
	at, parts := 0, 0
	for _, n := range c.cfg.tensors() {
		blocks := (n + block - 1) / block
		g.tensors = append(g.tensors, tensor{gen: g, at: at, n: n, blocks: blocks, before: g.remaining, parts: parts})
		at, parts, g.remaining = at+n, parts+(blocks+c.cut-1)/c.cut, g.remaining+blocks
	}
}

// shareAll hands out the tensors of a generation, from the last to the first.
func (c *Core) shareAll(g *generation) {
	for k := len(g.tensors) - 1; k >= 0; k-- {
		c.share(&g.tensors[k])
	}
}

// share hands the parts of a tensor to streams: to the thread that was given the fewest values so
// far (§4), of which a part goes to the server of its number.
func (c *Core) share(t *tensor) {
	for k, from := 0, 0; from < t.blocks; k, from = k+1, from+c.cut {
		to := min(from+c.cut, t.blocks)
		thread := leastLoaded(c.loads)
		c.loads[thread] += uint64(min(to*block, t.n) - from*block)
		n := len(c.cfg.Servers)
		s := &c.streams[thread*n+(t.parts+k)%n]
		s.parts = append(s.parts, part{t, from, to})
	}
}

// leastLoaded returns the first of the least.
func leastLoaded(loads []uint64) (least int) {
	for i, n := range loads {
		if n < loads[least] {
			least = i
		}
	}
	return least
}

// span returns where the values of block b of a tensor, which carries some, are held.
func (c *Core) span(t *tensor, b int) (lo, hi int) {
	lo, hi = c.cfg.Sample.Span(b, t.n, block)
	return t.at + lo, t.at + hi
}

// quantise scales a block, which is done once: what is sent again is the same.
func (c *Core) quantise(t *tensor, b int) {
	if c.cfg.Integers || !c.cfg.Sample.Carries(b) {
		return
	}
	lo, hi := c.span(t, b)
	if n := c.cfg.Scaling.Quantise(t.gen.q[lo:hi], t.gen.grad[lo:hi]); n > 0 {
		t.gen.saturated += n
		c.count.Add(CountSaturated, uint64(n))
	}
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

// Complete reports whether all results of generation gen, which is not finished, are here.
func (c *Core) Complete(gen int) bool {
	g := c.generationOf(gen)
	return g != nil && g.remaining == 0
}

// Sums returns the integer sums of the oldest generation that is not finished, borrowed until the
// next begins.
func (c *Core) Sums() []int32 { return c.open[0].sums }

// Finish ends the complete generation gen, the oldest there is. The tensors go to the function
// that it returns, and the core takes others: the function may be called at any time before the
// generation is Returned, on any goroutine.
func (c *Core) Finish(gen int) (result.Outcome, func(mean []float32)) {
	g := c.generationOf(gen)
	c.open = c.open[1:]
	c.spare.Lend(g)
	cfg := c.cfg
	mean := func(dst []float32) {
		if g.joined {
			return // the sums are not whole, and what was sent is recorded
		}
		cfg.Scaling.Mean(dst[:len(g.sums)], g.sums, cfg.Workers)
		for _, f := range g.floats {
			mean(dst, f, cfg.Workers)
		}
		if cfg.Recorder != nil {
			g.record(cfg.Recorder)
		}
	}
	return result.Outcome{Retransmits: g.retransmits, Contributed: true, Saturated: g.saturated}, mean
}

// Returned takes the memory of n generations back, whose means have been written.
func (c *Core) Returned(n int) { c.spare.Returned(n) }
