package xagg

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/aggtree"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	"github.com/inalab/inalab/nodes/xagg/rates"
	agent "github.com/inalab/inalab/nodes/xaggd"
	"github.com/inalab/inalab/topo/plan"
)

// laid is the system over the hosts of a job: workers first, then servers, the PS last.
type laid struct {
	System
	j     *job.Job
	tree  aggtree.Tree
	hosts []plan.Host
}

// Layout lays the system over the hosts of a job.
func (s System) Layout(j *job.Job) (job.Layout, error) {
	on, err := s.lay(j)
	if err != nil {
		return job.Layout{}, err
	}
	l := job.Layout{
		Port: xaggctl.Port, ServerPort: xaggctl.Port, Packet: wire.FrameLen(s.values()) - inet.EtherLen,
		Trees: []job.Tree{{Group: on.group(), From: on.hosts[on.tree.PS()].Index, To: on.indexes(on.tree.Workers)}},
		Time:  on.time(), Block: s.values(), Notes: on.notes(),
		Protocol: wire.Protocol, XDP: !j.Virtual && s.Store != Socket,
	}
	for i := range on.hosts {
		switch c := on.config(i); {
		case i < on.tree.Workers:
			l.Cores = append(l.Cores, c)
		default:
			l.Dedicated = append(l.Dedicated, c)
		}
	}
	return l, nil
}

// lay says where everybody is, or why a job cannot be laid out.
func (s System) lay(j *job.Job) (*laid, error) {
	workers := len(j.Hosts())
	if need := s.Servers(workers); j.Servers < need {
		return nil, fmt.Errorf("xagg needs %d hosts behind %d workers, the last for the parameter server, but there are %d: give the topology as many, or set xagg.tree, xagg.k or xagg.spares", need, workers, j.Servers)
	}
	if n := workers + j.Servers; n > wire.MaxHosts {
		return nil, fmt.Errorf("xagg: %d hosts: host ids have a bit for each of %d workers, servers and the parameter server (XAgg §IV-A): use fewer hosts", n, wire.MaxHosts)
	}
	if j.Params < 1 {
		return nil, errors.New("xagg: a tensor needs an element")
	}
	if s.Busy.Server >= j.Servers {
		return nil, fmt.Errorf("xagg.busy-server=%d: there are %d servers beside the parameter server, counted from 1", s.Busy.Server, j.Servers-1)
	}
	kind := aggtree.Kind(s.mode())
	if s.mode() == conductor.Plan {
		kind = aggtree.Star // until the first iteration is over
	}
	tree, err := aggtree.Choose(kind, workers, j.Servers, s.k())
	if err != nil {
		return nil, fmt.Errorf("xagg: %w", err)
	}
	return &laid{System: s, j: j, tree: tree, hosts: j.Members()}, nil
}

func (l *laid) notes() []string {
	out := []string{"aggregation tree: " + l.tree.String()}
	if l.j.Virtual && !l.Prompt {
		out = append(out, "negotiation of rates takes the paper's times (XAgg §VI-C), whatever the messages take")
	}
	return out
}

// group is the multicast group of results.
func (l *laid) group() netip.Addr { return plan.Group(uint16(l.j.ID)) }

// indexes returns the places of the first n hosts in the plan.
func (l *laid) indexes(n int) (out []int) {
	for _, h := range l.hosts[:n] {
		out = append(out, h.Index)
	}
	return out
}

// id is the host id of a host of the job: one bit.
func id(host int) uint32 { return 1 << host }

// line returns the bandwidth of the link of a host, towards it and from it.
func (l *laid) line(host int) (in, out units.Rate) {
	h := &l.hosts[host]
	sw, _ := l.j.Plan.Switch(h.Switch)
	p := sw.Ports[h.SwitchPort]
	none := cmp.Or(l.Line, DefaultLine)
	return cmp.Or(p.Out.Rate, none), cmp.Or(p.In.Rate, none)
}

// peer is a host as another one sends to it.
func (l *laid) peer(from, to int) agent.Peer {
	f := l.j.ToHost(&l.hosts[from], &l.hosts[to], xaggctl.Port, xaggctl.Port)
	return agent.Peer{Node: l.hosts[to].Name, ID: id(to), MAC: f.DstMAC, Addr: f.Dst}
}

