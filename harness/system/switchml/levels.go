package switchml

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
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
	var hosts []int
	for i, h := range j.Hosts() {
		l.worker[h.Index] = i
		hosts = append(hosts, h.Index)
	}
	var err error
	if l.hops, err = j.Plan.Tree(hosts, rootOf(j).Name); err != nil {
		return nil, err
	}
	for i := range l.hops {
		if err := l.hop(&l.hops[i]); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// rootOf returns the switch that all workers are nearest to: the one whose furthest
// worker is the least links away. Of several, jobs take one after the other.
func rootOf(j *job.Job) *plan.Switch {
	furthest := make([]int, len(j.Plan.Switches))
	known := map[string]bool{}
	for _, h := range j.Hosts() {
		if known[h.Switch] {
			continue
		}
		known[h.Switch] = true
		sw, _ := j.Plan.Switch(h.Switch)
		for i, d := range linksFrom(j.Plan, sw.Index) {
			furthest[i] = max(furthest[i], d)
		}
	}
	least := slices.Min(furthest)
	var roots []int
	for i, d := range furthest {
		if d == least {
			roots = append(roots, i)
		}
	}
	return &j.Plan.Switches[roots[int(j.ID-job.DefaultID)%len(roots)]]
}

// linksFrom returns how many links each switch is from one of them.
func linksFrom(p *plan.Plan, from int) []int {
	out := slices.Repeat([]int{-1}, len(p.Switches))
	out[from] = 0
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, port := range p.Switches[queue[0]].Ports {
			if at := port.PeerSwitch; at != plan.None && out[at] < 0 {
				out[at] = out[queue[0]] + 1
				queue = append(queue, at)
			}
		}
	}
	return out
}

// udp is the port of the job between switches.
func (l *levels) udp() uint16 { return wire.Port + uint16(l.j.ID) }

// hop makes the programs of one switch.
func (l *levels) hop(h *plan.TreeHop) error {
	sw, _ := l.j.Plan.Switch(h.Switch)
	above := l.above(sw, h.In)
	if sw.Chassis == nil {
		p, err := l.program(sw, 0, h.Ports, above)
		l.out[sw.Index] = []any{p}
		return err
	}
	ports := make([][]int, len(sw.Chassis.PFEs))
	var used []int
	for _, at := range h.Ports {
		pfe := sw.Ports[at].PFE
		if len(ports[pfe]) == 0 {
			used = append(used, pfe)
		}
		ports[pfe] = append(ports[pfe], at)
	}
	top := sw.Chassis.Top
	switch {
	case h.In != plan.None:
		top = sw.Ports[h.In].PFE
	case len(used) == 1:
		top = used[0]
	}
	return l.chassis(sw, ports, top, above)
}

// chassis makes the programs of a chassis' forwarding engines, given the ports of
// each that lead to workers.
func (l *levels) chassis(sw *plan.Switch, ports [][]int, top int, above *program.Parent) error {
	out := make([]any, len(ports))
	var inside []level
	for pfe := range ports {
		if pfe == top || len(ports[pfe]) == 0 {
			continue
		}
		self := insideAddr(pfe)
		p, err := l.program(sw, pfe, ports[pfe], &program.Parent{
			MAC: inet.MAC(sw.MAC), Addr: sw.Router, Port: dataplane.Fabric(top), UDP: l.udp(), Self: self,
		})
		if err != nil {
			return err
		}
		out[pfe] = p
		inside = append(inside, level{job.EngineNode(sw, pfe), program.Worker{MAC: inet.MAC(sw.MAC), Addr: self, Port: dataplane.Fabric(pfe), UDP: l.udp()}})
	}
	p, err := l.program(sw, top, ports[top], above, inside...)
	out[top] = p
	l.out[sw.Index] = out
	return err
}

// insideAddr is the address of a forwarding engine at another of its chassis: of
// the loopback network, which never leaves a node (RFC 1122 §3.2.1.3).
func insideAddr(pfe int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, 0, byte((pfe + 1) >> 8), byte(pfe + 1)})
}

// level is an engine as one worker of the next.
type level struct {
	node string
	program.Worker
}

// above returns what leads up from a switch; nil at the root.
func (l *levels) above(sw *plan.Switch, in int) *program.Parent {
	if in == plan.None {
		return nil
	}
	port := &sw.Ports[in]
	return &program.Parent{MAC: inet.MAC(port.PeerMAC), Addr: l.j.Plan.Switches[port.PeerSwitch].Router, Port: sansio.Port(in), UDP: l.udp()}
}

// program makes the program of one engine, whose workers are at the other ends of
// ports, and inside.
func (l *levels) program(sw *plan.Switch, pfe int, ports []int, above *program.Parent, inside ...level) (program.Config, error) {
	c, part := l.base, l.part
	c.Node, c.Router, c.MAC = job.EngineNode(sw, pfe), sw.Router, inet.MAC(sw.MAC)
	part.Parent = above
	e := job.Engine{Node: c.Node, Top: above == nil, Sources: map[uint8]string{}}
	for _, at := range ports {
		port := &sw.Ports[at]
		if port.PeerHost != plan.None {
			h := &l.j.Plan.Hosts[port.PeerHost]
			id := uint8(l.worker[h.Index])
			e.Sources[id] = h.Name
			part.Workers = append(part.Workers, program.Worker{ID: id, MAC: inet.MAC(h.MAC), Addr: h.Addr.Addr(), Port: sansio.Port(at)})
			continue
		}
		below := &l.j.Plan.Switches[port.PeerSwitch]
		node := job.EngineNode(below, max(0, below.Ports[port.PeerPort].PFE)) // of its port that leads here
		inside = append(inside, level{node, program.Worker{MAC: inet.MAC(port.PeerMAC), Addr: below.Router, Port: sansio.Port(at), UDP: l.udp()}})
	}
	for i, w := range inside { // numbers that no worker has
		w.ID = uint8(program.MaxWorkers - 1 - i)
		e.Sources[w.ID] = w.node
		part.Workers = append(part.Workers, w.Worker)
	}
	if n := len(part.Workers); n > program.MaxWorkers {
		return c, fmt.Errorf("%s would aggregate for %d workers and switches: at most %d are possible; use more levels", c.Node, n, program.MaxWorkers)
	}
	slices.SortStableFunc(part.Workers, func(a, b program.Worker) int { return int(a.ID) - int(b.ID) })
	c.Jobs = []program.Job{part}
	l.nodes = append(l.nodes, e)
	return c, nil
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

// climb is what a packet's way between switches takes, up to the root and down
// again, on the longest one.
func (l *levels) climb(size int) (longest units.Duration) {
	frame := units.Bytes(size) + units.EthernetFraming
	at := make([]units.Duration, len(l.j.Plan.Switches)) // of the way so far, root first
	for _, h := range l.hops {
		sw, _ := l.j.Plan.Switch(h.Switch)
		if h.In == plan.None {
			continue
		}
		port := &sw.Ports[h.In]
		at[sw.Index] = at[port.PeerSwitch] + port.In.Delay + port.Out.Delay + port.In.Rate.TimeToSend(frame) + port.Out.Rate.TimeToSend(frame)
		longest = max(longest, at[sw.Index])
	}
	return longest
}
