package chassis

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/forward"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// Config describes one switch. It can be written as JSON and read back; trace
// sinks are not part of that, so [New] takes one.
type Config struct {
	Switch plan.Switch
	MTU    int             // largest IP packet in bytes; zero means topo.DefaultMTU
	Seed   rng.Root        // of the run
	Groups []forward.Group // multicast groups that are forwarded here

	// Programs. With none the switch only forwards. At most one kind is given.
	TrioML   []trioml.Config  // by PFE; PFEs past its end have no engine
	SwitchML *switchml.Config // of a switch with one forwarding engine

	// NoLinks leaves all links out: frames cross ports and fabric at once. Zero
	// models them as the package comment says.
	NoLinks bool
	// Quantum rounds the times at which links deliver up to a multiple of it, so
	// that a live loop wakes once for many frames. Zero is exact.
	Quantum units.Duration
}

// pfes returns the number of forwarding engines.
func (c *Config) pfes() int {
	if c.Switch.Chassis == nil {
		return 1
	}
	return len(c.Switch.Chassis.PFEs)
}

// top returns the PFE whose engine comes after the others.
func (c *Config) top() int {
	if c.Switch.Chassis == nil {
		return 0
	}
	return c.Switch.Chassis.Top
}

func (c *Config) pfeName(i int) string {
	if c.Switch.Chassis == nil {
		return "engine"
	}
	return c.Switch.Chassis.PFEs[i].Name
}

// validate reports all faults that only the whole shows, joined; programs,
// links and forwarding check themselves.
func (c *Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.TrioML != nil && c.SwitchML != nil {
		fault("programs for both trioml and switchml: give one")
	}
	if n := c.pfes(); len(c.TrioML) > n {
		fault("trioml programs for %d PFEs: it has %d", len(c.TrioML), n)
	}
	if n := c.pfes(); c.SwitchML != nil && n != 1 {
		fault("switchml on %d PFEs: its program needs a switch with one forwarding engine", n)
	}
	for _, p := range c.Switch.Ports {
		if c.Switch.Chassis != nil && (p.PFE < 0 || p.PFE >= c.pfes()) {
			fault("port %s belongs to PFE %d: there are %d", p.Name, p.PFE, c.pfes())
		}
	}
	if t := c.top(); t < 0 || t >= c.pfes() {
		fault("top-level PFE %d: there are %d", t, c.pfes())
	}
	errs = append(errs, c.validatePorts())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("chassis %q: %w", c.Switch.Name, err)
	}
	return nil
}

// validatePorts checks the ports that programs send by.
func (c *Config) validatePorts() error {
	var errs []error
	for i, t := range c.TrioML {
		for _, j := range t.Jobs {
			for _, p := range j.To {
				if err := c.validatePort(p); err != nil {
					errs = append(errs, fmt.Errorf("trioml on %s: job %d: %w", c.pfeName(i), j.ID, err))
				}
			}
		}
	}
	if c.SwitchML != nil {
		for i, w := range c.SwitchML.Workers {
			if err := c.validatePort(w.Port); err != nil {
				errs = append(errs, fmt.Errorf("switchml: worker %d: %w", i, err))
			}
		}
	}
	return errors.Join(errs...)
}

func (c *Config) validatePort(p sansio.Port) error {
	if pfe, ok := dataplane.IsFabric(p); ok {
		if c.pfes() == 1 {
			return errors.New("results go across the fabric: a switch with one forwarding engine has none")
		}
		if pfe >= len(c.TrioML) {
			return fmt.Errorf("results go to engine %d across the fabric: there are %d", pfe, len(c.TrioML))
		}
		return nil
	}
	if p < 0 || int(p) >= len(c.Switch.Ports) || !c.Switch.Ports[p].Wired {
		return fmt.Errorf("results leave by port %d, which has no link", p)
	}
	return nil
}

// newEngines returns the engine of each PFE, nil where it has none.
func (c *Config) newEngines(sink trace.Sink) ([]dataplane.Engine, error) {
	engines := make([]dataplane.Engine, c.pfes())
	for i, t := range c.TrioML {
		t.Trace = sink
		program, err := trioml.New(t)
		if err != nil {
			return nil, err
		}
		engines[i] = program
	}
	if c.SwitchML != nil {
		s := *c.SwitchML
		s.Trace = sink
		program, err := switchml.New(s)
		if err != nil {
			return nil, err
		}
		engines[0] = program
	}
	return engines, nil
}
