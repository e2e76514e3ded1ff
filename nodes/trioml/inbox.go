package trioml

import "github.com/inalab/inalab/internal/reuse"

// inbox holds the results of one generation as they come in.
type inbox struct {
	gen      int
	sums     []int32
	q        []int32 // room for what this worker sends
	workers  []uint8 // src_cnt of each block's result; 0: not here yet
	missing  int     // blocks without a result
	degraded int
}

func (in *inbox) has(block int) bool { return in.workers[block] != 0 }

// inbox returns the results of generation gen, which is less than the
// length of the ring ahead of the current one.
func (c *Core) inbox(gen int) *inbox {
	at := &c.ring[gen%len(c.ring)]
	if *at != nil && (*at).gen == gen {
		return *at
	}
	in := c.empty()
	in.gen, in.missing, in.degraded = gen, c.blocks, 0
	*at = in
	return in
}

// blank returns an inbox that has memory and nothing else.
func (c *Core) blank() *inbox {
	return &inbox{sums: reuse.Touched[int32](c.held), q: reuse.Touched[int32](c.held), workers: make([]uint8, c.blocks)}
}

// empty returns an inbox without results; its sums are of any value.
func (c *Core) empty() *inbox {
	in, ok := c.spare.Take()
	if !ok {
		return c.blank()
	}
	clear(in.workers)
	return in
}

// release takes the memory of a generation's results back.
func (c *Core) release(gen int) {
	at := &c.ring[(gen+len(c.ring))%len(c.ring)]
	if *at != nil && (*at).gen == gen {
		c.spare.Free(*at)
		*at = nil
	}
}
