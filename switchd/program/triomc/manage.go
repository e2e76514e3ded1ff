package triomc

import (
	"encoding/json"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio/mem"
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
	if err := e.add(j); err != nil {
		return 0, dataplane.Refuse(dataplane.RefusedNoRoom, "remove a job, or wait until fewer blocks are open", "%s: %v", e.cfg.Node, err)
	}
	return j.ID, nil
}

// RemoveJob takes a job record out, with its block records. What threads still add
// to one of them is lost, and so is its buffer, which they may write to.
func (e *Engine) RemoveJob(_ units.Time, id uint8) (dataplane.Removed, error) {
	if !e.jobs[id] {
		return dataplane.Removed{}, dataplane.Refuse(dataplane.RefusedUnknownJob, "\"inalab switch job ls\" lists those that are there", "there is no job %d on %s", id, e.cfg.Node)
	}
	out := dataplane.Removed{Counters: e.watch.jobs[id].list()}
	hash := e.Memory().Hash()
	var keys []uint64
	for k, a := range hash.All() {
		if uint8(k>>32) != id || uint32(k) == JobBlock {
			continue
		}
		keys = append(keys, k)
		if r, ok := e.blockAt(a); ok && r.InFlight == 0 && !r.Owned {
			e.giveBack(r)
		}
	}
	for _, k := range keys {
		hash.Delete(k)
	}
	out.OpenBlocks = len(keys)
	e.removed += uint64(len(keys))
	hash.Delete(key(id, JobBlock))
	e.RemoveNextHop(nextHop(id))
	e.forget(id)
	e.jobs[id], e.watch.jobs[id] = false, jobCounts{}
	e.refs--
	e.SetPermanent(e.refs)
	return out, nil
}

// giveBack returns the buffer of a block to the pool, cleared.
func (e *Engine) giveBack(r BlockRecord) {
	m := e.Memory()
	var zeros [mem.MaxAccess]byte
	for at := 0; at < 4*r.Grads; at += len(zeros) {
		m.Write(r.Aggr+mem.Addr(at/mem.WordBytes), zeros[:])
	}
	top, _ := m.Load(e.at.poolTop)
	m.Store(e.at.pool+mem.Addr(top), uint64(r.Aggr))
	m.Store(e.at.poolTop, top+1)
}

// forget clears the tombstones of a job, for the next one of that id.
func (e *Engine) forget(id uint8) {
	m := e.Memory()
	start := e.at.tombs + mem.Addr(id)*tombWords
	for a := start; a < start+tombWords; a++ {
		if v, _ := m.Load(a); v != 0 { // to write zeros would take memory
			m.Store(a, 0)
		}
	}
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
