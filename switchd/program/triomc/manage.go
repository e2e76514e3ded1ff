package triomc

import (
	"encoding/json"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// AddJob sets up a job as a [dataplane.Job] says.
func (e *Engine) AddJob(_ units.Time, config json.RawMessage) (uint8, error) {
	d, err := dataplane.DecodeJob(config)
	if err != nil {
		return 0, err
	}
	j := trioml.Job{ID: uint8(d.ID), BlockMax: d.BlockMax, GradMax: d.GradMax, Out: d.Out, To: d.To, OutSource: uint8(d.OutSrc)}
	for _, s := range d.Sources {
		j.Sources = append(j.Sources, uint8(s))
	}
	if e.jobs[j.ID] {
		return 0, dataplane.Refuse(dataplane.RefusedIDTaken, "remove it first, or take another id", "there is a job %d on %s", j.ID, e.cfg.Node)
	}
	e.tidy()
	if at, is := e.leaving[j.ID]; is {
		return 0, dataplane.Refuse(dataplane.RefusedNoRoom, "add it a little later, or take another id", "threads of %s still work for the job %d that was removed at %v", e.cfg.Node, j.ID, at)
	}
	if err := e.add(j); err != nil {
		return 0, dataplane.Refuse(dataplane.RefusedNoRoom, "remove a job, or wait until fewer blocks are open", "%s: %v", e.cfg.Node, err)
	}
	return j.ID, nil
}

// RemoveJob takes a job record out, with its block records. What threads still add
// to one of them is lost.
func (e *Engine) RemoveJob(now units.Time, id uint8) (dataplane.Removed, error) {
	if !e.jobs[id] {
		return dataplane.Removed{}, dataplane.Refuse(dataplane.RefusedUnknownJob, "\"inalab switch job ls\" lists those that are there", "there is no job %d on %s", id, e.cfg.Node)
	}
	out := dataplane.Removed{Counters: e.watch.jobs[id].list()}
	out.OpenBlocks = e.leave(now, id)
	e.removed += uint64(out.OpenBlocks)
	e.RemoveNextHop(nextHop(id))
	e.jobs[id], e.watch.jobs[id] = false, jobCounts{}
	e.refs--
	e.tidy()
	return out, nil
}

func (c *jobCounts) list() []sansio.Count {
	return []sansio.Count{
		{Name: "packets", N: c.packets}, {Name: "results", N: c.results}, {Name: "degraded", N: c.degraded},
		{Name: "aged", N: c.aged}, {Name: "dropped", N: c.dropped},
	}
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
