package job

import (
	"net/netip"
	"slices"

	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// passes reports whether frames of the job may go by a switch: those between its hosts and
// the switches with its programs, on any of the paths of equal cost.
func (j *Job) passes(sw int) bool {
	var ends []int
	for i := range j.Plan.Switches {
		here := func(h plan.Host) bool { return h.Switch == j.Plan.Switches[i].Name }
		if j.hasProgram(i) || slices.ContainsFunc(slices.Concat(j.Members(), j.spares), here) {
			ends = append(ends, i)
		}
	}
	return slices.ContainsFunc(ends, func(from int) bool {
		return slices.ContainsFunc(ends, func(to int) bool { return slices.Contains(ways(j.Plan, from, to), sw) })
	})
}

// ways returns the switches on the paths from a switch to another one, both included. Every
// hop comes closer, so there are no loops.
func ways(p *plan.Plan, from, to int) []int {
	dst := p.Switches[to].Subnet
	if !dst.IsValid() {
		dst = netip.PrefixFrom(p.Switches[to].Router, p.Switches[to].Router.BitLen())
	}
	out := []int{from}
	for i := 0; i < len(out); i++ {
		at := &p.Switches[out[i]]
		k := slices.IndexFunc(at.Routes, func(r plan.Route) bool { return r.Dst == dst })
		if k < 0 {
			continue // it is there
		}
		for _, hop := range at.Routes[k].Hops {
			if next := at.Ports[hop.Port].PeerSwitch; !slices.Contains(out, next) {
				out = append(out, next)
			}
		}
	}
	return out
}

// Way lists the lines that a frame from one host to another passes, in order: the host's, those between switches
// and PFEs, and that to the other host. Of several ways it is the first.
func (j *Job) Way(from, to *plan.Host) []topo.LinkSpec {
	sw, _ := j.Plan.Switch(from.Switch)
	in := &sw.Ports[from.SwitchPort]
	way := []topo.LinkSpec{in.In}
	for {
		out := &sw.Ports[sw.Towards(to).Port]
		if sw.Chassis != nil && in.PFE != out.PFE {
			way = append(way, sw.Chassis.Fabric)
		}
		way = append(way, out.Out)
		if out.PeerHost != plan.None {
			return way
		}
		sw = &j.Plan.Switches[out.PeerSwitch]
		in = &sw.Ports[out.PeerPort]
	}
}
