package virtual

import "github.com/inalab/inalab/experiments/experiment"

// All returns the experiments that simulate whole runs, what is cheap first.
func All() []experiment.Experiment {
	return []experiment.Experiment{
		fig14(), fig13(), singlePipeline(), halfPrecision(), trioPacketSizes(), trioPool(), ateSize(), fig9(), fig7(), table2(), fig4(), table1(), fig3(),
		atpSmallTensor(), twoPass(), atpChip(), atpFig8(), atpFig10(), atpFig13a(), atpFig14(), atpFig15(), atpFig13b(), atpD2(), atpFig16(), atpFig12(), atpLevels(), atpFourRacks(), atpSixteenJobs(), atpJobOff(),
		xaggFig1(), xaggExample(), xaggTrees(), xaggFig13(),
	}
}
