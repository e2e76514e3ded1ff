package live

import "github.com/inalab/inalab/experiments/experiment"

// All returns the experiments on real packets, the short ones first.
func All() []experiment.Experiment {
	return []experiment.Experiment{
		deployment(), aggregatorQueues(), aggregatorCPU(), aggregatorLoss(), aggregatorDelay(), aggregatorSizes(), xaggReliable(), xaggExample(), xaggFailover(), xaggAsynchrony(), xaggReallocate(), xaggTestbed(), xaggFig21(), flatAndTree(), overRacks(), atpRacks(), atpZero(), atpWindows(), atpExact(), atpJobs(), atpVolume(), atpRespawn(), twoTrioJobs(), twoSwitchMLJobs(), volume(), selfClocking(), packetLatency(), packetRates(), dedicatedServers(), atpOverTCP(), spuriousRetransmits(), exactSums(), underLoss(), modelSpeedups(), underStragglers(),
	}
}
