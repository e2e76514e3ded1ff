package capture

import (
	"net/netip"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/topo/plan"
)

// Tap is a point at which frames are seen.
type Tap struct {
	Node   string `json:"node"`
	Iface  string `json:"iface"`            // unique on the node
	Port   string `json:"port,omitempty"`   // its name in the topology
	Engine string `json:"engine,omitempty"` // of events about frames that arrive: "tor", "mx480/pfe1"
	Peer   string `json:"peer,omitempty"`   // node at the other end of the wire
}

// Name returns the name of the tap in captures.
func (t Tap) Name() string { return t.Node + ":" + t.Iface }

// Source is who sends for a job under a number.
type Source struct {
	Job  uint8      `json:"job"`
	Addr netip.Addr `json:"addr"`
	ID   uint8      `json:"id"` // in events and their masks
}

// Lab is what a capture knows of a lab.
type Lab struct {
	Taps    []Tap    `json:"taps"`
	Sources []Source `json:"sources,omitempty"`
}

// PlanLab returns a tap for each port of a plan's switches, and one for each host.
func PlanLab(p *plan.Plan) Lab {
	var out Lab
	for i := range p.Switches {
		sw := &p.Switches[i]
		for _, port := range sw.Ports {
			if port.Wired {
				out.Taps = append(out.Taps, Tap{Node: sw.Name, Iface: port.Iface, Port: port.Name, Engine: engineOf(sw, port), Peer: port.Peer.Node})
			}
		}
	}
	for _, h := range p.Hosts {
		out.Taps = append(out.Taps, Tap{Node: h.Name, Iface: h.Iface, Peer: h.Switch})
	}
	return out
}

// engineOf names the engine behind a port as events do.
func engineOf(sw *plan.Switch, port plan.Port) string {
	if sw.Chassis == nil {
		return sw.Name
	}
	return sw.Name + "/" + sw.Chassis.PFEs[port.PFE].Name
}

// SetLab returns the lab of jobs that share one.
func SetLab(s *job.Set) Lab {
	out := PlanLab(s.Plan())
	for _, j := range s.Jobs {
		for i, h := range j.Hosts() {
			out.Sources = append(out.Sources, Source{Job: j.ID, Addr: h.Addr.Addr(), ID: uint8(i)})
		}
	}
	return out
}

// Wires returns the lab with one tap for each wire: that of a switch, of two the one that
// comes first.
func (l Lab) Wires() Lab {
	switches := map[string]int{} // place of the first tap; looked up
	for i, t := range l.Taps {
		if _, known := switches[t.Node]; t.Engine != "" && !known {
			switches[t.Node] = i
		}
	}
	out := Lab{Sources: l.Sources}
	for _, t := range l.Taps {
		own, is := switches[t.Node]
		peer, between := switches[t.Peer]
		if is && (!between || own < peer) {
			out.Taps = append(out.Taps, t)
		}
	}
	return out
}

// Index returns the place of a tap; ok is false where there is none.
func (l Lab) Index(node, iface string) (i int, ok bool) {
	i = slices.IndexFunc(l.Taps, func(t Tap) bool { return t.Node == node && t.Iface == iface })
	return i, i >= 0
}
