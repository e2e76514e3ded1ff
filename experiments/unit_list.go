package experiments

import "slices"

// unit returns the experiments that compute, or drive a program or a host by
// hand: no network, no clock. All of them are cheap.
func unit() []Experiment {
	return slices.Concat(
		unitTrioFormats(),
		unitTrioProtocol(),
		unitSwitchmlResources(),
		unitSwitchmlTables(),
		unitSwitchmlQuantiser(),
		unitATP(),
		unitXAgg(),
		unitPaillier(),
		unitConversion(),
		unitSwitchmlProtocol(),
		unitSwitchmlRDMA(),
		unitTraining(),
		[]Experiment{pfeRules(), pfeProgram()},
	)
}
