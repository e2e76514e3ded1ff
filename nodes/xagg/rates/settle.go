package rates

import (
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// report tells the parent of a server what the children have come to.
func (n *Node) report(joins bool) {
	if len(n.children) == 0 {
		return
	}
	phase, iteration := n.together()
	demand := n.outlet(iteration)
	if n.lingers && phase != Idle {
		phase, demand = Sending, min(n.cfg.Egress, demand+n.own)
	}
	n.up.say(phase, iteration, demand, joins)
}

// together returns the phase of all children and the newest iteration of one.
func (n *Node) together() (Phase, uint16) {
	newest, heard := uint16(0), false
	for _, c := range n.children {
		if c.phase != Idle && (!heard || later(c.iteration, newest)) {
			newest, heard = c.iteration, true
		}
	}
	if !heard {
		return Idle, n.up.iteration
	}
	for _, c := range n.children {
		if c.phase != Ended || c.iteration != newest {
			return Sending, newest
		}
	}
	return Ended, newest
}

// outlet returns the rate at which sums would leave, given the egress bandwidth alone: nothing
// until all children have begun.
func (n *Node) outlet(iteration uint16) units.Rate {
	var demands []units.Rate
	for _, c := range n.children {
		if c.phase == Idle || c.iteration != iteration {
			return 0
		}
		if c.phase == Sending {
			demands = append(demands, c.limit())
		}
	}
	if len(demands) == 0 {
		return 0
	}
	return min(n.cfg.Egress, slices.Min(Allocate(n.cfg.Ingress, -1, demands)))
}

// settle brings rates, confirmations and messages up to date. Reductions go first.
func (n *Node) settle(now units.Time) {
	n.admit()
	egress := n.egress()
	targets := n.targets(egress)
	for i, c := range n.children {
		if targets[i] < c.rate {
			c.give(targets[i])
		}
	}
	for i, c := range n.children {
		n.raise(c, targets[i], egress)
		if c.answers != c.seq && c.answerable() {
			c.give(c.rate)
		}
	}
	if n.keeps() {
		n.up.keep()
	}
	n.emit(now)
}

// admit lets children in for which the parent has answered. The root answers for itself.
func (n *Node) admit() {
	for _, c := range n.children {
		if c.phase == Sending && !c.admitted {
			c.admitted = n.up.to == 0 || !newer(c.join, n.up.heard)
		}
	}
}

// egress returns the bound of the least rate; negative where nothing is bound:
// before all children have begun, and at a root without a bandwidth towards the workers.
func (n *Node) egress() units.Rate {
	_, newest := n.together()
	for _, c := range n.children {
		if !c.begun(newest) {
			return -1
		}
	}
	switch {
	case n.up.to != 0:
		return n.Rate()
	case n.cfg.Egress > 0:
		return n.cfg.Egress
	}
	return -1
}

// targets returns the rates of the allocation.
func (n *Node) targets(egress units.Rate) []units.Rate {
	var at []int
	var demands []units.Rate
	for i, c := range n.children {
		if c.sends() {
			at, demands = append(at, i), append(demands, c.limit())
		}
	}
	targets := make([]units.Rate, len(n.children))
	for k, rate := range Allocate(n.cfg.Ingress, egress, demands) {
		targets[at[k]] = rate
	}
	return targets
}

// raise gives a child as much of its target as is free now: whatever the children do with the
// notices on their way, both inequalities hold.
func (n *Node) raise(c *child, target, egress units.Rate) {
	free := n.cfg.Ingress
	slower := egress < 0 // another child keeps the least rate within the egress bandwidth
	for _, other := range n.children {
		free -= other.peak
		slower = slower || other != c && other.sends() && other.peak <= egress
	}
	rate := min(target, c.peak+max(free, 0))
	if !slower {
		rate = min(rate, egress)
	}
	if rate > c.rate {
		c.give(rate)
	}
}

// keeps reports whether the node keeps to the newest notice of its parent: a worker always, a server
// when the least rate of its children does.
func (n *Node) keeps() bool {
	egress := n.egress()
	if egress < 0 {
		return true
	}
	least, found := n.least()
	return !found || least <= egress
}

// least returns the most that the slowest of the children that send could be sending at.
func (n *Node) least() (rate units.Rate, found bool) {
	for _, c := range n.children {
		if c.sends() && (!found || c.peak < rate) {
			rate, found = c.peak, true
		}
	}
	return rate, found
}

// emit makes messages of what is owed.
func (n *Node) emit(now units.Time) {
	if n.up.owed && n.up.to != 0 {
		n.sends = append(n.sends, n.up.request(now, n.cfg.Resend))
	}
	n.up.owed = false
	for _, c := range n.children {
		if c.owed {
			n.sends = append(n.sends, c.send(now, n.cfg.Resend))
		}
	}
}
