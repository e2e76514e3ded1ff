package live

import "github.com/inalab/inalab/experiments/experiment"

// All returns the experiments on real packets, the short ones first.
func All() []experiment.Experiment {
	return []experiment.Experiment{
		flatAndTree(), overRacks(), atpRacks(), atpZero(), atpWindows(), atpExact(), atpJobs(), twoTrioJobs(), twoSwitchMLJobs(), volume(), selfClocking(), packetLatency(), packetRates(), dedicatedServers(), spuriousRetransmits(), exactSums(), underLoss(), modelSpeedups(), underStragglers(),
	}
}
