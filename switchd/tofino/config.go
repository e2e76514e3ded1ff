package tofino

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// Limits; all assumed.
const (
	// DefaultPasses is how many ingress passes a packet may take: several times the 11
	// that a SwitchML packet of 256 values takes.
	DefaultPasses = 64
	// MaxPasses bounds Config.Passes.
	MaxPasses = 1 << 12
	// MaxInside is how many packets may be inside an instant chip at once, which has no
	// queues: as many of one cell as the packet buffer holds.
	MaxInside = BufferCells
	// MaxFrame is the longest packet in bytes: a jumbo frame of 9216 and headers.
	MaxFrame = 10240
)

// Config describes one chip. Its zero values are the defaults where one is named.
type Config struct {
	Node     string       // name of the chip in errors, such as "tor0"
	Program  *fit.Program // that it runs in all pipes
	Pipes    int          // zero: MaxPipes
	Ports    []Port       // that are ports of the chassis
	Loopback []DevPort    // that lead back into their pipe instead: front ports, and quads 16 ([Quad16]); quads 17 always do
	Passes   int          // that a packet may take through an ingress; zero: DefaultPasses
	Seed     rng.Root     // of the random numbers of the ports

	// DropField is a field that says why the program drops a packet, and DropNames are
	// the counters of its values from 0. What has no name is counted as DropProgram.
	DropField string
	DropNames []string

	// Trailer is what front ports make of the end of frames, in hardware of their own
	// before the first parser and behind the last deparser; nil: nothing.
	Trailer Trailer

	// Apart lets frames of a train take each pass together, without time. It returns a key of frame i of a train,
	// or false for one that has to pass alone. Packets of a train whose keys differ must not access the same entry of
	// a register, but in the first pass of each, nor leave by the same port after different numbers of passes. Nil:
	// all pass alone.
	Apart func(t *sansio.Train, i int) (key uint64, ok bool)

	// Timing nil is instant mode: all passes of a packet run within Handle.
	Timing *Timing
	// Observer is told of every pass, in order; nil: there is none.
	Observer Observer
	// Telling is metadata, such as "meta.judged". If it is set, Observer is told only of passes through an ingress that
	// drop the packet, send it through the egress, or leave this other than 0, and of those that end early.
	Telling string
	// OneByOne runs package vm alone, without the trace trees of package tracetree: instruction by
	// instruction, the copies of a table one after another. For tests; slow.
	OneByOne bool
}

func (c Config) withDefaults() Config {
	c.Pipes = cmp.Or(c.Pipes, MaxPipes)
	c.Passes = cmp.Or(c.Passes, DefaultPasses)
	return c
}

func (c *Config) validate() error {
	if c.Program == nil {
		return errors.New("it has no program: place one with fit")
	}
	var errs []error
	if c.Pipes < 1 || c.Pipes > MaxPipes {
		errs = append(errs, fmt.Errorf("%d pipes: 1 to %d are possible", c.Pipes, MaxPipes))
	}
	if c.Passes < 1 || c.Passes > MaxPasses {
		errs = append(errs, fmt.Errorf("%d passes of a packet: 1 to %d are possible", c.Passes, MaxPasses))
	}
	if c.Timing != nil {
		errs = append(errs, c.Timing.validate())
	}
	return errors.Join(append(errs, c.validatePorts()...)...)
}

// validatePorts checks that every port is there and has one use.
func (c *Config) validatePorts() (errs []error) {
	used, front := map[DevPort]bool{}, map[sansio.Port]bool{}
	check := func(p DevPort, where string, quads int) {
		why := p.absent(c.Pipes)
		switch {
		case why != "":
			errs = append(errs, fmt.Errorf("port %v is not there: %s", p, why))
		case p.quad() >= quads:
			errs = append(errs, fmt.Errorf("port %v: %s", p, where))
		case used[p]:
			errs = append(errs, fmt.Errorf("port %v has two uses", p))
		}
		used[p] = true
	}
	for _, p := range c.Ports {
		check(p.Dev, "it is inside the chip, no port of the chassis: use FrontPort", PortsPerPipe)
		if front[p.Front] || p.Front < 0 {
			errs = append(errs, fmt.Errorf("port %d of the chassis: name each once, from 0", p.Front))
		}
		front[p.Front] = true
	}
	for _, p := range c.Loopback {
		check(p, "it is for recirculation whether it is named or not: leave it out", generatorQuad)
	}
	return errs
}
