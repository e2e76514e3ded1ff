package chassis

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// LinkReading is one direction of a link at a port that is modelled here: what holds now, and what
// came of frames.
type LinkReading struct {
	Name    string         `json:"name"` // as in the counters: "h0:eth0->tor:p0"
	From    string         `json:"from"` // node
	To      string         `json:"to"`
	Port    int            `json:"port"`
	Inbound bool           `json:"inbound"`
	Spec    topo.LinkSpec  `json:"spec"`
	Frames  uint64         `json:"frames"` // that came to the end
	Bytes   uint64         `json:"bytes"`  // of them, headers included, framing not
	Inside  uint64         `json:"inside"` // frames on their way
	Marks   uint64         `json:"marks"`
	Drops   []sansio.Count `json:"drops"` // by reason
}

// ReadLinks returns what links at ports are now, by port, what comes by it first.
func (c *Chassis) ReadLinks() (out []LinkReading) {
	for i := range c.ports {
		if !c.ports[i].wired {
			continue
		}
		states := c.linksOf(i)
		if c.cfg.Switch.Ports[i].PeerHost != plan.None {
			out = append(out, c.readLink(i, true, &states[0]))
		}
		out = append(out, c.readLink(i, false, &states[1]))
	}
	return out
}

func (c *Chassis) readLink(port int, inbound bool, s *LinkState) LinkReading {
	p, spec, stat := c.ports[port].out, c.cfg.Switch.Ports[port].Out, c.ports[port].stat.Out
	if inbound {
		p, spec, stat = c.ports[port].in, c.cfg.Switch.Ports[port].In, c.ports[port].stat.In
	}
	r := LinkReading{Name: s.Name, From: s.From, To: s.To, Port: port, Inbound: inbound, Spec: spec, Frames: stat.Frames, Bytes: stat.Bytes, Drops: []sansio.Count{}}
	if p == nil { // a perfect wire
		return r
	}
	counted := p.link.Stats()
	r.Inside, r.Marks, r.Drops = uint64(p.link.InFlight()), counted.Marked, append(r.Drops, counted.Drops()...)
	return r
}

// SetLink has one direction of the link at a port be as a spec says from now on. Changes that were
// to come at a time do not. It must not be called within Handle or Expire.
func (c *Chassis) SetLink(now units.Time, port int, inbound bool, spec topo.LinkSpec) error {
	if err := c.settable(port, inbound); err != nil {
		return err
	}
	at := &c.ports[port].out
	if inbound {
		at = &c.ports[port].in
	}
	p := *at
	if p == nil {
		var err error
		if p, err = c.addLink(port, inbound); err != nil {
			return err
		}
	}
	c.sets++
	cfg := impair.Config{Name: fmt.Sprintf("%s#%d", p.link.Name(), c.sets), Params: params(spec)}
	c.addStreams(&cfg)
	if err := p.link.Set(now, cfg); err != nil {
		return err
	}
	*at = p
	c.links.set(p.id, p.link.NextDeadline())
	c.cfg.Switch.Ports = slices.Clone(c.cfg.Switch.Ports) // others may have the plan
	if inbound {
		c.cfg.Switch.Ports[port].In = spec
	} else {
		c.cfg.Switch.Ports[port].Out = spec
	}
	c.cfg.Changes = slices.DeleteFunc(slices.Clone(c.cfg.Changes), func(g Change) bool { return g.Port == port && g.Inbound == inbound })
	return nil
}

// settable says why a direction cannot be set here.
func (c *Chassis) settable(port int, inbound bool) error {
	sw := &c.cfg.Switch
	switch {
	case c.cfg.NoLinks:
		return fmt.Errorf("%s models no links", sw.Name)
	case port < 0 || port >= len(sw.Ports) || !sw.Ports[port].Wired:
		return fmt.Errorf("port %d of %s has no link: name a port that has one", port, sw.Name)
	case inbound && sw.Ports[port].PeerHost == plan.None:
		return fmt.Errorf("what comes by port %s of %s is modelled by %s: change it there", sw.Ports[port].Name, sw.Name, sw.Ports[port].Peer.Node)
	}
	return nil
}

// addLink makes the part of a wire that was perfect.
func (c *Chassis) addLink(port int, inbound bool) (*part, error) {
	sp := &c.cfg.Switch.Ports[port]
	here := topo.End{Node: c.cfg.Switch.Name, Port: sp.Name}.String()
	name, p := here+"->"+sp.Peer.String(), part{stage: egress, port: sansio.Port(port)}
	if inbound {
		name, p.stage = sp.Peer.String()+"->"+here, ingress
	}
	var err error
	if p.link, err = impair.New(impair.Config{Name: name, Out: p.port, Quantum: c.cfg.Quantum}); err != nil {
		return nil, err
	}
	return c.newPart(p), nil
}
