package plan

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// twoRacks is a topology no generator makes: racks of different sizes in
// other than node order, joined by two parallel links and by a longer way
// round, with port names that Linux would not take, and links that differ by
// direction.
func twoRacks() *topo.Graph {
	up := topo.LinkSpec{Rate: 10 * units.GbitPerSecond}
	down := topo.LinkSpec{Rate: 20 * units.GbitPerSecond, Loss: 0.01}
	end := func(node, port string) topo.End { return topo.End{Node: node, Port: port} }
	return &topo.Graph{
		Name: "two-racks",
		MTU:  1500,
		Nodes: []topo.Node{
			{Name: "b", Kind: topo.Host, Ports: []string{"nic"}},
			{Name: "right", Kind: topo.Switch, Ports: []string{"to-a-far-away-rack-1", "to-a-far-away-rack-2", "down", "round"}},
			{Name: "round", Kind: topo.Switch, Tier: 1, Ports: []string{"l", "r"}},
			{Name: "left", Kind: topo.Switch, Ports: []string{"spare", "x1", "x2", "up1", "up2", "round"}},
			{Name: "a0", Kind: topo.Host, Ports: []string{"eth0"}},
			{Name: "a1", Kind: topo.Host, Ports: []string{"eth0"}},
		},
		Links: []topo.Link{
			{A: end("left", "x2"), B: end("a0", "eth0"), AtoB: down, BtoA: up},
			{A: end("a1", "eth0"), B: end("left", "x1"), AtoB: up, BtoA: down},
			{A: end("b", "nic"), B: end("right", "down"), AtoB: up, BtoA: down},
			{A: end("left", "up2"), B: end("right", "to-a-far-away-rack-1"), AtoB: up, BtoA: down},
			{A: end("left", "up1"), B: end("right", "to-a-far-away-rack-2")},
			{A: end("left", "round"), B: end("round", "l")},
			{A: end("right", "round"), B: end("round", "r")},
		},
	}
}

func TestGolden(t *testing.T) {
	access := topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: units.Microsecond}
	for name, make := range map[string]func() (*topo.Graph, error){
		"rack": func() (*topo.Graph, error) { return gen.Rack(gen.RackParams{Hosts: 4, Link: access}) },
		"leaf-spine": func() (*topo.Graph, error) {
			return gen.LeafSpine(gen.LeafSpineParams{Leaves: 3, Spines: 2, HostsPerLeaf: 2, Link: access})
		},
		"mx480":     func() (*topo.Graph, error) { return gen.MX480(gen.MX480Params{Link: access}) },
		"two-racks": func() (*topo.Graph, error) { return twoRacks(), nil },
	} {
		t.Run(name, func(t *testing.T) {
			g, err := make()
			if err != nil {
				t.Fatal(err)
			}
			p, err := New(g)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			write(&got, p)
			golden.Equal(t, name+".txt", got.String())
		})
	}
}

func write(w io.Writer, p *Plan) {
	fmt.Fprintf(w, "plan %s mtu %d\n\n", p.Name, p.MTU)
	for _, h := range p.Hosts {
		fmt.Fprintf(w, "host %d %s %s %v %v on %s port %d gateway %v %v\n",
			h.Index, h.Name, h.Iface, h.MAC, h.Addr, h.Switch, h.SwitchPort, h.Gateway, h.GatewayMAC)
	}
	for i := range p.Switches {
		writeSwitch(w, &p.Switches[i])
	}
	fmt.Fprintln(w)
	for _, c := range p.Wires {
		fmt.Fprintf(w, "wire %s %s %v - %s %s %v\n", c.A.Node, c.A.Iface, c.A.MAC, c.B.Node, c.B.Iface, c.B.MAC)
	}
}

func writeSwitch(w io.Writer, s *Switch) {
	fmt.Fprintf(w, "\nswitch %d %s tier %d router %v %v subnet %v\n", s.Index, s.Name, s.Tier, s.Router, s.MAC, s.Subnet)
	if s.Chassis != nil {
		for i, pfe := range s.Chassis.PFEs {
			top := ""
			if i == s.Chassis.Top {
				top = " top"
			}
			fmt.Fprintf(w, "  pfe %d %s fpc %d index %d ports %v%s\n", i, pfe.Name, pfe.FPC, pfe.Index, pfe.Ports, top)
		}
	}
	for _, q := range s.Ports {
		fmt.Fprintf(w, "  port %d %s %s %v pfe %d", q.Index, q.Name, q.Iface, q.MAC, q.PFE)
		if q.Wired {
			fmt.Fprintf(w, " to %v %v host %d switch %d port %d subnet %v in %v/%v out %v/%v", q.Peer, q.PeerMAC, q.PeerHost,
				q.PeerSwitch, q.PeerPort, q.Subnet, q.In.Rate, q.In.Loss, q.Out.Rate, q.Out.Loss)
		}
		fmt.Fprintln(w)
	}
	for _, n := range s.Neighbors {
		fmt.Fprintf(w, "  neighbor %v %v port %d\n", n.Addr, n.MAC, n.Port)
	}
	for _, r := range s.Routes {
		fmt.Fprintf(w, "  route %v", r.Dst)
		for _, hop := range r.Hops {
			fmt.Fprintf(w, " port %d %v", hop.Port, hop.MAC)
		}
		fmt.Fprintln(w)
	}
}
