package chip

import "github.com/inalab/inalab/experiments/experiment"

// All returns the experiments on emulated chips, what is cheap first.
func All() []experiment.Experiment {
	return []experiment.Experiment{
		resources(), halfRange(), atpPasses(), pfeRules(), pfeProgram(), pfeGraceful(), pfeFig15(), pfeFig16(), passes(), lineRate(), hierarchy(),
	}
}
