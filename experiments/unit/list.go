package unit

import "github.com/inalab/inalab/experiments/experiment"

// All returns the experiments that compute, or drive the program of a switch or a
// host by hand.
func All() []experiment.Experiment {
	return []experiment.Experiment{
		trioFormats(), trioProtocol(), switchmlTables(), switchmlQuantiser(), atp(), atpSwitch(), xagg(), xaggRates(), xaggStore(), xaggTree(), xaggPlanning(), xaggFluid(), encryptedSums(), conversion(),
		switchmlProtocol(), switchmlRDMA(), quantisedTraining(),
	}
}
