package chassis

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// Change is another spec of one direction of a link at a port from some time on.
type Change struct {
	At      units.Time // from the epoch, which [Chassis.Begin] says
	Port    int
	Inbound bool `json:",omitempty"` // of what comes by the port; else of what leaves by it
	Spec    topo.LinkSpec
}

// validateChanges reports the faults of the changes but for their specs, which the links check.
func (c *Config) validateChanges() (errs []error) {
	fault := func(g *Change, format string, args ...any) {
		errs = append(errs, fmt.Errorf("change of a link at %v: %s", units.Duration(g.At), fmt.Sprintf(format, args...)))
	}
	for i := range c.Changes {
		g := &c.Changes[i]
		switch {
		case c.NoLinks:
			fault(g, "links are left out: leave out one or the other")
		case g.Port < 0 || g.Port >= len(c.Switch.Ports) || !c.Switch.Ports[g.Port].Wired:
			fault(g, "port %d has no link: name a port that has one", g.Port)
		case g.Inbound && c.Switch.Ports[g.Port].PeerHost == plan.None:
			fault(g, "what comes by port %s is modelled by %s: change it there", c.Switch.Ports[g.Port].Name, c.Switch.Ports[g.Port].Peer.Node)
		}
	}
	return errs
}

// changesOf returns the changes of one direction of the link at a port, in the order of time.
func (c *Chassis) changesOf(p *part) (out []Change) {
	if p.stage != ingress && p.stage != egress {
		return nil
	}
	for _, g := range c.cfg.Changes {
		if g.Port == int(p.port) && g.Inbound == (p.stage == ingress) {
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return int(min(1, max(-1, a.At-b.At))) })
	return out
}

// changes turns those of a topology's link into those of the model.
func changes(list []Change) (out []impair.Change) {
	for _, g := range list {
		out = append(out, impair.Change{At: g.At, Params: params(g.Spec)})
	}
	return out
}

// Begin says when the epoch is, by the clock of the switch: links change at their times from
// then on, and none does before. It is called once at the most, and not within Handle or Expire.
func (c *Chassis) Begin(epoch units.Time) {
	for _, p := range c.parts {
		if p.link != nil {
			p.link.Begin(epoch)
		}
	}
}
