package atp

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/atp"
	host "github.com/inalab/inalab/nodes/atp"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/topo/plan"
)

// placement is what the switches do for a job.
type placement struct {
	j       *job.Job
	servers []plan.Host      // that servers are on
	places  []*places        // by server
	trees   [][]plan.TreeHop // by server: of its parameter packets
	levels  int              // of headers with more than two; else 0
}

// place finds out who is where, towards each server.
func (s System) place(j *job.Job) (*placement, error) {
	p := &placement{j: j, servers: s.serverHosts(j), levels: s.deep}
	if s.Levels == AllLevels {
		if err := p.deepen(); err != nil {
			return nil, err
		}
	}
	for i := range p.servers {
		h := &p.servers[i]
		if p.levels == 0 {
			at, err := s.placesFor(j, h)
			if err != nil {
				return nil, err
			}
			p.places = append(p.places, at)
		}
		tree, err := j.Plan.Tree(receivers(j, h), h.Switch)
		if err != nil {
			return nil, err
		}
		p.trees = append(p.trees, tree)
	}
	return p, nil
}

// receivers returns the hosts whose workers get the parameters of a server by the network, by their numbers in
// the plan: all but its own.
func receivers(j *job.Job, server *plan.Host) (out []int) {
	for _, h := range j.Hosts() {
		if h.Index != server.Index {
			out = append(out, h.Index)
		}
	}
	return out
}

// programs returns those of all switches that aggregate for the job.
func (p *placement) programs(cfg program.Config) ([][]any, error) {
	out := make([][]any, len(p.j.Plan.Switches))
	for i := range out {
		sw := &p.j.Plan.Switches[i]
		doc := program.Job{ID: p.j.ID, Levels: p.levels}
		part := false
		for k := range p.places {
			s := p.server(sw, k)
			part = part || slices.ContainsFunc(s.Parts(), func(l program.Level) bool { return len(l.Sources) > 0 })
			if len(s.Ports) > 0 {
				doc.Servers = append(doc.Servers, s)
			}
		}
		if !part {
			continue
		}
		if n := job.PFEs(sw); n > 1 {
			return nil, fmt.Errorf("atp aggregates in switches with one forwarding engine, but %s of topology %s is a chassis of %d: use rack, leaf-spine or multi-rack", sw.Name, p.j.Plan.Name, n)
		}
		cfg.Node, cfg.Jobs = sw.Name, []program.Job{doc}
		out[i] = []any{engineConfig{Program: cfg}}
	}
	return out, nil
}

// server is a server as a switch sees it. Without ports its parameter packets do not come there.
func (p *placement) server(sw *plan.Switch, k int) program.Server {
	at, h := p.places[k], &p.servers[k]
	out := program.Server{Addr: h.Addr.Addr()}
	for _, hop := range p.trees[k] {
		switch {
		case hop.Switch != sw.Name:
		case hop.In == plan.None:
			out.Ports = []sansio.Port{sansio.Port(h.SwitchPort)}
		default:
			out.Ports = []sansio.Port{sansio.Port(hop.In)}
		}
	}
	if at.deep != nil {
		at.deep.parts(p.j, sw, &out)
		return out
	}
	for bit, from := range at.sources() {
		if from.sw == sw && !from.direct {
			out.Levels[0].Sources = p.workers(from.workers)
		}
		if at.two && at.home == sw {
			out.Levels[1].Sources = append(out.Levels[1].Sources, p.source(uint8(bit), &from, sw))
		}
	}
	return out
}

// workers returns those of a rack as its switch sees them.
func (p *placement) workers(list []int) (out []program.Source) {
	hosts := p.j.Hosts()
	for bit, w := range list {
		h := &hosts[w]
		out = append(out, program.Source{Bit: uint8(bit), Ports: []sansio.Port{sansio.Port(h.SwitchPort)}, Name: h.Name, Workers: []uint8{uint8(w)}})
	}
	return out
}

// source is a place as the second edge switch sees it.
func (p *placement) source(bit uint8, from *place, sw *plan.Switch) program.Source {
	if from.direct {
		out := p.workers(from.workers)[0]
		out.Bit = bit
		return out
	}
	return program.Source{Bit: bit, Ports: arrivals(p.j.Plan, from.sw, sw), Name: from.sw.Name, Workers: numbers(from.workers)}
}

// arrivals returns the ports of a switch by which frames from another one may come, on any of the
// paths of equal cost.
func arrivals(p *plan.Plan, from, to *plan.Switch) (out []sansio.Port) {
	way := []int{from.Index}
	for i := 0; i < len(way); i++ {
		at := &p.Switches[way[i]]
		k := slices.IndexFunc(at.Routes, func(r plan.Route) bool { return r.Dst == to.Subnet })
		for _, hop := range at.Routes[k].Hops {
			switch port := &at.Ports[hop.Port]; {
			case port.PeerSwitch == to.Index:
				out = append(out, sansio.Port(port.PeerPort))
			case !slices.Contains(way, port.PeerSwitch):
				way = append(way, port.PeerSwitch)
			}
		}
	}
	slices.Sort(out)
	return out
}

// toServers describes the servers to a worker.
func (p *placement) toServers(w int) (out []host.Server) {
	for k := range p.places {
		to := p.places[k].server(w)
		port := wire.PortOf(p.levels)
		to.Flow = p.j.ToHost(&p.j.Hosts()[w], &p.servers[k], port, port)
		out = append(out, to)
	}
	return out
}

// engines returns the switches that aggregate, in the order of the plan, then the servers. Their sources are
// workers, also where they are racks: events have the workers that are in a sum.
func (p *placement) engines() (out []job.Engine) {
	hosts := p.j.Hosts()
	for i := range p.j.Plan.Switches {
		sw := &p.j.Plan.Switches[i]
		e := job.Engine{Node: sw.Name, Sources: map[uint8]string{}, Below: p.below(sw)}
		for k, at := range p.places {
			e.Top = e.Top || at.home == sw
			s := p.server(sw, k)
			for _, l := range s.Parts() {
				for _, from := range l.Sources {
					for _, w := range from.Workers {
						e.Sources[w] = hosts[w].Name
					}
				}
			}
		}
		if len(e.Sources) > 0 {
			out = append(out, e)
		}
	}
	for k := range p.servers {
		e := job.Engine{Node: serverName(p.j, &p.servers[k]), Server: true, Sources: map[uint8]string{}}
		if e.Node != p.servers[k].Name {
			e.Host = p.servers[k].Name
		}
		for w := range hosts {
			e.Sources[uint8(w)] = hosts[w].Name
		}
		out = append(out, e)
	}
	return out
}
