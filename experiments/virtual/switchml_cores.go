package virtual

import (
	"cmp"
	"math"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/switchml"
)

// onDPDK puts a call of SwitchML on hosts with DPDK, core by core: a thread of the worker
// on each (SwitchML §5), and no more than divide the pool.
func (c call) onDPDK(e *experiment.Env) call {
	sml := c.sys.(switchml.System)
	sml.Host.Threads = threads(dpdkCores(e, c), cmp.Or(sml.Slots, switchml.DefaultSlots))
	c.sys, c.host = sml, e.Constants.DPDKCores(sml.Host.Threads)
	return c
}

// dpdkCores returns the cores of a worker at the call's link rate.
func dpdkCores(e *experiment.Env, c call) int {
	name := "dpdk.cores"
	if c.rate == testbed.Gigabit10 {
		name = "dpdk.cores-10g"
	}
	return max(1, int(math.Round(e.Constants.Get(name))))
}

// threads returns the most threads, one a core at most, that share slots evenly.
func threads(cores, slots int) int {
	for slots%cores != 0 {
		cores--
	}
	return cores
}
