package microcode

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// AddJob sets up a job as a [trioml.Document] says.
func (e *Engine) AddJob(_ units.Time, d dataplane.Document) (uint8, error) {
	j, err := trioml.JobOf(d)
	if err != nil {
		return 0, err
	}
	if e.jobs[j.ID] {
		return 0, dataplane.RefuseTaken(int(j.ID), e.cfg.Node)
	}
	e.tidy()
	if at, is := e.leaving[j.ID]; is {
		return 0, dataplane.Refuse(dataplane.RefusedNoRoom, "add it a little later, or take another id", "threads of %s still work for the job %d that was removed at %v", e.cfg.Node, j.ID, at)
	}
	if err := e.add(j); err != nil {
		return 0, dataplane.Refuse(dataplane.RefusedNoRoom, "lower block_cnt_max, or remove a job", "%s: %v", e.cfg.Node, err)
	}
	return j.ID, nil
}

// RemoveJob takes a job record out, with its block records. What threads still add
// to one of them is lost.
func (e *Engine) RemoveJob(now units.Time, id uint8) (dataplane.Removed, error) {
	if !e.jobs[id] {
		return dataplane.Removed{}, dataplane.RefuseUnknown(int(id), e.cfg.Node)
	}
	out := dataplane.Removed{Counters: e.watch.jobs[id].List()}
	out.OpenBlocks = e.leave(now, id)
	e.removed += uint64(out.OpenBlocks)
	e.RemoveNextHop(nextHop(id))
	e.jobs[id], e.watch.jobs[id] = false, trioml.JobCounts{}
	e.refs--
	e.tidy()
	return out, nil
}

// Counters returns those of the PFE and of its program, by the names of the
// reference program.
func (e *Engine) Counters() []sansio.Count {
	list := e.PFE.Counters()
	if e.removed == 0 {
		return list
	}
	var t sansio.Tally
	t.Merge(list)
	t.Add(trioml.CountRemoved, e.removed)
	return t.List()
}
