package experiments

import (
	"slices"

	"github.com/inalab/inalab/experiments/chip"
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/live"
	"github.com/inalab/inalab/experiments/unit"
	"github.com/inalab/inalab/experiments/virtual"
)

// All returns every experiment, in the order in which they run: what is cheap
// first.
func All() []experiment.Experiment {
	return slices.Concat(unit.All(), chip.All(), virtual.All(), live.All())
}
