package chassis

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/rng"
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

	System   string            // whose programs these are, for NewEngine
	Programs []json.RawMessage // by PFE, for NewEngine; null, or past the end: no engine there

	// Transit are programs beside those of the system, such as one that frames pass on
	// their way through a PFE. Of those of one PFE, the first whose frame it is has it.
	Transit []Program `json:",omitempty"`

	// Servers make the frames of the system's engine wait their turn before it, as for
	// a line: by PFE, the time that it takes for a frame, in one queue, first in first
	// out. Nil, or the zero value, is an engine that takes none.
	Servers []impair.Params `json:",omitempty"`

	// Changes are those of links at ports from some time on, in any order; of two of a link
	// at one time the later one holds. They wait for [Chassis.Begin].
	Changes []Change `json:",omitempty"`

	// Labels say where packets name their job and slot, for scripts of losses.
	Labels []impair.Label `json:",omitempty"`

	// NoLinks leaves all links out: frames cross ports and fabric at once.
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

// level returns leaf for a PFE, and top for that whose engines come after the others.
func (c *Config) level(pfe int, leaf, top stage) stage {
	if pfe == c.top() {
		return top
	}
	return leaf
}

// top returns the PFE whose engines come after the others.
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

// Program is a program on a PFE beside that of the system.
type Program struct {
	PFE    int
	System string          // whose it is, for NewEngine
	Name   string          `json:",omitempty"` // in names of counters and in errors; empty: System
	Config json.RawMessage // for NewEngine
}

// title is how a program is called among those of its PFE.
func (p *Program) title() string { return cmp.Or(p.Name, p.System) }

// NewEngine makes the engine of a PFE, whose program is that of the system, from the
// configuration of the program; sink may be nil.
type NewEngine func(system string, config json.RawMessage, sink trace.Sink) (dataplane.Engine, error)

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
	for _, p := range c.Transit {
		if p.PFE < 0 || p.PFE >= c.pfes() {
			fault("program of %q on PFE %d: there are %d, counted from 0", p.System, p.PFE, c.pfes())
		}
	}
	for _, p := range c.Switch.Ports {
		if c.Switch.Chassis != nil && (p.PFE < 0 || p.PFE >= c.pfes()) {
			fault("port %s belongs to PFE %d: there are %d", p.Name, p.PFE, c.pfes())
		}
	}
	if t := c.top(); t < 0 || t >= c.pfes() {
		fault("top-level PFE %d: there are %d", t, c.pfes())
	}
	if err := errors.Join(append(errs, c.validateChanges()...)...); err != nil {
		return fmt.Errorf("chassis %q: %w", c.Switch.Name, err)
	}
	return nil
}
