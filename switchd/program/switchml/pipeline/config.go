package pipeline

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
)

// MaxPorts is how many ports of the chassis serve workers and parents: those of pipe
// 0. The ports of the other pipes are in loopback mode (SwitchML §5: 16 x 100 Gbit/s
// are left for workers).
const MaxPorts = tofino.PortsPerPipe

// Options are what the emulated chip has and the reference program has not. The
// zero value is a chip in instant mode.
type Options struct {
	Ports int // of the chassis that there are, from 0; zero: MaxPorts
	// Timing nil is instant mode. With Timing.Mark results are sent as ECN-capable, so that
	// queues can mark them.
	Timing *tofino.Timing
	// Half is the variant for packets of 64 floats of 16 bits, which the switch adds as
	// fixed point (SwitchML §4.6): its jobs have 64 values a packet and no parent. Sums
	// are floats again.
	Half bool
	// RDMA is the variant for packets of RoCEv2: its jobs are of RDMA clients alone.
	RDMA bool
	Seed rng.Root // of the drop simulator
	// OneByOne does tables with copies one after another, and without trees of ways; for
	// tests, slow.
	OneByOne bool
	// Observer is told of every pass, beside the trace of switchml.Config; nil:
	// nobody is.
	Observer tofino.Observer
}

// validate reports what is wrong with them.
func (o *Options) validate() error {
	var errs []error
	if o.RDMA && o.Half {
		errs = append(errs, errors.New("packets of RoCE with 16-bit floats: there is a program for either, none for both"))
	}
	if o.Ports < 0 || o.Ports > MaxPorts {
		errs = append(errs, fmt.Errorf("%d ports: the %d of pipe 0 serve workers, those of other pipes are in loopback mode", o.Ports, MaxPorts))
	}
	return errors.Join(errs...)
}

// chip is the configuration of the chip for a program placed for it.
func (o *Options) chip(cfg *switchml.Config, w *watcher) tofino.Config {
	c := tofino.Config{
		Node: cfg.Node, Ports: tofino.FrontPorts(o.Ports), Seed: o.Seed, Timing: o.Timing, Observer: w, OneByOne: o.OneByOne,
		DropField: "meta.reason", DropNames: reasons[:],
	}
	for i := MaxPorts; i < tofino.MaxFrontPorts; i++ {
		c.Loopback = append(c.Loopback, tofino.FrontPort(i))
	}
	c.Loopback = append(c.Loopback, tofino.Quad16(0))
	if cfg.Faithful {
		c.Loopback = append(c.Loopback, tofino.Quad16(1), tofino.Quad16(3))
	}
	return c
}

// servedPort stands for that of arrivals that do not tell; no worker is known by its
// port.
const servedPort sansio.Port = 0
