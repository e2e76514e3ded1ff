package stall

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/plan"
)

// layout is what must be known of a job: who is behind a source of an engine, and
// which way packets take.
type layout struct {
	*job.Layout
	naming   job.Naming
	engineOf map[string]string // at the port of each host of a worker or server
	top      string            // the engine that sends results; empty: there is none
	plan     *plan.Plan
}

func layoutOf(j *job.Job) layout {
	l := layout{Layout: &j.Layout, naming: j.Naming(), engineOf: map[string]string{}, plan: j.Plan}
	for _, h := range slices.Concat(j.Hosts(), j.ServerHosts()) {
		sw, _ := j.Plan.Switch(h.Switch)
		l.engineOf[h.Name] = job.EngineNode(sw, sw.Ports[h.SwitchPort].PFE)
	}
	if top := l.Top(); top != nil {
		l.top = top.Node
	}
	return l
}

// restrictTo returns the snapshot without the hosts, their links, and the blocks of other jobs.
func (l *layout) restrictTo(j *job.Job, s *Snapshot) *Snapshot {
	foreign := func(host string) bool {
		return l.engineOf[host] == "" && slices.ContainsFunc(j.Plan.Hosts, func(h plan.Host) bool { return h.Name == host })
	}
	out := *s
	out.Workers = slices.DeleteFunc(slices.Clone(s.Workers), func(w worker.Snapshot) bool { return foreign(w.Node) })
	out.Silent = slices.DeleteFunc(slices.Clone(s.Silent), foreign)
	out.Dead = slices.DeleteFunc(slices.Clone(s.Dead), foreign)
	out.Servers = slices.DeleteFunc(slices.Clone(s.Servers), func(e chassis.EngineState) bool { return foreign(e.Node) })
	out.Switches = slices.Clone(s.Switches)
	for i := range out.Switches {
		sw := &out.Switches[i]
		sw.Links = slices.DeleteFunc(slices.Clone(sw.Links), func(k chassis.LinkState) bool { return foreign(k.From) || foreign(k.To) })
		if sw.Last != nil && sw.Last.Job != 0 && sw.Last.Job != j.ID {
			sw.Last = nil
		}
		sw.Engines = slices.Clone(sw.Engines)
		for k := range sw.Engines {
			e := &sw.Engines[k]
			e.Open = slices.DeleteFunc(slices.Clone(e.Open), func(b dataplane.OpenBlock) bool { return b.Job != 0 && b.Job != j.ID })
		}
	}
	return &out
}

// sources returns who is behind the sources of an engine, the lowest first.
func (l *layout) sources(engine string) (out []string) {
	if e := l.Engine(engine); e != nil {
		for _, s := range slices.Sorted(maps.Keys(e.Sources)) {
			out = append(out, e.Sources[s])
		}
	}
	return out
}

// parentOf returns the engine that an engine is a source of; empty: there is none.
func (l *layout) parentOf(engine string) string {
	for i := range l.Engines {
		if e := &l.Engines[i]; slices.Contains(slices.Collect(maps.Values(e.Sources)), engine) {
			return e.Node
		}
	}
	return ""
}

// pathUp returns the nodes between a host and an engine above it, both included.
func (l *layout) pathUp(host, engine string) []string {
	way := []string{host}
	for at := l.engineOf[host]; ; at = l.parentOf(at) {
		if at == "" || len(way) > len(l.Engines) {
			return append(way, engine) // it is not above the host: what lies between is not known
		}
		if way = append(way, at); at == engine {
			return way
		}
	}
}

// linksUp returns the links from a host to an engine above it, or to a server.
func (l *layout) linksUp(s *Snapshot, host, engine string) []chassis.LinkState {
	if l.isServer(engine) {
		return l.linksTo(s, host, engine)
	}
	return s.linksAlong(l.pathUp(host, engine))
}

// linksDown returns those of the way back.
func (l *layout) linksDown(s *Snapshot, engine, host string) []chassis.LinkState {
	if l.isServer(engine) {
		return l.linksTo(s, engine, host)
	}
	up := l.pathUp(host, engine)
	slices.Reverse(up)
	return s.linksAlong(up)
}

