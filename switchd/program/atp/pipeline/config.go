package pipeline

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// MaxPorts is how many ports of the chassis serve jobs: those of pipe 0, since a pipe has
// aggregators of its own.
const MaxPorts = tofino.PortsPerPipe

// MaxAggregators is how many the chip has room for: of the 48 blocks of map RAM of a stage four
// registers of values take 11 each, and one to spare. The public program has 20 000.
const MaxAggregators = (fit.StageMapRAM/fit.StageALUs - fit.SpareBlocks) * fit.SRAMWords * (fit.SRAMWord / 32) / 2

// Options are what the emulated chip has and the reference program has not. The zero value is a
// chip in instant mode.
type Options struct {
	Ports int // of the chassis that there are, from 0; zero: MaxPorts
	// Timing nil is instant mode. With Timing.Mark packets are marked by the depth of queues, and by those of
	// front ports in the header of ATP as well. See [Timing].
	Timing *tofino.Timing
	// OneByOne does tables with copies one after another, and without trees of ways; for tests, slow.
	OneByOne bool
	// Observer is told of every pass; nil: nobody is.
	Observer tofino.Observer
}

// Timing returns that of the chip with ways from ports into the ingress that are twice as fast as
// a port (assumed): each packet that is added takes its way twice. With the rate of a port,
// packets are lost as soon as half of it comes. Resubmitted packets come back at once (assumed): with
// [tofino.ResubmitTime] sums overtake them at line rate, come back for them, and so arrive out of order.
func Timing() tofino.Timing {
	t := tofino.DefaultTiming()
	t.Input *= 2
	t.Resubmit = 0
	return t
}

// validate reports what is wrong with them, or asks too much of the chip.
func (o *Options) validate(cfg *atp.Config) error {
	var errs []error
	if o.Ports < 0 || o.Ports > MaxPorts {
		errs = append(errs, fmt.Errorf("%d ports: the %d of pipe 0 serve jobs, as aggregators are of one pipe", o.Ports, MaxPorts))
	}
	if cfg.Aggregators > MaxAggregators {
		errs = append(errs, fmt.Errorf("%d aggregators: the map RAM of the chip has room for %d; give it so many, or take the reference program",
			cfg.Aggregators, MaxAggregators))
	}
	if cfg.Age > maxAge {
		errs = append(errs, fmt.Errorf("aggregators abandoned after %v: the clock of the chip tells up to %v", cfg.Age, maxAge))
	}
	return errors.Join(errs...)
}

// maxAge is half the range of ages: one that is longer would never come.
const maxAge = units.Duration(1<<30) * tick

// chip is the configuration of the chip for a program placed for it. Frames in transit are at a port
// by the number under which the chassis gives them to an engine.
func (o *Options) chip(node string, p *fit.Program, w tofino.Observer) tofino.Config {
	ports := tofino.FrontPorts(o.Ports)
	for i := range ports {
		ports[i].Front = dataplane.Inbound(ports[i].Front)
	}
	return tofino.Config{
		Node: node, Program: p, Pipes: 1, Ports: ports, Timing: o.Timing, Observer: w, OneByOne: o.OneByOne,
		DropField: "meta.outcome", DropNames: drops[:],
	}
}
