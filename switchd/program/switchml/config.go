package switchml

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Config describes the program of one switch, or of one pipeline of a switch.
type Config struct {
	Node   string // name in trace events
	Router netip.Addr
	MAC    inet.MAC

	Jobs []Job `json:",omitempty"` // from the start; others come and go at run time
	Pool int   `json:",omitempty"` // slots of each set, for all jobs; zero: MaxSlots

	// Faithful is Algorithm 3 as it is printed, without the check for late packets:
	// right only where no packet of a worker is overtaken by one of its next phase.
	// Over RoCE it also leaves out the rules that the paper does not have: see
	// package reference.
	Faithful bool `json:",omitempty"`

	// CheckICRC drops packets of RoCE whose ICRC is wrong. That of hosts behind a
	// kernel's socket always is.
	CheckICRC bool `json:",omitempty"`

	Seed  rng.Root   `json:"-"` // of the drop simulator of a reference program
	Trace trace.Sink `json:"-"` // nil: no events
}

// validate reports what is wrong beside the jobs.
func (c *Config) validate() error {
	var errs []error
	if !c.Router.Is4() {
		errs = append(errs, fmt.Errorf("router address %v: it must be an IPv4 address", c.Router))
	}
	if c.Pool < 0 || c.Pool > MaxSlots {
		errs = append(errs, fmt.Errorf("pool of %d slots: 1 to %d are possible, or 0 for that", c.Pool, MaxSlots))
	}
	return errors.Join(errs...)
}
