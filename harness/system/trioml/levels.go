package trioml

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// levels lays a job over the switches of a plan (Trio §4): over those that packets pass on their
// way to a root. Each sends its results to the router address of the next, which has it as one
// source; the root sends to the job's multicast group, which the others forward to the workers.
//
//	h0 h1 h2 --> mx0/pfe1 --+
//	                        +--> mx0/pfe4 --+
//	h3 h4    --> mx0/pfe2 --+               +--> spine0/pfe1 --> group
//	h5 h6    --> mx1/pfe1 -- ... mx1/pfe4 --+
//
// A level waits longer than the one below it (ambiguity trio.hier-timeout).
type levels struct {
	sys    System
	j      *job.Job
	hops   []plan.TreeHop // root first
	worker map[int]int    // worker on a host, by index in the plan; looked up, never ranged
	out    map[int]uint8  // src_id of the results of a switch, by index; looked up, never ranged
	down   []sansio.Port  // by which the root sends to workers, and to where they may come up
	pfes   []pfe          // that have a part, the root's first
	given  []source       // src_ids of workers, and of PFEs and switches so far
}

// pfe is a PFE with a record of the job.
type pfe struct {
	sw   *plan.Switch
	node string // as in trace events
	placed
}

// levels returns what PFEs do for a job.
func (t System) levels(j *job.Job) (*levels, error) {
	l := &levels{sys: t, j: j, worker: map[int]int{}, out: map[int]uint8{}}
	for i, h := range j.Hosts() {
		l.worker[h.Index] = i
		l.given = append(l.given, source{id: uint8(i)})
	}
	var err error
	if l.hops, err = j.Plan.Tree(l.hosts(), j.Root().Name); err != nil {
		return nil, err
	}
	if l.down, err = j.Down(l.root()); err != nil {
		return nil, err
	}
	for i := range l.hops {
		if err := l.hop(&l.hops[i]); err != nil {
			return nil, err
		}
	}
	return l, l.wait()
}

// root returns the switch that sends results to the workers.
func (l *levels) root() *plan.Switch { return l.switchOf(&l.hops[0]) }

func (l *levels) switchOf(h *plan.TreeHop) *plan.Switch {
	sw, _ := l.j.Plan.Switch(h.Switch)
	return sw
}

// results is the addressing of what workers get.
func (l *levels) results() inet.Flow { return job.ToGroup(l.root(), l.j.ID, wire.Port) }

// hosts returns the hosts of the workers, by index in the plan.
func (l *levels) hosts() (out []int) {
	for _, h := range l.j.Hosts() {
		out = append(out, h.Index)
	}
	return out
}

// hop lays the job over the PFEs of one switch.
func (l *levels) hop(h *plan.TreeHop) error {
	sw := l.switchOf(h)
	if n := len(h.Ports); n > wire.MaxSources {
		return fmt.Errorf("%d workers and switches of the job are behind switch %s: a PFE of Trio-ML has at most %d sources: spread them over more switches", n, sw.Name, wire.MaxSources)
	}
	p := placement{sw: sw, record: l.record(sw, h), sources: make([][]source, job.PFEs(sw))}
	for _, at := range h.Ports {
		port := &sw.Ports[at]
		of := &p.sources[max(0, port.PFE)]
		behind, err := l.behind(port, *of)
		if err != nil {
			return err
		}
		*of = append(*of, behind)
	}
	for _, of := range p.sources {
		slices.SortFunc(of, func(a, b source) int { return int(a.id) - int(b.id) })
	}
	node := func(pfe int) string { return job.EngineNode(sw, pfe) }
	records, err := p.records(node, l.sourceOf)
	if err != nil {
		return err
	}
	for _, r := range records {
		l.pfes = append(l.pfes, pfe{sw, node(r.pfe), r})
	}
	return nil
}

// record is what the PFEs of a switch have of the job, with how the results of the switch leave it.
func (l *levels) record(sw *plan.Switch, h *plan.TreeHop) program.Job {
	r := program.Job{ID: l.j.ID, BlockMax: l.sys.blockMax(l.j), GradMax: l.sys.GradMax, Out: l.results()}
	if h.In != plan.None {
		port := &sw.Ports[h.In]
		above := &l.j.Plan.Switches[port.PeerSwitch]
		r.Out = inet.Flow{SrcMAC: inet.MAC(port.MAC), DstMAC: inet.MAC(port.PeerMAC), Src: sw.Router, Dst: above.Router, SrcPort: wire.Port, DstPort: wire.Port}
		r.To, r.OutSource = []sansio.Port{sansio.Port(h.In)}, l.out[sw.Index]
		return r
	}
	r.To = l.down
	if len(l.hops) == 1 {
		r.To = l.j.HostPorts()
	}
	r.OutSource = uint8(pfeSource + topOf(sw, l.leaves(h)))
	return r
}

