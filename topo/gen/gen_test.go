package gen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

var (
	access = topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: units.Microsecond}
	uplink = topo.LinkSpec{Rate: 400 * units.GbitPerSecond}
	fabric = topo.LinkSpec{Delay: 500 * units.Nanosecond}
)

func wires(g *topo.Graph) string {
	var lines []string
	for _, l := range g.Links {
		lines = append(lines, l.String())
	}
	return strings.Join(lines, "\n")
}

func must(t *testing.T, g *topo.Graph, err error) *topo.Graph {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRack(t *testing.T) {
	g, err := Rack(RackParams{Hosts: 2, Link: access, MTU: 1500})
	want := &topo.Graph{
		Name: "rack",
		MTU:  1500,
		Nodes: []topo.Node{
			{Name: "tor", Kind: topo.Switch, Ports: []string{"p0", "p1"}},
			{Name: "h0", Kind: topo.Host, Ports: []string{"eth0"}},
			{Name: "h1", Kind: topo.Host, Ports: []string{"eth0"}},
		},
		Links: []topo.Link{
			{A: topo.End{Node: "h0", Port: "eth0"}, B: topo.End{Node: "tor", Port: "p0"}, AtoB: access, BtoA: access},
			{A: topo.End{Node: "h1", Port: "eth0"}, B: topo.End{Node: "tor", Port: "p1"}, AtoB: access, BtoA: access},
		},
	}
	if diff := cmp.Diff(want, must(t, g, err)); diff != "" {
		t.Errorf("Rack() differs (-want +got):\n%s", diff)
	}
}

func TestLeafSpine(t *testing.T) {
	g, err := LeafSpine(LeafSpineParams{Leaves: 3, Spines: 2, HostsPerLeaf: 2, Link: access, Uplink: uplink})
	must(t, g, err)
	want := strings.Join([]string{
		"h0:eth0 - leaf0:p0", "h1:eth0 - leaf0:p1",
		"h2:eth0 - leaf1:p0", "h3:eth0 - leaf1:p1",
		"h4:eth0 - leaf2:p0", "h5:eth0 - leaf2:p1",
		"leaf0:p2 - spine0:p0", "leaf0:p3 - spine1:p0",
		"leaf1:p2 - spine0:p1", "leaf1:p3 - spine1:p1",
		"leaf2:p2 - spine0:p2", "leaf2:p3 - spine1:p2",
	}, "\n")
	if diff := cmp.Diff(want, wires(g)); diff != "" {
		t.Errorf("links differ (-want +got):\n%s", diff)
	}
	for i, l := range g.Links {
		spec := access
		if i >= 6 {
			spec = uplink
		}
		if l.AtoB != spec || l.BtoA != spec {
			t.Errorf("link %v: specs %+v and %+v, want %+v", l, l.AtoB, l.BtoA, spec)
		}
	}
	for _, n := range g.Nodes {
		if up := strings.HasPrefix(n.Name, "spine"); up != (n.Tier == 1) {
			t.Errorf("%s has tier %d", n.Name, n.Tier)
		}
	}
}

// TestMX480Paper checks the testbed of "Using Trio" §6.1.
func TestMX480Paper(t *testing.T) {
	g, err := MX480(MX480Params{Link: access, Fabric: fabric})
	must(t, g, err)
	want := strings.Join([]string{
		// "we connect three servers to PFE1 and another three servers to PFE2"
		"h0:eth0 - mx480:et-0-0-0", "h1:eth0 - mx480:et-0-0-1", "h2:eth0 - mx480:et-0-0-2",
		"h3:eth0 - mx480:et-0-1-0", "h4:eth0 - mx480:et-0-1-1", "h5:eth0 - mx480:et-0-1-2",
	}, "\n")
	if diff := cmp.Diff(want, wires(g)); diff != "" {
		t.Errorf("links differ (-want +got):\n%s", diff)
	}

	chassis := g.Nodes[0].Chassis
	// "configuring PFE4 as the top-level aggregator"
	if top := chassis.PFEs[chassis.Top].Name; top != "pfe4" {
		t.Errorf("top-level aggregator is %s, want pfe4", top)
	}
	if chassis.Fabric != fabric {
		t.Errorf("fabric is %+v, want %+v", chassis.Fabric, fabric)
	}
	// "two ... line cards. Each line card hosts 12x100 Gbps ports distributed across three PFEs"
	wantPFEs := []topo.PFE{
		{Name: "pfe1", FPC: 0, Index: 0, Ports: []string{"et-0-0-0", "et-0-0-1", "et-0-0-2", "et-0-0-3"}},
		{Name: "pfe2", FPC: 0, Index: 1, Ports: []string{"et-0-1-0", "et-0-1-1", "et-0-1-2", "et-0-1-3"}},
		{Name: "pfe3", FPC: 0, Index: 2, Ports: []string{"et-0-2-0", "et-0-2-1", "et-0-2-2", "et-0-2-3"}},
		{Name: "pfe4", FPC: 1, Index: 0, Ports: []string{"et-1-0-0", "et-1-0-1", "et-1-0-2", "et-1-0-3"}},
		{Name: "pfe5", FPC: 1, Index: 1, Ports: []string{"et-1-1-0", "et-1-1-1", "et-1-1-2", "et-1-1-3"}},
		{Name: "pfe6", FPC: 1, Index: 2, Ports: []string{"et-1-2-0", "et-1-2-1", "et-1-2-2", "et-1-2-3"}},
	}
	if diff := cmp.Diff(wantPFEs, chassis.PFEs); diff != "" {
		t.Errorf("pfes differ (-want +got):\n%s", diff)
	}
}

func TestMX480TopAndServers(t *testing.T) {
	g, err := MX480(MX480Params{Servers: []int{0, 0, 1, 0, 4}, Top: "pfe6"})
	must(t, g, err)
	want := strings.Join([]string{
		"h0:eth0 - mx480:et-0-2-0",
		"h1:eth0 - mx480:et-1-1-0", "h2:eth0 - mx480:et-1-1-1", "h3:eth0 - mx480:et-1-1-2", "h4:eth0 - mx480:et-1-1-3",
	}, "\n")
	if diff := cmp.Diff(want, wires(g)); diff != "" {
		t.Errorf("links differ (-want +got):\n%s", diff)
	}
	if top := g.Nodes[0].Chassis.Top; top != 5 {
		t.Errorf("top is pfe index %d, want 5", top)
	}
}

func TestMX480ByNameSpreadsHosts(t *testing.T) {
	for hosts, want := range map[int][]int{
		1:  {1, 0, 0, 0, 0, 0},
		2:  {1, 1, 0, 0, 0, 0},
		5:  {3, 2, 0, 0, 0, 0},
		6:  {3, 3, 0, 0, 0, 0},
		8:  {4, 4, 0, 0, 0, 0},
		9:  {4, 4, 1, 0, 0, 0},
		13: {4, 4, 4, 0, 1, 0},
		20: {4, 4, 4, 0, 4, 4},
	} {
		g, err := ByName("mx480", Params{Hosts: hosts})
		must(t, g, err)
		on := make([]int, mx480PFEs)
		for _, l := range g.Links {
			var fpc, pic, port int
			if _, err := fmt.Sscanf(l.B.Port, "et-%d-%d-%d", &fpc, &pic, &port); err != nil {
				t.Fatal(err)
			}
			on[fpc*pfesPerCard+pic]++
		}
		if diff := cmp.Diff(want, on); diff != "" {
			t.Errorf("%d hosts over the pfes differ (-want +got):\n%s", hosts, diff)
		}
	}
}

func TestDefaults(t *testing.T) {
	for _, of := range All() {
		name, p := of.Name, Params{}
		for _, c := range p.Counts() {
			if slices.Contains(of.Needs, c.Name) {
				*c.N = 2
			}
		}
		g, err := ByName(name, p)
		must(t, g, err)
		hosts := 0
		for _, n := range g.Nodes {
			if n.Kind == topo.Host {
				hosts++
			}
		}
		if g.Name != name || hosts != 6 {
			t.Errorf("ByName(%q) is %q with %d hosts, want the six of the papers' testbeds", name, g.Name, hosts)
		}
	}
}

func TestLeafSpineByNameDividesHosts(t *testing.T) {
	for name, p := range map[string]Params{
		"default leaves": {Hosts: 8},
		"hosts":          {Hosts: 8, Leaves: 2},
		"per leaf":       {HostsPerLeaf: 4, Leaves: 2},
		"agreeing":       {Hosts: 8, HostsPerLeaf: 4},
	} {
		got, err := ByName("leaf-spine", p)
		must(t, got, err)
		want, err := LeafSpine(LeafSpineParams{Leaves: 2, Spines: 2, HostsPerLeaf: 4})
		must(t, want, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: graph differs (-want +got):\n%s", name, diff)
		}
	}
}

func TestRefuses(t *testing.T) {
	rack := func(p RackParams) func() (*topo.Graph, error) {
		return func() (*topo.Graph, error) { return Rack(p) }
	}
	leafSpine := func(p LeafSpineParams) func() (*topo.Graph, error) {
		return func() (*topo.Graph, error) { return LeafSpine(p) }
	}
	mx480 := func(p MX480Params) func() (*topo.Graph, error) {
		return func() (*topo.Graph, error) { return MX480(p) }
	}
	named := func(name string, p Params) func() (*topo.Graph, error) {
		return func() (*topo.Graph, error) { return ByName(name, p) }
	}
	for _, tc := range []struct {
		make func() (*topo.Graph, error)
		want string
	}{
		{rack(RackParams{Hosts: -1}), "rack: hosts -1: must be 1..60000"},
		{rack(RackParams{Hosts: 60001}), "rack: hosts 60001: must be 1..60000"},
		{rack(RackParams{Hosts: 1, MTU: 5}), "generate rack: mtu 5: must be 68..65535 bytes, or absent for 9000"},
		{rack(RackParams{Hosts: 1, Link: topo.LinkSpec{LossEvery: -1}}), "generate rack: " +
			"link h0:eth0 - tor:p0: towards tor: loss of every -1 frames is negative: it must be positive, or zero for none\n" +
			"link h0:eth0 - tor:p0: towards h0: loss of every -1 frames is negative: it must be positive, or zero for none"},

		{leafSpine(LeafSpineParams{Leaves: 255}), "leaf-spine: leaves 255: must be 1..254"},
		{leafSpine(LeafSpineParams{Spines: 255}), "leaf-spine: spines 255: must be 1..254"},
		{leafSpine(LeafSpineParams{HostsPerLeaf: -3}), "leaf-spine: hosts per leaf -3: must be 1..60000"},
		{leafSpine(LeafSpineParams{Leaves: 2, HostsPerLeaf: 40000}), "leaf-spine: 2 leaves of 40000 hosts are 80000 hosts: at most 65536 are allowed"},

		{mx480(MX480Params{Servers: []int{3, 5}}), "mx480: 5 hosts on pfe2: it has 4 ports"},
		{mx480(MX480Params{Servers: []int{-1}}), "mx480: -1 hosts on pfe1: it has 4 ports"},
		{mx480(MX480Params{Servers: make([]int, 7)}), "mx480: servers given for 7 pfes: it has 6"},
		{mx480(MX480Params{Servers: []int{}}), "mx480: no hosts: give 1..24, at most 4 on a pfe"},
		{mx480(MX480Params{Top: "pfe0"}), `mx480: unknown top-level pfe "pfe0": allowed are pfe1, pfe2, pfe3, pfe4, pfe5, pfe6; did you mean "pfe1"?`},

		{named("mx480", Params{Hosts: 21}), "mx480: 21 hosts: must be 1..20, for it has 24 ports and the 4 of the top-level pfe4 stay free"},
		{named("mx480", Params{Hosts: -1}), "mx480: -1 hosts: must be 1..20, for it has 24 ports and the 4 of the top-level pfe4 stay free"},
		{named("mx480", Params{Leaves: 2}), "mx480: leaves 2: it takes hosts"},
		{named("rack", Params{Spines: 1}), "rack: spines 1: it takes hosts"},
		{named("rack", Params{HostsPerLeaf: 4}), "rack: hosts-per-leaf 4: it takes hosts"},
		{named("leaf-spine", Params{Hosts: 7}), "leaf-spine: 7 hosts do not divide evenly over 2 leaves: give a multiple, or hosts per leaf"},
		{named("leaf-spine", Params{Hosts: -2}), "leaf-spine: -2 hosts do not divide evenly over 2 leaves: give a multiple, or hosts per leaf"},
		{named("leaf-spine", Params{Hosts: 8, HostsPerLeaf: 3}), "leaf-spine: 8 hosts contradict 2 leaves of 3 hosts each: give one of the two"},
		{named("leaf-spine", Params{Hosts: 8, Leaves: -1}), "leaf-spine: leaves -1: must be 1..254"},
		{named("dumbbell", Params{Hosts: 5}), "dumbbell: 5 hosts do not divide evenly over 2 switches: give a multiple"},
		{named("dumbbell", Params{Leaves: 2}), "dumbbell: leaves 2: it takes hosts"},
		{named("multi-rack", Params{}), "multi-rack: racks is missing: it takes hosts, racks"},
		{named("multi-rack", Params{Racks: 4, Hosts: 6}), "multi-rack: 6 hosts do not divide evenly over 4 racks: give a multiple"},
		{named("tree", Params{Depth: 3}), "tree: fan-out is missing: it takes hosts, depth, fan-out"},
		{named("tree", Params{Depth: 9, FanOut: 2}), "tree: depth 9: must be 1..8"},
		{named("tree", Params{Depth: 4, FanOut: 10}), "tree: depth 4 with fan-out 10 has more than the 254 lowest switches that are allowed"},
		{named("tree", Params{Depth: 2, FanOut: 4, Hosts: 6}), "tree: 6 hosts do not divide evenly over 4 lowest switches: give a multiple"},
		{named("chassis-spine", Params{Spines: 5}), "chassis-spine: spines 5: must be 1..4: as many as the top-level PFE of a chassis has ports"},
		{named("chassis-leaf-spine", Params{Leaves: 21}), "chassis-leaf-spine: leaves 21: must be 1..20"},
		{named("chassis-spine", Params{Hosts: 42}), "mx480: 21 hosts: must be 1..20, for it has 24 ports and the 4 of the top-level pfe4 stay free"},
		{named("leafspine", Params{}), `unknown topology "leafspine": allowed are rack, leaf-spine, mx480, dumbbell, multi-rack, tree, chassis-spine, chassis-leaf-spine; did you mean "leaf-spine"?`},
		{named("mx", Params{}), `unknown topology "mx": allowed are rack, leaf-spine, mx480, dumbbell, multi-rack, tree, chassis-spine, chassis-leaf-spine`},
		{named("", Params{}), `unknown topology "": allowed are rack, leaf-spine, mx480, dumbbell, multi-rack, tree, chassis-spine, chassis-leaf-spine`},
	} {
		t.Run(tc.want, func(t *testing.T) {
			g, err := tc.make()
			if err == nil || g != nil {
				t.Fatalf("got %v, %v, want no graph and an error", g, err)
			}
			if err.Error() != tc.want {
				t.Errorf("error is\n%s\nwant\n%s", err, tc.want)
			}
		})
	}
}

// Which switch has which hosts, and what is linked to what, of the shapes between switches.
func TestShapes(t *testing.T) {
	for name, tc := range map[string]struct {
		p    Params
		want string
	}{
		"dumbbell": {Params{Hosts: 4}, `
h0:eth0 - left:p0
h1:eth0 - left:p1
h2:eth0 - right:p0
h3:eth0 - right:p1
left:p2 - right:p2`},
		"multi-rack": {Params{Hosts: 4, Racks: 2}, `
h0:eth0 - tor0:p0
h1:eth0 - tor0:p1
h2:eth0 - tor1:p0
h3:eth0 - tor1:p1
tor0:p2 - core:p0
tor1:p2 - core:p1`},
		"tree": {Params{Hosts: 4, Depth: 3, FanOut: 2}, `
h0:eth0 - s0-0:p0
h1:eth0 - s0-1:p0
h2:eth0 - s0-2:p0
h3:eth0 - s0-3:p0
s0-0:p1 - s1-0:p0
s0-1:p1 - s1-0:p1
s0-2:p1 - s1-1:p0
s0-3:p1 - s1-1:p1
s1-0:p2 - s2-0:p0
s1-1:p2 - s2-0:p1`},
		"chassis-spine": {Params{Hosts: 4, Leaves: 2, Spines: 2}, `
h0:eth0 - mx0:et-0-0-0
h1:eth0 - mx0:et-0-1-0
h2:eth0 - mx1:et-0-0-0
h3:eth0 - mx1:et-0-1-0
mx0:et-1-0-0 - spine0:p0
mx1:et-1-0-0 - spine0:p1
mx0:et-1-0-1 - spine1:p0
mx1:et-1-0-1 - spine1:p1`},
		"chassis-leaf-spine": {Params{Hosts: 5, Leaves: 5, Spines: 1}, `
h0:eth0 - mx0:et-0-0-0
h1:eth0 - mx1:et-0-0-0
h2:eth0 - mx2:et-0-0-0
h3:eth0 - mx3:et-0-0-0
h4:eth0 - mx4:et-0-0-0
mx0:et-1-0-0 - spine0:et-0-0-0
mx1:et-1-0-0 - spine0:et-0-0-1
mx2:et-1-0-0 - spine0:et-0-0-2
mx3:et-1-0-0 - spine0:et-0-0-3
mx4:et-1-0-0 - spine0:et-0-1-0`},
	} {
		t.Run(name, func(t *testing.T) {
			tc.p.Link, tc.p.Uplink = access, uplink
			g, err := ByName(name, tc.p)
			if diff := cmp.Diff(strings.TrimSpace(tc.want), wires(must(t, g, err))); diff != "" {
				t.Errorf("links differ (-want +got):\n%s", diff)
			}
			for _, l := range g.Links {
				if want := map[bool]topo.LinkSpec{true: access, false: uplink}[l.A.Node[0] == 'h']; l.AtoB != want || l.BtoA != want {
					t.Errorf("link %v is %+v and %+v, want %+v", l, l.AtoB, l.BtoA, want)
				}
			}
		})
	}
}
