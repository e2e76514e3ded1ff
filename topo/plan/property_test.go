package plan

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/gen/gentest"
)

// anyGraph draws a generated topology or a random one.
func anyGraph() *rapid.Generator[*topo.Graph] {
	return rapid.OneOf(generatedGraph(), randomGraph())
}

func generatedGraph() *rapid.Generator[*topo.Graph] {
	return rapid.Custom(func(t *rapid.T) *topo.Graph {
		name, p := gentest.Draw(t)
		g, err := gen.ByName(name, p)
		if err != nil {
			t.Fatal(err)
		}
		return g
	})
}

// randomGraph draws switches joined at random (a tree, so that they are
// connected, and more links, parallel ones too) with hosts hung on them and
// port names of every length, many of them alike.
func randomGraph() *rapid.Generator[*topo.Graph] {
	return rapid.Custom(func(t *rapid.T) *topo.Graph {
		g := &topo.Graph{}
		n := rapid.IntRange(1, 7).Draw(t, "switches")
		for i := range n {
			g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprint("s", i), Kind: topo.Switch})
		}
		port := func(sw int) topo.End {
			node := &g.Nodes[sw]
			name := rapid.StringMatching(`[a-b0-1][a-b0-1-]{0,2}|same-long-name-of-a-port[0-9]{0,2}|same-long-name-[0-9]`).
				Filter(func(s string) bool { return !slices.Contains(node.Ports, s) }).Draw(t, "port")
			node.Ports = append(node.Ports, name)
			return topo.End{Node: node.Name, Port: name}
		}
		join := func(a, b int) {
			g.Links = append(g.Links, topo.Link{A: port(a), B: port(b)})
		}
		for i := 1; i < n; i++ {
			join(i, rapid.IntRange(0, i-1).Draw(t, "parent"))
		}
		for range rapid.IntRange(0, 6).Draw(t, "more links") {
			if a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b"); a != b {
				join(a, b)
			}
		}
		for i := range rapid.IntRange(1, 8).Draw(t, "hosts") {
			host := fmt.Sprint("h", i)
			at := port(rapid.IntRange(0, n-1).Draw(t, "at"))
			g.Nodes = append(g.Nodes, topo.Node{Name: host, Kind: topo.Host, Ports: []string{"eth0"}})
			g.Links = append(g.Links, topo.Link{A: at, B: topo.End{Node: host, Port: "eth0"}})
		}
		return g
	})
}

func anyPlan(t *rapid.T) *Plan {
	p, err := New(anyGraph().Draw(t, "graph"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSameGraphSamePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph().Draw(t, "graph")
		a, errA := New(g)
		b, errB := New(g)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("two plans of one graph differ:\n%+v\n%+v", a, b)
		}
	})
}

func TestNamesAndAddressesAreUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkUnique(t, anyPlan(t)) })
}

// fataler is what testing.T and rapid.T share.
type fataler interface {
	Fatalf(format string, args ...any)
	Helper()
}

func checkUnique(t fataler, p *Plan) {
	t.Helper()
	owner := make(map[any]string)
	claim := func(key any, who string) {
		t.Helper()
		if first, taken := owner[key]; taken {
			t.Fatalf("%v belongs to %s and to %s", key, first, who)
		}
		owner[key] = who
	}
	for i, h := range p.Hosts {
		if h.Index != i {
			t.Fatalf("host %s at %d has index %d", h.Name, i, h.Index)
		}
		claim(h.MAC, h.Name)
		claim(h.Addr.Addr(), h.Name)
		claim(h.Name, h.Name)
		if !h.Addr.Contains(h.Gateway) {
			t.Fatalf("gateway %v of %s is outside %v", h.Gateway, h.Name, h.Addr)
		}
	}
	for i, s := range p.Switches {
		if s.Index != i {
			t.Fatalf("switch %s at %d has index %d", s.Name, i, s.Index)
		}
		claim(s.MAC, s.Name)
		claim(s.Router, s.Name)
		claim(s.Name, s.Name)
		if s.Subnet.IsValid() {
			claim(s.Subnet, s.Name)
		}
		for _, q := range s.Ports {
			claim(q.MAC, s.Name+":"+q.Name)
			claim(topo.End{Node: s.Name, Port: q.Iface}, s.Name+":"+q.Name)
			if len(q.Iface) == 0 || len(q.Iface) > MaxIfaceLen {
				t.Fatalf("interface %q of %s has %d bytes", q.Iface, s.Name, len(q.Iface))
			}
		}
	}
}

