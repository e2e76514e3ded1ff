package job

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Cell returns the record of a run of the job, without its results.
func (j *Job) Cell() result.Cell {
	c := result.Cell{
		System: j.System.Name(), Job: j.Name, Rank: Rank(j.System), Topology: j.Plan.Name, Model: j.Model.Name, Clock: j.clock(), StraggleP: j.StraggleP, Point: j.Point, Seed: uint64(j.Seed),
		Scale: j.Scale, Workers: len(j.Hosts()), Iterations: j.Iterations, Notes: j.Layout.Notes,
		Switch: j.Switch,
	}
	if j.Replay {
		c.Gradient = 4 * units.Bytes(j.Params)
	}
	c.Expected, c.ExpectedIsBound = j.Expect()
	c.Wire, c.Timeout = j.Layout.Time, j.Layout.TimeoutRule
	for _, h := range j.Hosts() {
		c.Hosts = append(c.Hosts, h.Name)
	}
	if j.unequal() {
		c.Computes = j.Computes()
	}
	return c
}

// IdealCell returns the computed row that the job's system is compared with. It
// was not run, so that it has no fidelity.
func (j *Job) IdealCell() result.Cell {
	c := j.Cell()
	c.System, c.Job, c.Rank, c.Topology, c.StraggleP, c.Notes, c.Switch = Ideal, j.Name, 0, "-", 0, nil, ""
	c.Computed, c.Expected, c.ExpectedIsBound = j.Ideal(), j.Ideal(), false
	c.Wire, c.Timeout, c.Hosts, c.Computes = 0, "", nil, nil
	return c
}

// Ideal names the computed row: compute, measured once runs are done and nominal
// before, and the analytic ring time at link rate, without stragglers.
const Ideal = "ideal"

func (j *Job) clock() string {
	if j.Virtual {
		return "virtual"
	}
	return "live"
}
