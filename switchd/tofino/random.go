package tofino

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// A pass takes its random numbers from the stream of its port: in the ingress that of the port
// that the packet came by, in the egress that of the port that it leaves by. So what one
// port's packets draw does not depend on the traffic of another. A chip has two generators a
// stage (fit.StageRandom) that never stand still (assumed), so that their numbers depend on the time
// alone. They also do not depend on other packets, but no run can be repeated.

// random reports whether a program takes random numbers.
func random(p *fit.Program) bool {
	return slices.ContainsFunc(p.Tables, func(t fit.Table) bool { return tableOps(&t, ir.Random) > 0 })
}

// tableOps returns how many operations of a kind a table has, in all its copies.
func tableOps(t *fit.Table, kind ir.OpKind) (n int) {
	for i := range t.Actions {
		for _, o := range t.Actions[i].Do {
			if o.Kind == kind {
				n += t.Copies
			}
		}
	}
	return n
}

// Reseed begins the random numbers of all ports anew.
func (c *Chip) Reseed(seed rng.Root) {
	for _, p := range c.order {
		for side := range p.random {
			c.reseed(p, fit.Side(side), seed)
		}
	}
}

// ReseedPort begins the random numbers of one port anew: of passes through the ingress
// that it leads to, or through its egress.
func (c *Chip) ReseedPort(dev DevPort, side fit.Side, seed rng.Root) error {
	if err := c.checkPort(dev); err != nil {
		return fmt.Errorf("random numbers: %w", err)
	}
	c.reseed(c.ports[dev], side, seed)
	return nil
}

func (c *Chip) reseed(p *port, side fit.Side, seed rng.Root) {
	p.random[side] = seed.Stream(fmt.Sprintf("%s/port%d/%v/random", c.cfg.Node, p.dev, side))
}

// draw lets the next pass of a pipe take the random numbers of a port.
func (c *Chip) draw(pipe int, dev DevPort, side fit.Side) {
	if c.random {
		c.pipes[pipe].Reseed(c.ports[dev].random[side])
	}
}
