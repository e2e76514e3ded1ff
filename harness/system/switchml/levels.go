package switchml

import (
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/topo/plan"
)

// levels lays the aggregation of a job over the switches of a plan (SwitchML §7):
// where all workers are on one switch it aggregates alone, else the switches that
// their packets pass on the way to a root, each as one worker of the next.
//
//	h0 h1 --> leaf0 --+
//	                  +--> spine0
//	h2 h3 --> leaf1 --+
//
// In a chassis the forwarding engines are levels, too: those of the ports that
// packets come by, and above them the engine of the port that leads on, or the
// chassis' top one at the root.
type levels struct {
	j      *job.Job
	hops   []plan.TreeHop // root first
	worker map[int]int    // worker on a host, by index in the plan; looked up, never ranged
	base   program.Config // what all programs have
	part   program.Job    // what all jobs have
	out    [][]any        // configurations, by switch and PFE
	nodes  []job.Engine   // those that aggregate, in the order in which they were made
}

// levels returns the programs of all switches.
func (s System) levels(j *job.Job) (*levels, error) {
	l := &levels{
		j: j, worker: map[int]int{}, out: make([][]any, len(j.Plan.Switches)),
		base: program.Config{Faithful: s.Faithful},
		part: program.Job{ID: j.ID, Elements: s.elements(), Slots: s.pool(j), FirstByte: j.ID},
	}
	for i, h := range j.Hosts() {
		l.worker[h.Index] = i
	}
	var err error
	if l.hops, err = tree(j); err != nil {
		return nil, err
	}
	for i := range l.hops {
		if err := l.hop(&l.hops[i]); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// tree returns the switches that packets of a job pass on their way to its root, root first.
func tree(j *job.Job) ([]plan.TreeHop, error) {
	var hosts []int
	for _, h := range j.Hosts() {
		hosts = append(hosts, h.Index)
	}
	return j.Plan.Tree(hosts, j.Root().Name)
}

// hop makes the programs of one switch.
func (l *levels) hop(h *plan.TreeHop) error {
	sw, _ := l.j.Plan.Switch(h.Switch)
	p := placement{sw: sw, record: l.part}
	p.record.Parent = l.above(sw, h.In)
	for _, at := range h.Ports {
		p.peers = append(p.peers, l.peer(&sw.Ports[at]))
	}
	in := -1
	if h.In != plan.None {
		in = max(0, sw.Ports[h.In].PFE)
	}
	parts, err := p.parts(in)
	if err != nil {
		return err
	}
	out := make([]any, job.PFEs(sw))
	for _, part := range parts {
		c := l.base
		c.Node, c.Router, c.MAC, c.Jobs = job.EngineNode(sw, part.pfe), sw.Router, inet.MAC(sw.MAC), []program.Job{part.Job}
		out[part.pfe] = c
		l.nodes = append(l.nodes, job.Engine{Node: c.Node, Top: part.Parent == nil, Sources: part.sources})
	}
	l.out[sw.Index] = out
	return nil
}

// above returns what leads up from a switch; nil at the root.
func (l *levels) above(sw *plan.Switch, in int) *program.Parent {
	if in == plan.None {
		return nil
	}
	port := &sw.Ports[in]
	return &program.Parent{MAC: inet.MAC(port.PeerMAC), Addr: l.j.Plan.Switches[port.PeerSwitch].Router, Port: sansio.Port(in), UDP: udpBetween(l.j.ID)}
}

// peer returns who is at the other end of a port: a host with its worker, or a switch
// that aggregates below.
func (l *levels) peer(port *plan.Port) peer {
	if port.PeerHost != plan.None {
		h := &l.j.Plan.Hosts[port.PeerHost]
		return peer{name: h.Name, Worker: program.Worker{ID: uint8(l.worker[h.Index]), MAC: inet.MAC(h.MAC), Addr: h.Addr.Addr(), Port: sansio.Port(port.Index)}}
	}
	below := &l.j.Plan.Switches[port.PeerSwitch]
	node := job.EngineNode(below, max(0, below.Ports[port.PeerPort].PFE)) // of its port that leads here
	return peer{name: node, engine: true, Worker: program.Worker{
		MAC: inet.MAC(port.PeerMAC), Addr: below.Router, Port: sansio.Port(port.Index), UDP: udpBetween(l.j.ID),
	}}
}

// engines returns those that aggregate, in the order of the plan.
func (l *levels) engines() (out []job.Engine) {
	for i := range l.out {
		for pfe := range l.out[i] {
			node := job.EngineNode(&l.j.Plan.Switches[i], pfe)
			if at := slices.IndexFunc(l.nodes, func(e job.Engine) bool { return e.Node == node }); at >= 0 {
				out = append(out, l.nodes[at])
			}
		}
	}
	return out
}
