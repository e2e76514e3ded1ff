package stall

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/plan"
)

// layout is what must be known of a job: who is behind a source of an engine, and
// which way packets take.
type layout struct {
	naming job.Naming
	hosts  []string
	pfes   []string // the engine at each host's port
	top    string   // the engine that sends results; empty: there is none
	below  map[uint8]string
}

func layoutOf(j *job.Job, s *Snapshot) layout {
	l := layout{naming: j.Naming()}
	for _, h := range j.Hosts() {
		l.hosts = append(l.hosts, h.Name)
		l.pfes = append(l.pfes, engineAt(j, h.Switch, h.SwitchPort))
	}
	if p := j.Layout.Partial; p != nil {
		l.top, l.below = p.Top, p.Below
		return l
	}
	for _, sw := range s.Switches {
		if len(sw.Engines) > 0 {
			l.top = sw.Engines[0].Node
		}
	}
	return l
}

// only returns the snapshot without the hosts and blocks of other jobs.
func (l *layout) only(j *job.Job, s *Snapshot) *Snapshot {
	foreign := func(host string) bool {
		return !slices.Contains(l.hosts, host) && slices.ContainsFunc(j.Plan.Hosts, func(h plan.Host) bool { return h.Name == host })
	}
	out := *s
	out.Workers = slices.DeleteFunc(slices.Clone(s.Workers), func(w worker.Snapshot) bool { return foreign(w.Node) })
	out.Silent = slices.DeleteFunc(slices.Clone(s.Silent), foreign)
	out.Dead = slices.DeleteFunc(slices.Clone(s.Dead), foreign)
	out.Switches = slices.Clone(s.Switches)
	for i := range out.Switches {
		sw := &out.Switches[i]
		if sw.Last != nil && sw.Last.Job != 0 && sw.Last.Job != j.ID {
			sw.Last = nil
		}
		sw.Engines = slices.Clone(sw.Engines)
		for k := range sw.Engines {
			l.onlyEngine(j, &sw.Engines[k])
		}
	}
	return &out
}

// onlyEngine takes the blocks of other jobs out. Engines tell the sources of the
// first job only: those of another are its workers there.
func (l *layout) onlyEngine(j *job.Job, e *chassis.EngineState) {
	e.Open = slices.DeleteFunc(slices.Clone(e.Open), func(b dataplane.OpenBlock) bool { return b.Job != 0 && b.Job != j.ID })
	if j.ID == job.DefaultID {
		return
	}
	e.Sources = trace.Mask{}
	for i, pfe := range l.pfes {
		if pfe == e.Node {
			e.Sources.Set(uint8(i))
		}
	}
}

// engineAt names the engine of a switch's port as trace events do.
func engineAt(j *job.Job, node string, port int) string {
	for _, sw := range j.Plan.Switches {
		if sw.Name == node && sw.Chassis != nil {
			return node + "/" + sw.Chassis.PFEs[sw.Ports[port].PFE].Name
		}
	}
	return node
}

// name returns who is behind a source of an engine.
func (l *layout) name(engine string, source int) string {
	if below, ok := l.below[uint8(source)]; ok && engine == l.top {
		return below
	}
	if source < len(l.hosts) {
		return l.hosts[source]
	}
	return fmt.Sprintf("source %d", source)
}

// up returns the links from a host to an engine, down those back.
func (l *layout) up(s *Snapshot, host, engine string) []chassis.LinkState {
	var out []chassis.LinkState
	if first, ok := s.link(func(k chassis.LinkState) bool { return k.From == host }); ok {
		out = append(out, first)
	}
	return append(out, s.between(l.at(host), engine)...)
}

func (l *layout) down(s *Snapshot, engine, host string) []chassis.LinkState {
	out := s.between(engine, l.at(host))
	if last, ok := s.link(func(k chassis.LinkState) bool { return k.To == host }); ok {
		out = append(out, last)
	}
	return out
}

// at returns the engine at the port of a host.
func (l *layout) at(host string) string {
	for i, h := range l.hosts {
		if h == host {
			return l.pfes[i]
		}
	}
	return ""
}

// between returns the fabric link between two engines, if there is one.
func (s *Snapshot) between(from, to string) []chassis.LinkState {
	if k, ok := s.link(func(k chassis.LinkState) bool { return k.From == from && k.To == to && from != to }); ok {
		return []chassis.LinkState{k}
	}
	return nil
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
	way := l.up(s, host, engine)
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
	way := l.down(s, engine, host)
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