// TestPortsAndWiresAgree checks that both ends of each link tell one story.
func TestPortsAndWiresAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlan(t)
		ends := 0
		for _, s := range p.Switches {
			for _, q := range s.Ports {
				if !q.Wired {
					continue
				}
				ends++
				checkPeer(t, p, s, q)
			}
		}
		if want := 2*len(p.Wires) - len(p.Hosts); ends != want {
			t.Fatalf("%d ports are wired, want %d", ends, want)
		}
	})
}

func checkPeer(t *rapid.T, p *Plan, s Switch, q Port) {
	var wire WireEnd // what stands at the other end
	if q.PeerHost != None {
		h := p.Hosts[q.PeerHost]
		if h.Name != q.Peer.Node || h.MAC != q.PeerMAC || h.Switch != s.Name || h.SwitchPort != q.Index || q.Subnet != s.Subnet || q.PeerSwitch != None {
			t.Fatalf("port %+v of %s and host %+v disagree", q, s.Name, h)
		}
		wire = WireEnd{Node: h.Name, Iface: h.Iface, MAC: h.MAC}
	} else {
		peer := p.Switches[q.PeerSwitch]
		r := peer.Ports[q.PeerPort]
		if peer.Name != q.Peer.Node || r.Name != q.Peer.Port || r.MAC != q.PeerMAC || r.PeerSwitch != s.Index || r.PeerPort != q.Index || r.In != q.Out || r.Out != q.In {
			t.Fatalf("port %+v of %s and port %+v of %s disagree", q, s.Name, r, peer.Name)
		}
		wire = WireEnd{Node: peer.Name, Iface: r.Iface, MAC: r.MAC}
	}
	here := WireEnd{Node: s.Name, Iface: q.Iface, MAC: q.MAC}
	if !slices.Contains(p.Wires, Wire{A: here, B: wire}) && !slices.Contains(p.Wires, Wire{A: wire, B: here}) {
		t.Fatalf("no wire joins %+v and %+v", here, wire)
	}
}

// TestEveryPathArrives sends a frame from each host to each other host and to
// each router, along every equal-cost branch.
func TestEveryPathArrives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlan(t)
		for _, src := range p.Hosts {
			for _, dst := range p.Hosts {
				if dst.Index != src.Index {
					deliver(t, p, src, dst.Addr.Addr(), dst.Name)
				}
			}
			for _, dst := range p.Switches {
				deliver(t, p, src, dst.Router, dst.Name)
			}
		}
	})
}

func deliver(t *rapid.T, p *Plan, src Host, dst netip.Addr, want string) {
	sw, ok := p.Switch(src.Switch)
	if !ok {
		t.Fatalf("%s is on unknown switch %q", src.Name, src.Switch)
	}
	if src.Gateway != sw.Router || src.GatewayMAC != sw.MAC {
		t.Fatalf("%s has gateway %v %v, but %s is %v %v", src.Name, src.Gateway, src.GatewayMAC, sw.Name, sw.Router, sw.MAC)
	}
	forward(t, p, sw, dst, want, len(p.Switches))
}

// forward follows dst from one switch along all its hops; ttl bounds loops.
func forward(t *rapid.T, p *Plan, sw *Switch, dst netip.Addr, want string, ttl int) {
	if ttl == 0 {
		t.Fatalf("frame to %v (%s) loops at %s", dst, want, sw.Name)
	}
	if sw.Router == dst {
		if sw.Name != want {
			t.Fatalf("%v ended at %s, want %s", dst, sw.Name, want)
		}
		return
	}
	if sw.Subnet.Contains(dst) {
		i := slices.IndexFunc(sw.Neighbors, func(n Neighbor) bool { return n.Addr == dst })
		if i < 0 {
			t.Fatalf("%s knows no neighbor %v", sw.Name, dst)
		}
		n := sw.Neighbors[i]
		h := p.Hosts[sw.Ports[n.Port].PeerHost]
		if h.Name != want || h.MAC != n.MAC {
			t.Fatalf("%s gives %v to %s %v, want %s", sw.Name, dst, h.Name, n.MAC, want)
		}
		return
	}
	matching := 0
	for _, r := range sw.Routes {
		if !r.Dst.Contains(dst) {
			continue
		}
		matching++
		if len(r.Hops) == 0 || !slices.IsSortedFunc(r.Hops, func(a, b Hop) int { return a.Port - b.Port }) {
			t.Fatalf("%s: hops of route %v are %v", sw.Name, r.Dst, r.Hops)
		}
		for _, hop := range r.Hops {
			q := sw.Ports[hop.Port]
			if hop.MAC != q.PeerMAC {
				t.Fatalf("%s: hop %+v does not address %+v", sw.Name, hop, q)
			}
			forward(t, p, &p.Switches[q.PeerSwitch], dst, want, ttl-1)
		}
	}
	if matching != 1 {
		t.Fatalf("%s has %d routes to %v (%s), want 1", sw.Name, matching, dst, want)
	}
}
