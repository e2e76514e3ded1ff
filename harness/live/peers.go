package live

import (
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/topo/plan"
)

// withPeers has hosts know the MACs of the hosts that they send datagrams to, for the reason
// that LabSpec gives: no packet may be lost that no link loses. Those are the ends of flows, and
// workers and servers of a job, servers also among themselves.
func withPeers(spec netns.Spec, s *job.Set) netns.Spec {
	hosts := s.Plan().Hosts
	for _, e := range s.FlowEnds() {
		to := slices.IndexFunc(hosts, func(h plan.Host) bool { return h.Addr.Addr() == e.Addr.Dst })
		introduce(&spec, e.Host, &hosts[to])
	}
	for _, j := range s.Jobs {
		if j.Layout.ServerPort == 0 {
			continue
		}
		servers := j.ServerConfigs()
		for _, server := range servers {
			for _, worker := range j.Hosts() {
				introduce(&spec, &worker, &server.Host)
				introduce(&spec, &server.Host, &worker)
			}
			for _, other := range servers {
				introduce(&spec, &server.Host, &other.Host)
			}
		}
	}
	return spec
}

// introduce has a host know the MAC of another one, unless it reaches it by the gateway or is it.
func introduce(spec *netns.Spec, host, peer *plan.Host) {
	if peer.Switch != host.Switch || peer.Index == host.Index {
		return
	}
	n := &spec.Nodes[slices.IndexFunc(spec.Nodes, func(n netns.Node) bool { return n.Name == host.Name })]
	nb := netns.Neighbor{Addr: peer.Addr.Addr(), MAC: peer.MAC}
	if !slices.Contains(n.Neighbors, nb) {
		n.Neighbors = append(n.Neighbors, nb)
	}
}
