package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/topo/gen"
)

func mustTree(t fataler, p *Plan, hosts []int, root string) []TreeHop {
	t.Helper()
	tree, err := p.Tree(hosts, root)
	if err != nil {
		t.Fatalf("Tree(%v, %q): %v", hosts, root, err)
	}
	return tree
}

func leafSpine(t *testing.T) *Plan {
	t.Helper()
	g, err := gen.LeafSpine(gen.LeafSpineParams{Leaves: 3, Spines: 2, HostsPerLeaf: 2})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTree(t *testing.T) {
	p := leafSpine(t) // ports 0 and 1 of a leaf are hosts, 2 and 3 spines; port l of a spine is leaf l
	for _, tc := range []struct {
		name  string
		hosts []int
		root  string
		want  []TreeHop
	}{
		{"nobody", nil, "leaf0", nil},
		{"one leaf", []int{0, 1}, "leaf0", []TreeHop{{"leaf0", None, []int{0, 1}}}},
		{"named twice, out of order", []int{1, 0, 1}, "leaf0", []TreeHop{{"leaf0", None, []int{0, 1}}}},
		{"from a spine", []int{0, 5}, "spine1", []TreeHop{
			{"spine1", None, []int{0, 2}},
			{"leaf0", 3, []int{0}},
			{"leaf2", 3, []int{1}},
		}},
		{"branches share the way up", []int{0, 2, 3, 4}, "leaf0", []TreeHop{
			{"leaf0", None, []int{0, 2}},
			{"spine0", 0, []int{1, 2}},
			{"leaf1", 2, []int{0, 1}},
			{"leaf2", 2, []int{0}},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, mustTree(t, p, tc.hosts, tc.root)); diff != "" {
				t.Errorf("tree differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTreeRefuses(t *testing.T) {
	p := leafSpine(t)
	for _, tc := range []struct {
		hosts []int
		root  string
		want  string
	}{
		{[]int{0}, "leaf9", `plan multicast tree: unknown switch "leaf9"`},
		{[]int{0}, "h0", `plan multicast tree: unknown switch "h0"`},
		{[]int{6}, "leaf0", "plan multicast tree: host index 6: must be 0..5"},
		{[]int{-1}, "leaf0", "plan multicast tree: host index -1: must be 0..5"},
	} {
		if _, err := p.Tree(tc.hosts, tc.root); err == nil || err.Error() != tc.want {
			t.Errorf("Tree(%v, %q) = %v, want %s", tc.hosts, tc.root, err, tc.want)
		}
	}
}

// TestTreeReachesAllOnce floods a frame along the tree: each host of the group
// gets it once, nobody else does, and it comes by the port the tree says.
func TestTreeReachesAllOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlan(t)
		group := rapid.SliceOf(rapid.IntRange(0, len(p.Hosts)-1)).Draw(t, "group")
		root := rapid.SampledFrom(p.Switches).Draw(t, "root")

		hops := make(map[string]TreeHop)
		for _, hop := range mustTree(t, p, group, root.Name) {
			if _, twice := hops[hop.Switch]; twice || len(hop.Ports) == 0 {
				t.Fatalf("hop %+v stands twice or serves nobody", hop)
			}
			hops[hop.Switch] = hop
		}
		got := make([]int, len(p.Hosts))
		visited := flood(t, p, hops, got, &root, None)
		want := make([]int, len(p.Hosts))
		for _, h := range group {
			want[h] = 1
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("copies by host differ (-want +got):\n%s", diff)
		}
		if len(group) > 0 && visited != len(hops) {
			t.Fatalf("the frame came to %d switches, the tree has %d", visited, len(hops))
		}
	})
}

// flood counts the copies that hosts get below a switch and returns how many
// switches it came to.
func flood(t *rapid.T, p *Plan, hops map[string]TreeHop, copies []int, at *Switch, in int) int {
	hop, ok := hops[at.Name]
	if !ok {
		if in == None && len(hops) == 0 {
			return 0 // an empty group
		}
		t.Fatalf("frame came to %s, which is not in the tree", at.Name)
	}
	if hop.In != in {
		t.Fatalf("frame came to %s by port %d, the tree says %d", at.Name, in, hop.In)
	}
	delete(hops, at.Name) // a second visit would be a loop
	defer func() { hops[at.Name] = hop }()
	visited := 1
	for _, i := range hop.Ports {
		port := at.Ports[i]
		if port.PeerHost != None {
			copies[port.PeerHost]++
		} else {
			visited += flood(t, p, hops, copies, &p.Switches[port.PeerSwitch], port.PeerPort)
		}
	}
	return visited
}
