package topo

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/units"
)

// pair is two hosts on one switch with a spare port, the smallest graph that
// can go wrong in most ways.
func pair() *Graph {
	return &Graph{
		Name: "pair",
		Nodes: []Node{
			{Name: "tor", Kind: Switch, Ports: []string{"p0", "p1", "p2"}},
			{Name: "h0", Kind: Host, Ports: []string{"eth0"}},
			{Name: "h1", Kind: Host, Ports: []string{"eth0"}},
		},
		Links: []Link{
			{A: End{"h0", "eth0"}, B: End{"tor", "p0"}},
			{A: End{"h1", "eth0"}, B: End{"tor", "p1"}},
		},
	}
}

func chassis(g *Graph) *Chassis {
	c := &Chassis{PFEs: []PFE{
		{Name: "pfe1", FPC: 0, Index: 0, Ports: []string{"p0", "p1"}},
		{Name: "pfe2", FPC: 0, Index: 1, Ports: []string{"p2"}},
	}}
	g.Nodes[0].Chassis = c
	return c
}

func TestValidateAccepts(t *testing.T) {
	cases := map[string]func(*Graph){
		"as it stands":    func(*Graph) {},
		"smallest mtu":    func(g *Graph) { g.MTU = MinMTU },
		"largest mtu":     func(g *Graph) { g.MTU = MaxMTU },
		"no name":         func(g *Graph) { g.Name = "" },
		"longest name":    func(g *Graph) { g.Nodes[0].Ports[2] = strings.Repeat("p", MaxNameLen) },
		"chassis":         func(g *Graph) { chassis(g) },
		"certain loss":    func(g *Graph) { g.Links[0].AtoB.Loss = 1 },
		"jitter as delay": func(g *Graph) { g.Links[0].AtoB = LinkSpec{Delay: 5, Jitter: 5} },
		"all impairments": func(g *Graph) { g.Links[0].BtoA = LinkSpec{Rate: 1, Loss: 0.5, LossEvery: 1, Queue: 1} },
		"all mishaps": func(g *Graph) {
			g.Links[0].BtoA = LinkSpec{Delay: 5, Jitter: 5, Distribution: Pareto, Reorder: 1, ReorderGap: 5, Duplicate: 1, Corrupt: 1, Script: "1/5:3,4 2/0:1"}
		},
		"links from tor":   func(g *Graph) { g.Links[0].A, g.Links[0].B = g.Links[0].B, g.Links[0].A },
		"switch no. three": func(g *Graph) { addSwitch(g, "spine0", 2) },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			g := pair()
			change(g)
			if err := g.Validate(); err != nil {
				t.Errorf("Validate() = %v, want nil", err)
			}
		})
	}
}

// addSwitch hangs a switch without hosts on the spare port of tor.
func addSwitch(g *Graph, name string, tier int) {
	g.Nodes = append(g.Nodes, Node{Name: name, Kind: Switch, Ports: []string{"p0"}, Tier: tier})
	g.Links = append(g.Links, Link{A: End{"tor", "p2"}, B: End{name, "p0"}})
}

