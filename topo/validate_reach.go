package topo

// checkConnected demands that every node has a link and, where all links are
// sound, that one walk reaches them all.
func (c *checker) checkConnected() {
	whole := true
	for i, n := range c.g.Nodes {
		c.at = Fault{Node: i, Link: -1, Apart: true}
		if !c.linked[i] && c.nodes[n.Name] == i {
			c.fault("node %s: has no link", n.Name)
			whole = false
		}
	}
	// After a link or a name that is wrong, "unreachable" would only repeat it.
	if !whole || c.broken || len(c.nodes) < len(c.g.Nodes) || len(c.g.Nodes) == 0 {
		return
	}
	seen := c.reachable(0)
	for i, n := range c.g.Nodes {
		c.at = Fault{Node: i, Link: -1, Apart: true}
		if !seen[i] {
			c.fault("node %s: has no path to %s", n.Name, c.g.Nodes[0].Name)
		}
	}
}

func (c *checker) reachable(from int) []bool {
	seen := make([]bool, len(c.g.Nodes))
	seen[from] = true
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range c.neighbor[queue[0]] {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return seen
}

// checkCounts holds the graph to what the address plan has room for.
func (c *checker) checkCounts() {
	all, hostSwitches, transit := 0, 0, 0
	for i, n := range c.g.Nodes {
		if n.Kind == Host {
			all++
		}
		if n.Kind != Switch {
			continue
		}
		hosts := 0
		for _, peer := range c.neighbor[i] {
			if c.g.Nodes[peer].Kind == Host {
				hosts++
			}
		}
		if hosts > MaxHostsPerSwitch {
			c.fault("switch %s: has %d hosts: at most %d are allowed", n.Name, hosts, MaxHostsPerSwitch)
		}
		if hosts > 0 {
			hostSwitches++
		} else {
			transit++
		}
	}
	if all > MaxHosts {
		c.fault("topology has %d hosts: at most %d are allowed", all, MaxHosts)
	}
	if hostSwitches > MaxHostSwitches {
		c.fault("topology has %d switches with hosts: at most %d are allowed", hostSwitches, MaxHostSwitches)
	}
	if transit > MaxTransitSwitches {
		c.fault("topology has %d switches without hosts: at most %d are allowed", transit, MaxTransitSwitches)
	}
}
