package chassis

import (
	"errors"
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
)

// engine is a program on a PFE.
type engine struct {
	dataplane.Engine
	pfe    int
	system string
	title  string // of a program beside the system's: Program.Name, or the name of what it is
	name   string // before its counters: "pfe1", or "pfe1/telemetry" of one beside the system's
	wants  dataplane.Wants
	part   *part        // its turn, and its deadline
	late   *part        // its second turn, for frames that leave; nil: it has one turn
	server *part        // before it; nil where it takes no time
	former sansio.Tally // what programs counted that it has replaced
	peers  []*engine    // of the same system, by PFE
	front  []bool       // front-panel ports that it has named
	fabric []bool       // PFEs that it has named
}

// pfe is the engines of one PFE.
type pfe struct {
	system   *engine   // nil: the system has none here
	engines  []*engine // in the order in which they are asked about own frames
	inbound  []*engine // that frames may pass on arrival: programs in their order, then the system's
	outbound []*engine // that frames may pass on leaving: the system's, then programs in their order
}

// buildEngines makes the engines of all programs.
func (c *Chassis) buildEngines(newEngine NewEngine, sink trace.Sink) error {
	c.pfes = make([]pfe, c.cfg.pfes())
	for i, program := range c.cfg.Programs {
		if len(program) == 0 || string(program) == "null" {
			continue
		}
		e, err := c.addEngine(newEngine, Program{PFE: i, System: c.cfg.System, Config: program}, sink)
		if err != nil {
			return err
		}
		e.name, c.pfes[i].system = c.cfg.pfeName(i), e
	}
	for _, p := range c.cfg.Transit {
		e, err := c.addEngine(newEngine, p, sink)
		if err != nil {
			return err
		}
		e.title = p.title()
		e.name = c.cfg.pfeName(p.PFE) + "/" + e.title
	}
	c.newEngine, c.sink = newEngine, sink
	var errs []error
	for _, e := range c.engines {
		e.peers = c.peersOf(e.system)
		errs = append(errs, c.admit(e)...)
		if err := c.learnPorts(e); err != nil {
			errs = append(errs, c.misplace(e, "program of "+namesPFE+"%s: %w: %s", strings.TrimPrefix(e.name, c.cfg.pfeName(e.pfe)), err, fixPorts))
		}
	}
	return joinMisplaced(errs)
}

// fixPorts is what to do about ports that an engine cannot send by.
const fixPorts = "name ports with a link, or a PFE with a program"

func (c *Chassis) addEngine(newEngine NewEngine, p Program, sink trace.Sink) (*engine, error) {
	if newEngine == nil {
		return nil, fmt.Errorf("a program of %q on %s, and nothing to make its engine", p.System, c.cfg.pfeName(p.PFE))
	}
	made, err := newEngine(p.System, p.Config, sink)
	if err != nil {
		return nil, err
	}
	e := &engine{Engine: made, pfe: p.PFE, system: p.System, wants: made.Wants()}
	e.part = c.newPart(part{stage: c.stageOf(e), engine: e})
	if e.wants.Transit && e.wants.Leaving {
		e.late = c.newPart(part{stage: leaving, engine: e})
	}
	c.engines, c.pfes[p.PFE].engines = append(c.engines, e), append(c.pfes[p.PFE].engines, e)
	return e, nil
}

// stageOf returns the turn of an engine: before others of its PFE where frames pass it
// when they arrive, behind everything else where they pass it only when they leave.
func (c *Chassis) stageOf(e *engine) stage {
	switch {
	case e.wants.Transit:
		return c.cfg.level(e.pfe, leafTransit, topTransit)
	case e.wants.Leaving:
		return leaving
	}
	return c.cfg.level(e.pfe, leafEngine, topEngine)
}

func (c *Chassis) peersOf(system string) []*engine {
	peers := make([]*engine, len(c.pfes))
	for _, e := range c.engines {
		if e.system == system && peers[e.pfe] == nil {
			peers[e.pfe] = e
		}
	}
	return peers
}

// learnPorts notes the ports that an engine sends by, beside those that it has named
// before: packets of a job that has gone may still be on their way.
func (c *Chassis) learnPorts(e *engine) error {
	if e.front == nil {
		e.front, e.fabric = make([]bool, len(c.cfg.Switch.Ports)), make([]bool, len(c.pfes))
	}
	ports := e.Ports()
	for _, p := range ports {
		if err := c.validatePort(e, p); err != nil {
			return err
		}
	}
	for _, p := range ports {
		if pfe, ok := dataplane.IsFabric(p); ok {
			e.fabric[pfe] = true
		} else {
			e.front[p] = true
		}
	}
	return nil
}

func (c *Chassis) validatePort(e *engine, p sansio.Port) error {
	if pfe, ok := dataplane.IsFabric(p); ok {
		if len(c.pfes) == 1 {
			return errors.New("results go across the fabric: a switch with one forwarding engine has none")
		}
		if pfe >= len(c.pfes) || e.peers[pfe] == nil {
			return fmt.Errorf("results go to PFE %d across the fabric, which has no engine", pfe)
		}
		return nil
	}
	if !c.isWired(p) {
		return fmt.Errorf("results leave by port %d, which has no link", p)
	}
	return nil
}

// isWired reports whether p is a front-panel port with a link.
func (c *Chassis) isWired(p sansio.Port) bool {
	return p >= 0 && int(p) < len(c.cfg.Switch.Ports) && c.cfg.Switch.Ports[p].Wired
}

// mayUse reports whether an engine has named a port.
func (e *engine) mayUse(p sansio.Port) bool {
	if p >= 0 && int(p) < len(e.front) {
		return e.front[p]
	}
	pfe, ok := dataplane.IsFabric(p)
	return ok && pfe < len(e.fabric) && e.fabric[pfe]
}
