package job

import (
	"fmt"

	"github.com/inalab/inalab/topo/plan"
)

// Engine is a forwarding engine that aggregates for a job.
type Engine struct {
	Node    string           // as in trace events
	Top     bool             // it sends results to the workers, others to the engine above
	Server  bool             // it is a server, which adds what the switches did not
	Host    string           // that a server shares with a worker; empty: it is its node
	Sources map[uint8]string // who is behind each source: the host of a worker, or the engine below
	Below   map[uint8]string // whom the packets of a source come from, where a worker may be behind several engines
}

// Engine returns the engine of a name; nil: it does not aggregate for the job.
func (l *Layout) Engine(node string) *Engine {
	for i := range l.Engines {
		if l.Engines[i].Node == node {
			return &l.Engines[i]
		}
	}
	return nil
}

// Top returns the engine that sends results to the workers; nil: there is none.
func (l *Layout) Top() *Engine {
	for i := range l.Engines {
		if l.Engines[i].Top {
			return &l.Engines[i]
		}
	}
	return nil
}

// Below returns the engines among the sources of an engine, by source.
func (l *Layout) Below(e *Engine) map[uint8]string {
	out := map[uint8]string{}
	for source, name := range e.Sources {
		if l.Engine(name) != nil {
			out[source] = name
		}
	}
	return out
}

// Who names who is behind a source of an engine. A source that the job does not
// know there has its number.
func (l *Layout) Who(engine string, source uint8) string {
	if e := l.Engine(engine); e != nil {
		if name, ok := e.Sources[source]; ok {
			return name
		}
	}
	return fmt.Sprintf("source %d", source)
}

// onlyEngine returns the one engine of a system that says nothing of engines: its
// sources are the workers. Where there are several, none is known.
func (j *Job) onlyEngine(programs [][]any) []Engine {
	var out []Engine
	for i := range programs {
		sw := &j.Plan.Switches[i]
		for pfe, p := range programs[i] {
			if p != nil {
				out = append(out, Engine{Node: EngineNode(sw, pfe), Top: true, Sources: map[uint8]string{}})
			}
		}
	}
	if len(out) != 1 {
		return nil
	}
	for i, h := range j.Hosts() {
		out[0].Sources[uint8(i)] = h.Name
	}
	return out
}

// PFEs returns how many forwarding engines a switch has.
func PFEs(sw *plan.Switch) int {
	if sw.Chassis == nil {
		return 1
	}
	return len(sw.Chassis.PFEs)
}

// EngineNode names a forwarding engine as its trace events do.
func EngineNode(sw *plan.Switch, pfe int) string {
	if sw.Chassis == nil {
		return sw.Name
	}
	return fmt.Sprintf("%s/%s", sw.Name, sw.Chassis.PFEs[pfe].Name)
}
