package chassis

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/forward"
	"github.com/inalab/inalab/topo/plan"
)

// Config describes one switch. It can be written as JSON and read back; trace
// sinks are not part of that, so [New] takes one.
type Config struct {
	Switch plan.Switch
	MTU    int             // largest IP packet in bytes; zero means topo.DefaultMTU
	Seed   rng.Root        // of the run
	Groups []forward.Group // multicast groups that are forwarded here

	System   string            // whose programs these are, for who looks up its NewEngine
	Programs []json.RawMessage // by PFE, for NewEngine; null, or past the end: no engine there

	// Servers make the frames of an engine wait their turn before it, as for a
	// line: by PFE, the time that it takes for a frame. Nil, or the zero value,
	// is an engine that takes none.
	Servers []impair.Params `json:",omitempty"`

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

// NewEngine makes the engine of a PFE from the configuration of its program;
// sink may be nil.
type NewEngine func(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error)

// validate reports all faults that only the whole shows, joined; programs,
// links and forwarding check themselves.
func (c *Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if n := c.pfes(); len(c.Programs) > n {
		fault("programs for %d PFEs: it has %d", len(c.Programs), n)
	}
	if n := c.pfes(); len(c.Servers) > n {
		fault("servers for %d PFEs: it has %d", len(c.Servers), n)
	}
	for _, p := range c.Switch.Ports {
		if c.Switch.Chassis != nil && (p.PFE < 0 || p.PFE >= c.pfes()) {
			fault("port %s belongs to PFE %d: there are %d", p.Name, p.PFE, c.pfes())
		}
	}
	if t := c.top(); t < 0 || t >= c.pfes() {
		fault("top-level PFE %d: there are %d", t, c.pfes())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("chassis %q: %w", c.Switch.Name, err)
	}
	return nil
}

// newEngines returns the engine of each PFE, nil where it has none.
func (c *Config) newEngines(newEngine NewEngine, sink trace.Sink) ([]dataplane.Engine, error) {
	engines := make([]dataplane.Engine, c.pfes())
	for i, program := range c.Programs {
		if len(program) == 0 || string(program) == "null" {
			continue
		}
		if newEngine == nil {
			return nil, fmt.Errorf("a program of %q on %s, and nothing to make its engine", c.System, c.pfeName(i))
		}
		e, err := newEngine(program, sink)
		if err != nil {
			return nil, err
		}
		engines[i] = e
	}
	return engines, c.validatePorts(engines)
}

// validatePorts checks the ports that engines send by.
func (c *Config) validatePorts(engines []dataplane.Engine) error {
	var errs []error
	for i, e := range engines {
		if e == nil {
			continue
		}
		for _, p := range e.Ports() {
			if err := c.validatePort(p, engines); err != nil {
				errs = append(errs, fmt.Errorf("program of %s: %w", c.pfeName(i), err))
			}
		}
	}
	return errors.Join(errs...)
}

func (c *Config) validatePort(p sansio.Port, engines []dataplane.Engine) error {
	if pfe, ok := dataplane.IsFabric(p); ok {
		if len(engines) == 1 {
			return errors.New("results go across the fabric: a switch with one forwarding engine has none")
		}
		if pfe >= len(engines) || engines[pfe] == nil {
			return fmt.Errorf("results go to PFE %d across the fabric, which has no engine", pfe)
		}
		return nil
	}
	if p < 0 || int(p) >= len(c.Switch.Ports) || !c.Switch.Ports[p].Wired {
		return fmt.Errorf("results leave by port %d, which has no link", p)
	}
	return nil
}