func TestValidateRefuses(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Graph)
		want   []string // every line of the error
	}{
		{"mtu too small", func(g *Graph) { g.MTU = 67 },
			[]string{"mtu 67: must be 68..65535 bytes, or absent for 9000"}},
		{"mtu too large", func(g *Graph) { g.MTU = 65536 },
			[]string{"mtu 65536: must be 68..65535 bytes, or absent for 9000"}},
		{"topology name", func(g *Graph) { g.Name = "My Rack" },
			[]string{`topology "My Rack": name holds 'M': allowed are a-z, 0-9 and '-'`}},
		{"empty", func(g *Graph) { *g = Graph{} },
			[]string{"topology has no hosts: add at least one"}},

		{"node name empty", func(g *Graph) { g.Nodes = append(g.Nodes, Node{Kind: Switch}) },
			[]string{`node "": name is empty`, "node : has no link"}},
		{"node name too long", func(g *Graph) { addSwitch(g, strings.Repeat("x", 33), 1) },
			[]string{`node "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": name has 33 bytes: at most 32 are allowed`}},
		{"node name of a flag", func(g *Graph) { addSwitch(g, "-x", 1) },
			[]string{`node "-x": name starts with '-', which commands would read as a flag`}},
		{"node name with a slash", func(g *Graph) { addSwitch(g, "../x", 1) },
			[]string{`node "../x": name holds '.': allowed are a-z, 0-9 and '-'`}},
		{"duplicate node", func(g *Graph) { g.Nodes = append(g.Nodes, Node{Name: "h0", Kind: Host, Ports: []string{"eth0"}}) },
			[]string{"node h0: name is used twice (nodes 1 and 3)"}},
		{"kind", func(g *Graph) { g.Nodes[0].Kind = "router" },
			[]string{`node tor: unknown kind "router": allowed are host, switch`}},
		{"tier", func(g *Graph) { g.Nodes[0].Tier = -1 },
			[]string{"switch tor: tier -1 is negative: use 0 where hosts attach, 1 above"}},

		{"host without port", func(g *Graph) { g.Nodes[1].Ports = nil },
			[]string{"host h0: has 0 ports: a host has exactly one", `link h0:eth0 - tor:p0: h0 has no port "eth0"`}},
		{"host with two ports", func(g *Graph) { g.Nodes[1].Ports = []string{"eth0", "eth1"} },
			[]string{"host h0: has 2 ports: a host has exactly one"}},
		{"host with chassis", func(g *Graph) { g.Nodes[1].Chassis = &Chassis{} },
			[]string{"host h0: has a chassis: only a switch can have one"}},
		{"host with tier", func(g *Graph) { g.Nodes[1].Tier = 1 },
			[]string{"host h0: has tier 1: a host's is 0"}},

		{"port name", func(g *Graph) { g.Nodes[0].Ports[2] = "et-0/0/2" },
			[]string{`node tor: port "et-0/0/2": name holds '/': allowed are a-z, 0-9 and '-'`}},
		{"port name reserved", func(g *Graph) { g.Nodes[0].Ports[2] = "lo" },
			[]string{"node tor: port lo: the name is reserved by Linux: choose another"}},
		{"port declared twice", func(g *Graph) { g.Nodes[0].Ports[2] = "p0" },
			[]string{"node tor: port p0 is declared twice"}},
		{"too many ports", func(g *Graph) {
			for i := 3; i <= MaxPorts; i++ {
				g.Nodes[0].Ports = append(g.Nodes[0].Ports, fmt.Sprint("p", i))
			}
		}, []string{"switch tor: has 65537 ports: at most 65536 are allowed"}},

		{"unknown node", func(g *Graph) { g.Links[1].B.Node = "top" },
			[]string{`link h1:eth0 - top:p1: unknown node "top"`}},
		{"unknown port", func(g *Graph) { g.Links[1].B.Port = "p9" },
			[]string{`link h1:eth0 - tor:p9: tor has no port "p9"`}},
		{"port used twice", func(g *Graph) { g.Links[1].B.Port = "p0" },
			[]string{"link h1:eth0 - tor:p0: port p0 of tor is used twice (also by h0:eth0 - tor:p0)"}},
		{"link to itself", func(g *Graph) { g.Links = append(g.Links, Link{A: End{"tor", "p2"}, B: End{"tor", "p2"}}) },
			[]string{"link tor:p2 - tor:p2: joins a port to itself"}},
		{"both ends on one switch", func(g *Graph) {
			g.Nodes[0].Ports = append(g.Nodes[0].Ports, "p3")
			g.Links = append(g.Links, Link{A: End{"tor", "p2"}, B: End{"tor", "p3"}})
		}, []string{"link tor:p2 - tor:p3: both ends are on tor"}},
		{"two hosts", func(g *Graph) { g.Links = []Link{{A: End{"h0", "eth0"}, B: End{"h1", "eth0"}}} },
			[]string{"link h0:eth0 - h1:eth0: joins two hosts: put a switch between them", "node tor: has no link"}},
		{"host on a spine", func(g *Graph) { g.Nodes[0].Tier = 1; g.Links[1].A, g.Links[1].B = g.Links[1].B, g.Links[1].A },
			[]string{
				"link h0:eth0 - tor:p0: tor is at tier 1: hosts attach to tier 0",
				"link tor:p1 - h1:eth0: tor is at tier 1: hosts attach to tier 0",
			}},

		{"host without link", func(g *Graph) { g.Links = g.Links[:1] },
			[]string{"node h1: has no link"}},
		{"two islands", func(g *Graph) {
			g.Nodes = append(g.Nodes, Node{Name: "tor1", Kind: Switch, Ports: []string{"p0"}})
			g.Links[1].B = End{"tor1", "p0"}
		}, []string{"node h1: has no path to tor", "node tor1: has no path to tor"}},

		{"rate", func(g *Graph) { g.Links[0].AtoB.Rate = -1 },
			[]string{"link h0:eth0 - tor:p0: towards tor: rate -1bit/s is negative: it must be positive, or zero for unlimited"}},
		{"delay", func(g *Graph) { g.Links[0].BtoA.Delay = -units.Microsecond },
			[]string{"link h0:eth0 - tor:p0: towards h0: delay -1us is negative: it must be zero or more"}},
		{"jitter negative", func(g *Graph) { g.Links[0].BtoA.Jitter = -1 },
			[]string{"link h0:eth0 - tor:p0: towards h0: jitter -1ps is negative: it must be zero or more"}},
		{"jitter", func(g *Graph) { g.Links[0].BtoA = LinkSpec{Delay: units.Microsecond, Jitter: 2 * units.Microsecond} },
			[]string{"link h0:eth0 - tor:p0: towards h0: jitter 2us exceeds delay 1us: frames would arrive before they were sent"}},
		{"loss", func(g *Graph) { g.Links[0].AtoB.Loss = 1.5 },
			[]string{"link h0:eth0 - tor:p0: towards tor: loss 1.5 is not a probability: it must be 0..1"}},
		{"loss not a number", func(g *Graph) { g.Links[0].AtoB.Loss = math.NaN() },
			[]string{"link h0:eth0 - tor:p0: towards tor: loss NaN is not a probability: it must be 0..1"}},
		{"reorder", func(g *Graph) { g.Links[0].AtoB = LinkSpec{Delay: 1, Reorder: 1.5} },
			[]string{"link h0:eth0 - tor:p0: towards tor: reorder 1.5 is not a probability: it must be 0..1"}},
		{"reorder without delay", func(g *Graph) { g.Links[0].AtoB.Reorder = 0.5 },
			[]string{"link h0:eth0 - tor:p0: towards tor: reorder 0.5 needs a delay: without one no frame is on the wire to overtake"}},
		{"reorder gap", func(g *Graph) { g.Links[0].AtoB = LinkSpec{Delay: 1, Reorder: 0.5, ReorderGap: -1} },
			[]string{"link h0:eth0 - tor:p0: towards tor: reorder gap -1: allowed are 0 to 1073741824"}},
		{"reorder gap alone", func(g *Graph) { g.Links[0].AtoB.ReorderGap = 5 },
			[]string{"link h0:eth0 - tor:p0: towards tor: reorder gap 5 needs a reorder probability"}},
		{"duplicate and corrupt", func(g *Graph) { g.Links[0].AtoB.Duplicate, g.Links[0].AtoB.Corrupt = -1, math.NaN() },
			[]string{
				"link h0:eth0 - tor:p0: towards tor: duplicate -1 is not a probability: it must be 0..1",
				"link h0:eth0 - tor:p0: towards tor: corrupt NaN is not a probability: it must be 0..1",
			}},
		{"distribution", func(g *Graph) { g.Links[0].AtoB.Distribution = "gauss" },
			[]string{`link h0:eth0 - tor:p0: towards tor: distribution "gauss": allowed are uniform, normal, pareto`}},
		{"script", func(g *Graph) { g.Links[0].AtoB.Script = "0/1:1" },
			[]string{`link h0:eth0 - tor:p0: towards tor: script of losses: "0/1:1": write job/slot:packets, as in 1/5:3,4: job 0: jobs count from 1 to 255`}},
		{"loss every", func(g *Graph) { g.Links[0].AtoB.LossEvery = -2 },
			[]string{"link h0:eth0 - tor:p0: towards tor: loss of every -2 frames is negative: it must be positive, or zero for none"}},
		{"queue", func(g *Graph) { g.Links[0].AtoB.Queue = -3 },
			[]string{"link h0:eth0 - tor:p0: towards tor: queue -3B is negative: it must be positive, or zero for the default"}},
		{"all at once", func(g *Graph) { g.MTU = 1; g.Nodes[0].Ports[2] = "all"; g.Links[0].AtoB = LinkSpec{Rate: -1, Loss: -1} },
			[]string{
				"mtu 1: must be 68..65535 bytes, or absent for 9000",
				"node tor: port all: the name is reserved by Linux: choose another",
				"link h0:eth0 - tor:p0: towards tor: rate -1bit/s is negative: it must be positive, or zero for unlimited",
				"link h0:eth0 - tor:p0: towards tor: loss -1 is not a probability: it must be 0..1",
			}},

		{"chassis empty", func(g *Graph) { chassis(g).PFEs = nil; g.Nodes[0].Ports = g.Nodes[0].Ports[:2] },
			[]string{"switch tor: chassis has no pfe", "switch tor: port p0 is on no pfe", "switch tor: port p1 is on no pfe"}},
		{"chassis top", func(g *Graph) { chassis(g).Top = 2 },
			[]string{"switch tor: chassis: top-level pfe index 2: must be 0..1"}},
		{"fabric", func(g *Graph) { chassis(g).Fabric.Loss = 2 },
			[]string{"switch tor: fabric: loss 2 is not a probability: it must be 0..1"}},
		{"pfe name", func(g *Graph) { chassis(g).PFEs[1].Name = "PFE2" },
			[]string{`switch tor: pfe "PFE2": name holds 'P': allowed are a-z, 0-9 and '-'`}},
		{"pfe name twice", func(g *Graph) { chassis(g).PFEs[1].Name = "pfe1" },
			[]string{"switch tor: pfe name pfe1 is used twice"}},
		{"pfe place", func(g *Graph) { chassis(g).PFEs[1].FPC = -1 },
			[]string{"switch tor: pfe2: card -1, engine 1: both must be zero or more"}},
		{"pfe place twice", func(g *Graph) { chassis(g).PFEs[1].Index = 0 },
			[]string{"switch tor: pfe1 and pfe2 are both engine 0 of card 0"}},
		{"pfe port unknown", func(g *Graph) { c := chassis(g); c.PFEs[0].Ports = append(c.PFEs[0].Ports, "p7") },
			[]string{`switch tor: pfe1 has port "p7", which the switch has not`}},
		{"pfe port twice", func(g *Graph) { c := chassis(g); c.PFEs[1].Ports = []string{"p2", "p0"} },
			[]string{"switch tor: port p0 is on pfe1 and on pfe2"}},
		{"pfe port missing", func(g *Graph) { chassis(g).PFEs[1].Ports = nil },
			[]string{"switch tor: port p2 is on no pfe"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := pair()
			tc.change(g)
			err := g.Validate()
			if err == nil {
				t.Fatal("Validate() = nil, want an error")
			}
			if diff := cmp.Diff(tc.want, strings.Split(err.Error(), "\n")); diff != "" {
				t.Errorf("Validate() differs (-want +got):\n%s", diff)
			}
		})
	}
}

