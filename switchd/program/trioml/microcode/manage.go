package microcode

import (
	"errors"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// AddJob sets up a [trioml.Job].
func (e *Engine) AddJob(now units.Time, d dataplane.Document) (uint8, error) {
	j, err := e.jobs.Admit(d)
	if err != nil {
		return 0, err
	}
	e.endDraining()
	if at, is := e.draining[j.ID]; is {
		return 0, dataplane.Refuse(dataplane.RefusedNoRoom, "add it a little later, or take another id", "threads of %s still work for the job %d that was removed at %v", e.cfg.Node, j.ID, at)
	}
	if err := e.add(j); err != nil {
		return 0, dataplane.Refuse(dataplane.RefusedNoRoom, "lower block_cnt_max, or remove a job", "%s: %v", e.cfg.Node, err)
	}
	if err := e.retime(now); err != nil {
		_, undo := e.RemoveJob(now, j.ID)
		return 0, dataplane.Refuse(trioml.RefusedTimeout, "take another block_exp", "%s: %v", e.cfg.Node, errors.Join(err, undo))
	}
	return j.ID, nil
}

// RemoveJob takes a job record out, with its block records. What threads still add
// to one of them is lost.
func (e *Engine) RemoveJob(now units.Time, id uint8) (dataplane.Removed, error) {
	out, err := e.jobs.Remove(id)
	if err != nil {
		return out, err
	}
	out.OpenBlocks = e.drain(now, id)
	e.removed += uint64(out.OpenBlocks)
	e.RemoveNextHop(nextHop(id))
	e.endDraining()
	return out, e.retime(now)
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
