// Package gentest draws topologies of every generator for property tests.
package gentest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/topo/gen"
)

// Draw draws a generator and parameters that it takes.
func Draw(t *rapid.T) (name string, p gen.Params) {
	g := rapid.SampledFrom(gen.All()).Draw(t, "generator")
	draw := func(count string, most int) int {
		if !slices.Contains(g.Takes, count) {
			return 0
		}
		return rapid.IntRange(1, most).Draw(t, count)
	}
	p = gen.Params{
		Leaves: draw("leaves", 5), Spines: draw("spines", 4), HostsPerLeaf: draw("hosts-per-leaf", 4),
		Racks: draw("racks", 4), Depth: draw("depth", 3), FanOut: draw("fan-out", 3),
	}
	if p.HostsPerLeaf == 0 {
		p.Hosts = rapid.IntRange(1, 4).Draw(t, "hosts of a switch") * switches(g.Name, p)
	}
	return g.Name, p
}

// switches returns how many switches of a topology have hosts.
func switches(name string, p gen.Params) int {
	if name == "dumbbell" {
		return 2
	}
	n := max(1, p.Leaves, p.Racks)
	for range p.Depth - 1 {
		n *= p.FanOut
	}
	return n
}