// tree is a core switch with one switch of one host for each leaf, and further
// switches without hosts in a chain.
func tree(leaves, chain int) *Graph {
	g := &Graph{Nodes: []Node{{Name: "core", Kind: Switch, Tier: 1}}}
	for i := range leaves {
		leaf, host, up := fmt.Sprint("leaf", i), fmt.Sprint("h", i), fmt.Sprint("p", i)
		g.Nodes[0].Ports = append(g.Nodes[0].Ports, up)
		g.Nodes = append(g.Nodes, Node{Name: leaf, Kind: Switch, Ports: []string{"up", "down"}}, Node{Name: host, Kind: Host, Ports: []string{"eth0"}})
		g.Links = append(g.Links, Link{A: End{leaf, "up"}, B: End{"core", up}}, Link{A: End{leaf, "down"}, B: End{host, "eth0"}})
	}
	last := End{"core", "chain"}
	g.Nodes[0].Ports = append(g.Nodes[0].Ports, "chain")
	for i := range chain {
		name := fmt.Sprint("t", i)
		g.Nodes = append(g.Nodes, Node{Name: name, Kind: Switch, Ports: []string{"in", "out"}, Tier: 1})
		g.Links = append(g.Links, Link{A: last, B: End{name, "in"}})
		last = End{name, "out"}
	}
	return g
}

