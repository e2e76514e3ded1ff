package xagg

import (
	wire "github.com/inalab/inalab/internal/wire/xagg"
)

// Group returns the gradient ids that an entry of the check queue asks about: those of its group up
// to its own, as 2048 asks about 1025 to 2048 (§IV-D).
func (c Check) Group() (from, to uint32) {
	if c.Gradient == 0 {
		return 1, 0
	}
	return (c.Gradient-1)/wire.Group*wire.Group + 1, c.Gradient
}

// Lacks reports whether an element still needs the packet of a check's host and iteration. One that
// has gone on to a later iteration within the window does not. One from outside it is from before, as
// for packets.
func (e *Element) Lacks(c Check, w Window) bool {
	if e.Bitmap == 0 || e.Iteration == c.Iteration {
		return e.Bitmap&c.Host == 0
	}
	return !w.has(e.Iteration) || int16(e.Iteration-c.Iteration) < 0
}

// Lost appends the gradient ids of a check's group whose packet did not come from its host (the
// Lost List of §IV-D).
func (a *Aggregator) Lost(list []uint32, c Check) []uint32 {
	t := &a.tables[0]
	if c.Flags.Has(wire.Result) {
		t = &a.tables[1]
	}
	from, to := c.Group()
	for g := from; g <= to && int64(g) <= int64(len(t.elements)); g++ {
		if t.elements[g-1].Lacks(c, a.cfg.Window) {
			list = append(list, g)
		}
	}
	return list
}