// behind returns the source at the other end of a port: a worker, or a switch below, which gets a
// src_id that no other source of the PFE has.
func (l *levels) behind(port *plan.Port, taken []source) (source, error) {
	if port.PeerHost != plan.None {
		return source{uint8(l.worker[port.PeerHost]), l.j.Plan.Hosts[port.PeerHost].Name}, nil
	}
	below := &l.j.Plan.Switches[port.PeerSwitch]
	id, err := l.sourceOf(pfeSource, taken)
	if err != nil {
		return source{}, err
	}
	l.out[below.Index] = id
	i := slices.IndexFunc(l.hops, func(h plan.TreeHop) bool { return h.Switch == below.Name })
	return source{id, job.EngineNode(below, topOf(below, l.leaves(&l.hops[i])))}, nil
}

// leaves returns the PFEs of a switch whose ports sources are at.
func (l *levels) leaves(h *plan.TreeHop) (out []int) {
	sw := l.switchOf(h)
	for _, at := range h.Ports {
		out = append(out, max(0, sw.Ports[at].PFE))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// wait gives each PFE the timeout of its level.
func (l *levels) wait() error {
	for i := range l.pfes {
		p := &l.pfes[i]
		p.Timeout = l.sys.timeout()
		for range l.height(p) - 1 {
			p.Timeout *= units.Duration(l.sys.patience())
			if p.Timeout > program.MaxTimeout && !l.sys.NoAging {
				return fmt.Errorf("%d levels of PFEs, each of which waits %d times as long as the one below: %s would wait longer than the %v that are possible: lower trio.timeout", l.height(&l.pfes[0]), l.sys.patience(), p.node, program.MaxTimeout)
			}
		}
	}
	return nil
}

// height returns how many levels there are up to a PFE, its own included.
func (l *levels) height(p *pfe) int {
	below := 0
	for _, name := range p.names {
		if b := l.pfe(name); b != nil {
			below = max(below, l.height(b))
		}
	}
	return below + 1
}

// pfe returns the PFE of a name; nil: it is a host.
func (l *levels) pfe(name string) *pfe {
	if i := slices.IndexFunc(l.pfes, func(p pfe) bool { return p.node == name }); i >= 0 {
		return &l.pfes[i]
	}
	return nil
}

// longest returns the longest timeout of a PFE at which the packets of a worker first meet those of
// others: so long these wait for it.
func (l *levels) longest() (out units.Duration) {
	for _, h := range l.j.Hosts() {
		name := h.Name
		for {
			i := slices.IndexFunc(l.pfes, func(p pfe) bool { return slices.Contains(p.names, name) })
			if i < 0 {
				break
			}
			if len(l.pfes[i].names) > 1 {
				out = max(out, l.pfes[i].Timeout)
				break
			}
			name = l.pfes[i].node
		}
	}
	return out
}

// programs returns the programs of the PFEs, by switch. Those of switches on no way have none.
func (l *levels) programs() [][]program.Config {
	t := &l.sys
	out := make([][]program.Config, len(l.j.Plan.Switches))
	for i := range l.hops {
		sw := l.switchOf(&l.hops[i])
		out[sw.Index] = make([]program.Config, job.PFEs(sw))
		for pfe := range out[sw.Index] {
			c := program.Config{Node: job.EngineNode(sw, pfe), Timeout: t.timeout(), Threads: t.Threads, NoAging: t.NoAging, Late: t.Late, Age: t.Age, Peers: t.peers(sw, pfe)}
			if sw.Chassis != nil && pfe == sw.Chassis.Top { // of jobs that come at run time
				c.Timeout *= units.Duration(t.patience())
			}
			out[sw.Index][pfe] = c
		}
	}
	for i := range l.pfes {
		p := &l.pfes[i]
		c := &out[p.sw.Index][p.pfe]
		c.Timeout, c.Jobs = p.Timeout, []program.Job{p.Job}
	}
	return out
}

// engines returns the PFEs that have a part of the job, in the order of the plan.
func (l *levels) engines() (out []job.Engine) {
	list := slices.Clone(l.pfes)
	slices.SortFunc(list, func(a, b pfe) int { return cmp.Or(a.sw.Index-b.sw.Index, a.pfe-b.pfe) })
	for i := range list {
		e := job.Engine{Node: list[i].node, Top: list[i].node == l.pfes[0].node, Sources: map[uint8]string{}}
		for k, s := range list[i].Sources {
			e.Sources[s] = list[i].names[k]
		}
		out = append(out, e)
	}
	return out
}

// patience is the timeout of a level, in those of the one below.
func (t System) patience() int { return cmp.Or(t.TopPatience, topPatience) }
