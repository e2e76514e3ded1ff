package virtual

import (
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/stream"
)

// atpSwitchNote says what stands in the column of switches.
const atpSwitchNote = "Switch: the pipeline is ATP, or SwitchML-256, on the emulated Tofino, whose passes, ports inside and queues take time. It has no packets of 180 bytes: SwitchML of such runs the reference program, for which a packet takes one pass. So do packets of hosts alone."

// atpWorkers are those of ATP's testbed (§5.1).
const atpWorkers = 8

// psRoCE is BytePS with as many servers as workers, on the same hosts, over RDMA (ATP §5.1).
var psRoCE = ps.System{Transport: stream.RoCE}

// psRoCECross is the same where the shard of a worker's own server crosses the network too: the paper does not say
// whether it does.
var psRoCECross = ps.System{Transport: stream.RoCE, Cross: true}

// onATP is a call of one tensor on ATP's testbed of one switch.
func onATP(e *experiment.Env, name string, sys job.System, host hostmodel.Model) call {
	return call{name: name, sys: sys, host: host, workers: atpWorkers, rate: testbed.Gigabit100}.onChip(e)
}
