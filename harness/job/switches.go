package job

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/dataplane"
	sml "github.com/inalab/inalab/switchd/program/switchml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// Switches returns the configuration of every switch, in the order of the plan.
// Links deliver at multiples of quantum, which saves a live switch wake-ups;
// zero is exact.
func (j *Job) Switches(quantum units.Duration) []chassis.Config {
	out := make([]chassis.Config, len(j.Plan.Switches))
	for i := range out {
		sw := &j.Plan.Switches[i]
		out[i] = chassis.Config{Switch: *sw, MTU: j.Plan.MTU, Seed: j.Seed, Quantum: quantum}
		switch j.System {
		case TrioML:
			out[i].TrioML = j.trioML(sw)
		case SwitchML64, SwitchML256:
			out[i].SwitchML = j.switchML(sw)
		}
	}
	return out
}

// TopAndBelow returns the trace name of the engine that sends results to the
// workers, and of the engines behind its sources, by src_id.
func (j *Job) TopAndBelow() (top string, below map[uint8]string) {
	sw := &j.Plan.Switches[0]
	below = map[uint8]string{}
	for _, p := range j.trioML(sw) {
		for _, job := range p.Jobs {
			if _, up := dataplane.IsFabric(job.To[0]); up {
				below[job.OutSource] = p.Node
			} else {
				top = p.Node
			}
		}
	}
	return top, below
}

// Block returns the elements of a block of the tensor.
func (j *Job) Block() int {
	switch j.System {
	case TrioML:
		return or(j.Trio.Grads, trioml.DefaultGrads)
	case SwitchML64, SwitchML256:
		return j.elements()
	}
	return j.Params
}

// switchML returns the program of the aggregating switch.
func (j *Job) switchML(sw *plan.Switch) *sml.Config {
	c := &sml.Config{Node: sw.Name, Router: sw.Router, MAC: inet.MAC(sw.MAC), Elements: j.elements(), Slots: j.slots()}
	for i := range j.Plan.Hosts {
		h := &j.Plan.Hosts[i]
		c.Workers = append(c.Workers, sml.Worker{MAC: inet.MAC(h.MAC), Addr: h.Addr.Addr(), Port: sansio.Port(h.SwitchPort)})
	}
	return c
}

// trioML returns the programs of a switch, one for each PFE: a single level
// where all workers are on one PFE, else the chassis' top PFE above those that
// have workers (Trio §4).
func (j *Job) trioML(sw *plan.Switch) []program.Config {
	pfes := []plan.PFE{{Name: ""}}
	top := 0
	if sw.Chassis != nil {
		pfes, top = sw.Chassis.PFEs, sw.Chassis.Top
	}
	leaves := j.leaves(sw, len(pfes))
	if len(leaves) == 1 {
		top = leaves[0]
	}
	out := make([]program.Config, len(pfes))
	above := j.sources(sw, top)
	for _, i := range leaves {
		if i == top {
			continue
		}
		up := []sansio.Port{dataplane.Fabric(top)}
		out[i] = j.pfe(sw, pfes[i], or(j.Trio.Timeout, program.DefaultTimeout), j.level(j.sources(sw, i), up, pfeSource+i))
		above = append(above, uint8(pfeSource+i))
	}
	timeout := or(j.Trio.Timeout, program.DefaultTimeout)
	if len(leaves) > 1 {
		timeout *= topPatience
	}
	out[top] = j.pfe(sw, pfes[top], timeout, j.level(above, j.hostPorts(), pfeSource+top))
	for i := range out {
		if out[i].Node == "" {
			out[i] = j.pfe(sw, pfes[i], timeout)
		}
	}
	return out
}

// topPatience is the top level's timeout in those of the lower one (ambiguity
// trio.hier-timeout: at least twice, and a margin): a PFE below may age a block
// up to two timeouts after its sources fell silent.
const topPatience = 3

func (j *Job) pfe(sw *plan.Switch, pfe plan.PFE, timeout units.Duration, jobs ...program.Job) program.Config {
	node := sw.Name
	if pfe.Name != "" {
		node = fmt.Sprintf("%s/%s", sw.Name, pfe.Name)
	}
	return program.Config{Node: node, Timeout: timeout, Threads: j.Trio.Threads, NoAging: j.Trio.NoAging, Late: j.Trio.Late, Jobs: jobs}
}

func (j *Job) level(sources []uint8, to []sansio.Port, source int) program.Job {
	return program.Job{ID: jobID, Sources: sources, Out: j.trioResults(), To: to, OutSource: uint8(source)}
}

// sources returns the workers on a PFE (any PFE of a switch without chassis).
func (j *Job) sources(sw *plan.Switch, pfe int) (out []uint8) {
	for i := range j.Plan.Hosts {
		if p := sw.Ports[j.Plan.Hosts[i].SwitchPort]; sw.Chassis == nil || p.PFE == pfe {
			out = append(out, uint8(i))
		}
	}
	return out
}

// leaves returns the PFEs that have workers.
func (j *Job) leaves(sw *plan.Switch, pfes int) (out []int) {
	for i := range pfes {
		if len(j.sources(sw, i)) > 0 {
			out = append(out, i)
		}
	}
	return out
}

func (j *Job) hostPorts() (out []sansio.Port) {
	for i := range j.Plan.Hosts {
		out = append(out, sansio.Port(j.Plan.Hosts[i].SwitchPort))
	}
	return out
}