// crowd is two joined switches of so many hosts each.
func crowd(left, right int) *Graph {
	g := &Graph{
		Nodes: []Node{
			{Name: "tor0", Kind: Switch, Ports: []string{"peer"}},
			{Name: "tor1", Kind: Switch, Ports: []string{"peer"}},
		},
		Links: []Link{{A: End{"tor0", "peer"}, B: End{"tor1", "peer"}}},
	}
	for i := range left + right {
		tor := &g.Nodes[0]
		if i >= left {
			tor = &g.Nodes[1]
		}
		host, port := fmt.Sprint("h", i), fmt.Sprint("p", i)
		tor.Ports = append(tor.Ports, port)
		link := Link{A: End{host, "eth0"}, B: End{tor.Name, port}}
		g.Nodes = append(g.Nodes, Node{Name: host, Kind: Host, Ports: []string{"eth0"}})
		g.Links = append(g.Links, link)
	}
	return g
}

func TestValidateCounts(t *testing.T) {
	for _, tc := range []struct {
		name string
		g    *Graph
		want string
	}{
		{"most hosts", crowd(MaxHostsPerSwitch, MaxHosts-MaxHostsPerSwitch), ""},
		{"a host too many", crowd(MaxHostsPerSwitch+1, 1), "switch tor0: has 60001 hosts: at most 60000 are allowed"},
		{"a host too many in all", crowd(40000, 25537), "topology has 65537 hosts: at most 65536 are allowed"},
		{"most switches", tree(MaxHostSwitches, MaxTransitSwitches-1), ""},
		{"a leaf too many", tree(MaxHostSwitches+1, 0), "topology has 255 switches with hosts: at most 254 are allowed"},
		{"a transit too many", tree(1, MaxTransitSwitches), "topology has 255 switches without hosts: at most 254 are allowed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := ""
			if err := tc.g.Validate(); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("Validate() = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestEffectiveMTU(t *testing.T) {
	for mtu, want := range map[int]int{0: DefaultMTU, 1500: 1500} {
		if got := (&Graph{MTU: mtu}).EffectiveMTU(); got != want {
			t.Errorf("EffectiveMTU() of %d = %d, want %d", mtu, got, want)
		}
	}
}

func TestDuplex(t *testing.T) {
	spec := LinkSpec{Rate: 10 * units.GbitPerSecond}
	want := Link{A: End{"h0", "eth0"}, B: End{"tor", "p0"}, AtoB: spec, BtoA: spec}
	if got := Duplex(want.A, want.B, spec); got != want {
		t.Errorf("Duplex() = %+v, want %+v", got, want)
	}
}
