package experiments

import (
	"slices"

	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/train/profiles"
)

// All returns every experiment, in the order in which they run: what is cheap
// first.
func All() []Experiment {
	return slices.Concat(
		unit(),
		[]Experiment{timers(), pfeGraceful(), pfeFig15(), pfeFig16(), fig13()},
		switchmlFigures(),
		onPackets(),
	)
}

// Constants returns what experiments rest on: the constants of hosts, links and
// switches, those of the emulated PFE, and the computing times of models that no paper prints.
func Constants() *hostmodel.Constants {
	c := hostmodel.Defaults()
	c.Add(pfeConstants()...)
	for _, p := range profiles.All() {
		c.Add(hostmodel.Constant{
			Name: "compute." + p.Name, Value: p.Compute.Milliseconds(), Unit: "ms", Assumed: p.ComputeFrom == profiles.Assumed, Source: p.Source,
		})
	}
	return c
}
