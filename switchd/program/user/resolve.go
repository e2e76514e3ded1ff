package user

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo/plan"
)

// Routing is the name of the hop that leaves a frame to the switch's own forwarding.
const Routing = "routing"

// ResolveHop returns the hop that a name stands for on a switch: [Routing], a port, or a host.
// A host elsewhere is reached by the first of its routes.
func ResolveHop(p *plan.Plan, sw *plan.Switch, number uint32, to string) (Hop, error) {
	if to == Routing {
		return Hop{Number: number, Routing: true}, nil
	}
	names := []string{Routing}
	for i := range sw.Ports {
		if !sw.Ports[i].Wired {
			continue
		}
		if names = append(names, sw.Ports[i].Name); sw.Ports[i].Name == to {
			return Hop{Number: number, Ports: []sansio.Port{sansio.Port(i)}}, nil
		}
	}
	for i := range p.Hosts {
		if names = append(names, p.Hosts[i].Name); p.Hosts[i].Name == to {
			return hostHop(&p.Hosts[i], sw, number)
		}
	}
	return Hop{}, fmt.Errorf("next hop %d: %q is neither %s, nor a wired port of %s, nor a host%s", number, to, Routing, sw.Name, suggest.DidYouMean(to, names))
}

func hostHop(h *plan.Host, sw *plan.Switch, number uint32) (Hop, error) {
	out := Hop{Number: number, Src: inet.MAC(sw.MAC)}
	if h.Switch == sw.Name {
		out.Ports, out.Dst = []sansio.Port{sansio.Port(h.SwitchPort)}, inet.MAC(h.MAC)
		return out, nil
	}
	i := slices.IndexFunc(sw.Routes, func(r plan.Route) bool { return r.Dst.Contains(h.Addr.Addr()) && len(r.Hops) > 0 })
	if i < 0 {
		return Hop{}, fmt.Errorf("next hop %d: %s has no route to host %s", number, sw.Name, h.Name)
	}
	first := sw.Routes[i].Hops[0]
	out.Ports, out.Dst = []sansio.Port{sansio.Port(first.Port)}, inet.MAC(first.MAC)
	return out, nil
}
