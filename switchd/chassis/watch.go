package chassis

import (
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo"
)

// Snapshot is where packets are and are not in a switch.
type Snapshot struct {
	Node    string        `json:"node"`
	Links   []LinkState   `json:"links"`
	Engines []EngineState `json:"engines"`
	Last    *trace.Event  `json:"last,omitempty"` // latest event; nil: none, or not recorded
}

// LinkState is one direction of a link that is modelled in the switch, or of a
// perfect one at a port of it.
type LinkState struct {
	Name   string `json:"name"` // as in the counters: "h0:eth0->tor:p0"
	From   string `json:"from"` // node, or PFE as "mx480/pfe1"
	To     string `json:"to"`
	In     uint64 `json:"in"`     // frames that entered
	Out    uint64 `json:"out"`    // frames that came to the end
	Inside uint64 `json:"inside"` // frames on their way; the others were lost
}

// EngineState is what an engine or a server waits for.
type EngineState struct {
	Node    string                `json:"node"`    // as in its trace events
	Sources trace.Mask            `json:"sources"` // of the first job
	Open    []dataplane.OpenBlock `json:"open"`
}

// maxOpen bounds the list of an engine (assumed: the pools and windows of the
// papers).
const maxOpen = 4096

// firstJob is the job of a run with one.
const firstJob = 1

// Snapshot returns where packets are; log may be nil. Asking changes nothing.
func (c *Chassis) Snapshot(log *trace.Log) Snapshot {
	s := Snapshot{Node: c.cfg.Switch.Name}
	for i := range c.ports {
		if c.ports[i].wired {
			s.Links = append(s.Links, c.linksOf(i)...)
		}
	}
	for i, p := range c.fabric {
		if p != nil {
			n := len(c.pfes)
			s.Links = append(s.Links, p.state(c.engineName(i/n), c.engineName(i%n)))
		}
	}
	for _, e := range c.engines {
		if state, ok := Look(c.engineName(e.pfe), e.Engine); ok {
			s.Engines = append(s.Engines, state)
		}
	}
	if e, ok := log.Last(); ok {
		s.Last = &e
	}
	return s
}

// Look returns what an engine or a server waits for; false: it does not tell.
func Look(node string, engine any) (EngineState, bool) {
	w, ok := engine.(dataplane.Watched)
	if !ok {
		return EngineState{}, false
	}
	return EngineState{Node: node, Sources: w.Sources(firstJob), Open: w.Open(maxOpen)}, true
}

// engineName is how engines are called in trace events.
func (c *Chassis) engineName(pfe int) string {
	if c.cfg.Switch.Chassis == nil {
		return c.cfg.Switch.Name
	}
	return c.cfg.Switch.Name + "/" + c.cfg.pfeName(pfe)
}

// linksOf returns both directions of a port's link. Where one is modelled at its
// other end, or not at all, the frames at the port are all that is known of it.
func (c *Chassis) linksOf(port int) []LinkState {
	p, sp := &c.ports[port], &c.cfg.Switch.Ports[port]
	here := topo.End{Node: c.cfg.Switch.Name, Port: sp.Name}.String()
	in := LinkState{In: p.stat.In.Frames, Out: p.stat.In.Frames}
	if p.in != nil {
		in = p.in.state("", "")
	}
	out := LinkState{In: p.stat.Out.Frames, Out: p.stat.Out.Frames}
	if p.out != nil {
		out = p.out.state("", "")
	}
	in.Name, in.From, in.To = sp.Peer.String()+"->"+here, sp.Peer.Node, c.cfg.Switch.Name
	out.Name, out.From, out.To = here+"->"+sp.Peer.String(), c.cfg.Switch.Name, sp.Peer.Node
	return []LinkState{in, out}
}

func (p *part) state(from, to string) LinkState {
	s := p.link.Stats()
	return LinkState{Name: p.link.Name(), From: from, To: to, In: s.In.Frames, Out: s.Out.Frames, Inside: uint64(p.link.InFlight())}
}
