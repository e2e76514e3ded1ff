package virtual

import (
	"cmp"
	"math"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
)

// Bounds on how far the reference program may be from the pipeline, where its switch takes as long for every
// packet as the pipeline does for one that completes its slot on an idle chip.
const (
	chipBound = 0.01
	// roceBound is that of messages. Those of one queue pair of all workers go round by one port of each pipe, so that
	// their first ones wait: 8 us, 2% of the tensor here and 0.1% of that in Fig 3.
	roceBound = 0.02
	// lossBound is that under loss, which takes other packets: each costs a timeout.
	lossBound = 0.1
)

// chipTestMiB is the tensor.
const chipTestMiB = 4

// onReferenceProgram is a call of SwitchML on the reference program instead of the pipeline.
func onReferenceProgram(e *experiment.Env, c call) call {
	sml := c.sys.(switchml.System)
	further := pipeline.Passes(cmp.Or(sml.Elements, 256), true) - 1
	sml.Pipe = switchml.Pipe{}
	c.sys, c.inside = sml, testbed.SwitchTime(e)+units.Duration(further)*testbed.PassTime(e)
	return c
}

// chipPointOf is a point of a figure of SwitchML.
type chipPointOf struct {
	figure string
	bound  float64
	call   func(*experiment.Env) call
}

// smlPoints are points of all figures and tables in which SwitchML is simulated, with smaller tensors.
func smlPoints() []chipPointOf {
	of := func(name string, rate units.Rate) func(*experiment.Env) call {
		return func(e *experiment.Env) call {
			for _, c := range contenders(e.Constants) {
				if c.name == name {
					return c.at(e, 8, rate)
				}
			}
			panic("no contender is called " + name)
		}
	}
	pool := func(slots int) func(*experiment.Env) call {
		return func(e *experiment.Env) call {
			p, err := pointOf(e, slots, testbed.Gigabit100, emulatedPasses())
			if err != nil {
				panic(err)
			}
			return p.call
		}
	}
	loss := func(at int) func(*experiment.Env) call {
		return func(e *experiment.Env) call { return newLosses(e)[at].sml }
	}
	xagg := func(e *experiment.Env) call {
		sys := testbed.XAggSwitchML(e, 1)
		return call{name: "XAgg", sys: sys, host: testbed.XAggRawHost(e), workers: testbed.XAggWorkers, rate: testbed.Gigabit100}.onChip(e)
	}
	trio := func(e *experiment.Env) call {
		return call{name: "Trio", sys: testbed.SML64, workers: 6, rate: testbed.Gigabit100}.onDPDK(e).onChip(e)
	}
	large := func(e *experiment.Env) call {
		sys := switchml.System{Elements: 256, Slots: 8192}
		return call{name: "Trio", sys: sys, host: e.Constants.DPDK(), workers: 6, rate: testbed.Gigabit100}.onChip(e)
	}
	half := switchml.System{Elements: 256, Host: switchml.Host{Values: host.Fixed16}}
	return []chipPointOf{
		{"Fig 3, DPDK, 100 Gbit/s; Figs 4 and 5", chipBound, of(ofDPDK, testbed.Gigabit100)},
		{"Fig 3, DPDK, 10 Gbit/s", chipBound, of(ofDPDK, testbed.Gigabit10)},
		{"Fig 3, 64 values", chipBound, of("SwitchML-64, DPDK", testbed.Gigabit100)},
		{"Fig 3, RDMA", roceBound, of(ofRDMA, testbed.Gigabit100)},
		{"Tables 1 and 2", chipBound, of(ofIdealINA, testbed.Gigabit100)},
		{"Figs 6 and 7, no loss", chipBound, loss(0)},
		{"Figs 6 and 7, loss of 1%", lossBound, loss(3)},
		{"Fig 9, pool of 1", chipBound, pool(1)},
		{"Fig 9, pool of 512", chipBound, pool(512)},
		{"Fig 11, 16 bits", chipBound, func(e *experiment.Env) call {
			return contender{sys: half, dpdk: true}.at(e, 8, testbed.Gigabit100)
		}},
		{"ATP Fig 8, SwitchML-256", chipBound, func(e *experiment.Env) call { return atpSchemes(e)[schemeSwitchML256] }},
		{"XAgg Figs 13 to 15", chipBound, xagg},
		{"Trio §6.1, 64 values", chipBound, trio},
		{"Trio §6.2, pool of 8192", chipBound, large},
	}
}

// A point of each figure takes as long on the reference program as on the pipeline, within a bound.
func TestReferenceAgreesWithTheChip(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets, many times slower under the race detector")
	}
	for _, p := range smlPoints() {
		t.Run(p.figure, func(t *testing.T) {
			t.Parallel()
			e := experimenttest.NewEnv(t)
			chip := p.call(e)
			chip.mib, chip.trace = chipTestMiB, nil
			calls := []call{chip, onReferenceProgram(e, chip)}
			took, err := aggregate(t.Context(), e, calls)
			if err != nil {
				t.Fatal(err)
			}
			if calls[0].ran != testbed.OnTimedPipeline || calls[1].ran != testbed.OnReference {
				t.Errorf("they ran on %q and %q", calls[0].ran, calls[1].ran)
			}
			off := took[1].Seconds()/took[0].Seconds() - 1
			if math.Abs(off) > p.bound {
				t.Errorf("%v on the reference program, %v on the pipeline: %.2f%% apart, at most %.2f%% are allowed", took[1], took[0], 100*off, 100*p.bound)
			}
			t.Logf("pipeline %v, reference program %+.3f%%", took[0], 100*off)
		})
	}
}