// linksTo returns the links from a host to another, on all ways of equal cost.
func (l *layout) linksTo(s *Snapshot, from, to string) (out []chassis.LinkState) {
	from, to = l.hostOf(from), l.hostOf(to)
	if from == to {
		return nil
	}
	add := func(a, b string) {
		if k, ok := s.linkBetween(a, b); ok {
			out = append(out, k)
		}
	}
	home := l.switchAt(to)
	way := []*plan.Switch{l.switchAt(from)}
	add(from, way[0].Name)
	for i := 0; i < len(way); i++ {
		at := way[i]
		if at == home {
			add(at.Name, to)
			continue
		}
		k := slices.IndexFunc(at.Routes, func(r plan.Route) bool { return r.Dst == home.Subnet })
		for _, hop := range at.Routes[k].Hops {
			next := &l.plan.Switches[at.Ports[hop.Port].PeerSwitch]
			add(at.Name, next.Name)
			if !slices.Contains(way, next) {
				way = append(way, next)
			}
		}
	}
	return out
}

// switchAt returns the switch of a host of the job.
func (l *layout) switchAt(host string) *plan.Switch {
	sw, _ := l.plan.Switch(switchOf(l.engineOf[host]))
	return sw
}

// linksAlong returns the links between the nodes of a way, those that there are.
func (s *Snapshot) linksAlong(way []string) (out []chassis.LinkState) {
	for i := range way[1:] {
		if k, ok := s.linkBetween(way[i], way[i+1]); ok {
			out = append(out, k)
		}
	}
	return out
}

// linkBetween returns the link from a node to another: of the fabric between engines
// of one chassis, else one between a host or a switch and a switch.
func (s *Snapshot) linkBetween(from, to string) (chassis.LinkState, bool) {
	if k, ok := s.link(func(k chassis.LinkState) bool { return k.From == from && k.To == to }); ok {
		return k, true
	}
	a, b := switchOf(from), switchOf(to)
	return s.link(func(k chassis.LinkState) bool { return a != b && k.From == a && k.To == b })
}

// switchOf returns the switch of an engine; all else is itself.
func switchOf(node string) string {
	name, _, _ := strings.Cut(node, "/")
	return name
}

// Hop is where packets end.
type Hop struct {
	Name string // of a link, or a node
	Why  string // what makes it the one
}

// lossy returns the first hop of a way that took more frames than it gave.
func lossy(way []chassis.LinkState) (Hop, bool) {
	for _, k := range way {
		if k.Out+k.Inside < k.In {
			return Hop{k.Name, fmt.Sprintf("%d frames in, %d out", k.In, k.Out)}, true
		}
	}
	return Hop{}, false
}

// lostUp finds where a packet that a host sent to an engine was lost.
func (l *layout) lostUp(s *Snapshot, host, engine string) Hop {
	way := l.linksUp(s, host, engine)
	if hop, ok := lossy(way); ok {
		return hop
	}
	if len(way) == 0 {
		return Hop{host, "no link leads on from it"}
	}
	if w, ok := s.worker(host); ok && w.TxFrames > way[0].In {
		return Hop{way[0].Name, fmt.Sprintf("%s sent %d frames, %d came in", host, w.TxFrames, way[0].In)}
	}
	return Hop{way[0].Name, "no link says that it lost it: see the drops of the nodes in counters.json"}
}

// lostDown finds where a result on its way to a host was lost.
func (l *layout) lostDown(s *Snapshot, engine, host string) Hop {
	way := l.linksDown(s, engine, host)
	if hop, ok := lossy(way); ok {
		return hop
	}
	if len(way) == 0 {
		return Hop{engine, "no link leads on from it to " + host}
	}
	last := way[len(way)-1]
	if w, ok := s.worker(host); ok && w.RxFrames > 0 && w.RxFrames < last.Out {
		return Hop{last.Name, fmt.Sprintf("%d frames came out, %s took %d", last.Out, host, w.RxFrames)}
	}
	return Hop{last.Name, "no link says that it lost it: see the drops of the nodes in counters.json"}
}
