package topo

// checkChassis demands that every port of n belongs to exactly one PFE.
func (c *checker) checkChassis(n *Node) {
	ch := n.Chassis
	if len(ch.PFEs) == 0 {
		c.fault("switch %s: chassis has no pfe", n.Name)
	} else if ch.Top < 0 || ch.Top >= len(ch.PFEs) {
		c.fault("switch %s: chassis: top-level pfe index %d: must be 0..%d", n.Name, ch.Top, len(ch.PFEs)-1)
	}
	for _, err := range unjoin(ch.Fabric.Validate()) {
		c.fault("switch %s: fabric: %w", n.Name, err)
	}
	c.checkPFEs(n)

	const unclaimed = -1
	owner := make(map[string]int, len(n.Ports)) // port -> index of its PFE
	for _, p := range n.Ports {
		owner[p] = unclaimed
	}
	for i, pfe := range ch.PFEs {
		for _, p := range pfe.Ports {
			first, known := owner[p]
			switch {
			case !known:
				c.fault("switch %s: %s has port %q, which the switch has not", n.Name, pfe.Name, p)
			case first != unclaimed:
				c.fault("switch %s: port %s is on %s and on %s", n.Name, p, ch.PFEs[first].Name, pfe.Name)
			default:
				owner[p] = i
			}
		}
	}
	for _, p := range n.Ports {
		if owner[p] == unclaimed {
			c.fault("switch %s: port %s is on no pfe", n.Name, p)
		}
	}
}

func (c *checker) checkPFEs(n *Node) {
	type place struct{ fpc, index int }
	names, places := make(map[string]bool), make(map[place]string)
	for _, pfe := range n.Chassis.PFEs {
		if why := badName(pfe.Name); why != "" {
			c.fault("switch %s: pfe %q: name %s", n.Name, pfe.Name, why)
		} else if names[pfe.Name] {
			c.fault("switch %s: pfe name %s is used twice", n.Name, pfe.Name)
		}
		names[pfe.Name] = true

		at := place{pfe.FPC, pfe.Index}
		if at.fpc < 0 || at.index < 0 {
			c.fault("switch %s: %s: card %d, engine %d: both must be zero or more", n.Name, pfe.Name, at.fpc, at.index)
		} else if first, taken := places[at]; taken {
			c.fault("switch %s: %s and %s are both engine %d of card %d", n.Name, first, pfe.Name, at.index, at.fpc)
		} else {
			places[at] = pfe.Name
		}
	}
}