// below returns the host ids of all below a host in the tree.
func (l *laid) below(host int) (ids uint32) {
	for _, c := range l.tree.Children(host) {
		ids |= id(c) | l.below(c)
	}
	return ids
}

func (l *laid) children(host int) (out []agent.Child) {
	for _, c := range l.tree.Children(host) {
		out = append(out, agent.Child{Peer: l.peer(host, c), Below: l.below(c)})
	}
	return out
}

// common is what the agent of any host is told.
func (l *laid) common(host int) agent.Common {
	h := &l.hosts[host]
	c := agent.Common{
		Node: h.Name, ID: id(host), MAC: inet.MAC(h.MAC), Addr: h.Addr.Addr(), Root: l.peer(host, l.tree.PS()),
		Job: uint16(l.j.ID), Values: l.values(), Fragments: agent.Fragments(l.j.Params, l.values()), Tree: 1,
	}
	c.Ingress, c.Egress = l.line(host)
	if l.severalWays() {
		c.Gradients.Settle, c.Results.Settle = settle, 2*settle
	}
	if l.j.Virtual && !l.Prompt {
		c.Initial, c.Update = rates.PaperInitial, rates.PaperUpdate
	}
	return c
}

// settle is how long a node waits for packets on a slower way than the one that ended their group, where
// there are several (assumed: longer than queues differ). Results wait for gradients that are asked for.
const settle = 2 * agent.DefaultPoll

// severalWays reports whether packets between two hosts may go by several ways, and so overtake each other.
func (l *laid) severalWays() bool {
	for _, sw := range l.j.Plan.Switches {
		for _, r := range sw.Routes {
			if len(r.Hops) > 1 {
				return true
			}
		}
	}
	return false
}

// config describes the machine of a host.
func (l *laid) config(host int) any {
	c := hostConfig{Store: l.Store, Virtual: l.j.Virtual, Iface: l.hosts[host].Iface}
	switch {
	case host < l.tree.Workers:
		c.Worker = &agent.WorkerConfig{
			Common: l.common(host), Worker: host, Workers: l.tree.Workers, Tensor: l.j.Params, Agents: l.agents(),
			Parent: l.peer(host, l.tree.Parents[host]), Group: l.group(), Scaling: gradient.Fixed{Factor: float64(cmp.Or(l.Factor, DefaultFactor))},
			Integers: l.j.Elements > 0, Sample: l.j.Sample, Hosts: l.others(host), Measure: l.mode() == conductor.Plan, Start: l.j.Times.Start,
		}
	case host == l.tree.PS():
		c.Root = l.root(host)
	default:
		c.Server = l.server(host)
		if l.Busy.Server == host-l.tree.Workers+1 {
			c.Busy = &busy{At: l.Busy.At, Load: xaggctl.Load{Total: c.Server.Load.Total, Bandwidth: c.Server.Load.Bandwidth}}
		}
	}
	return c
}

// root describes the parameter server. Results that are sent again go as fast as the slowest link to a
// worker takes them.
func (l *laid) root(host int) *agent.RootConfig {
	c := &agent.RootConfig{
		Common: l.common(host), Children: l.children(host), Group: l.group(), Hosts: l.others(host), Conductor: l.management(), Iterations: l.j.Iterations,
	}
	_, c.ResultRate = l.line(host)
	for w := range l.tree.Workers {
		in, _ := l.line(w)
		c.ResultRate = min(c.ResultRate, in)
		c.Workers = append(c.Workers, l.peer(host, w))
	}
	return c
}

// server describes an aggregating server, which may be spare.
func (l *laid) server(host int) *agent.ServerConfig {
	c := &agent.ServerConfig{
		Common: l.common(host), Hosts: l.others(host), Load: l.load(host), Reports: conductor.DefaultPeriod, Spare: l.tree.Idle(host),
	}
	if !c.Spare {
		c.Parent, c.Children = l.peer(host, l.tree.Parents[host]), l.children(host)
	}
	return c
}
