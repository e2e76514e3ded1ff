package trioml

import (
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Waiting returns at most limit blocks of the generation at hand that have no
// result, the first of the tensor first.
func (c *Core) Waiting(limit int) (out []trace.Wait) {
	if !c.active {
		return nil
	}
	in := c.inbox(c.gen)
	for b := 0; b < c.blocks && len(out) < limit; b++ {
		if !in.has(b) {
			out = append(out, trace.Wait{Gen: uint32(c.gen), Block: uint32(b), Sent: c.sent[b]})
		}
	}
	return out
}

// event tells of a packet of this worker.
func (c *Core) event(now units.Time, kind trace.Kind, block int) {
	if c.cfg.Trace != nil {
		c.cfg.Trace.Event(&trace.Event{At: now, Kind: kind, Node: c.cfg.Node, Job: c.cfg.Job, Gen: uint32(c.gen), Block: uint32(block), Source: c.cfg.Source})
	}
}
