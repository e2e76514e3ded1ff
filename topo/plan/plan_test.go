package plan

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

func TestNewRefusesFaultyGraph(t *testing.T) {
	g, err := gen.Rack(gen.RackParams{Hosts: 2})
	if err != nil {
		t.Fatal(err)
	}
	g.Links = g.Links[:1]
	p, err := New(g)
	if want := `plan topology "rack": node h1: has no link`; p != nil || err == nil || err.Error() != want {
		t.Errorf("New() = %v, %v, want no plan and %s", p, err, want)
	}
}

// TestLargestRack covers the step from one address byte to two, more ports
// than one byte counts, and the limit itself.
func TestLargestRack(t *testing.T) {
	for _, hosts := range []int{512, topo.MaxHostsPerSwitch} {
		g, err := gen.Rack(gen.RackParams{Hosts: hosts})
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(g)
		if err != nil {
			t.Fatal(err)
		}
		checkUnique(t, p)
		for i, want := range map[int]string{0: "10.1.0.1/16", 254: "10.1.0.255/16", 255: "10.1.1.0/16", 511: "10.1.2.0/16"} {
			if got := p.Hosts[i].Addr.String(); got != want {
				t.Errorf("host %d of %d has %s, want %s", i, hosts, got, want)
			}
		}
		if got, want := p.Switches[0].Ports[511].MAC.String(), "02:01:00:00:01:ff"; got != want {
			t.Errorf("port 511 has %s, want %s", got, want)
		}
		all := make([]int, hosts)
		for i := range all {
			all[i] = i
		}
		tree := mustTree(t, p, all, "tor")
		if len(tree) != 1 || !slices.Equal(tree[0].Ports, all) {
			t.Errorf("the tree to all %d hosts has %d hops and does not leave by every port", hosts, len(tree))
		}
	}
}

func TestLargestLeafSpine(t *testing.T) {
	g, err := gen.LeafSpine(gen.LeafSpineParams{Leaves: topo.MaxHostSwitches, Spines: 2, HostsPerLeaf: 1})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(g)
	if err != nil {
		t.Fatal(err)
	}
	checkUnique(t, p)
	last := p.Hosts[len(p.Hosts)-1]
	if got, want := last.Addr.String(), "10.254.0.1/16"; got != want {
		t.Errorf("the last host has %s, want %s", got, want)
	}
	if got, want := p.Switches[len(p.Switches)-1].Router.String(), "10.255.0.2"; got != want {
		t.Errorf("the last spine has %s, want %s", got, want)
	}
}

func TestIfaceNames(t *testing.T) {
	for _, tc := range []struct{ ports, want []string }{
		{nil, []string{}},
		{[]string{"p0", "et-0-0-0", "exactly15bytes-"}, []string{"p0", "et-0-0-0", "exactly15bytes-"}},
		{[]string{"a-port-of-16-byt", "a-port-of-16-bytes"}, []string{"a-port-of-16-0", "a-port-of-16-1"}},
		// The first number is taken by a name that another port keeps.
		{[]string{"a-port-of-16-byt", "a-port-of-16-0"}, []string{"a-port-of-16-2", "a-port-of-16-0"}},
	} {
		if diff := cmp.Diff(tc.want, ifaceNames(tc.ports)); diff != "" {
			t.Errorf("ifaceNames(%q) differs (-want +got):\n%s", tc.ports, diff)
		}
	}
}

func TestLookups(t *testing.T) {
	p := leafSpine(t)
	if s, ok := p.Switch("spine1"); !ok || s.Name != "spine1" {
		t.Errorf("Switch(spine1) = %v, %v", s, ok)
	}
	if s, ok := p.Switch("h0"); ok {
		t.Errorf("Switch(h0) = %v, want none", s)
	}
}

func TestGroup(t *testing.T) {
	for n, want := range map[uint16]string{0: "239.255.0.0", 1: "239.255.0.1", 256: "239.255.1.0", 65535: "239.255.255.255"} {
		if got := Group(n); got.String() != want || !got.IsMulticast() {
			t.Errorf("Group(%d) = %v, want %s", n, got, want)
		}
	}
}
