package trioml

import (
	"encoding/json"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// AddJob sets up a job record as a [dataplane.Job] says.
func (p *Program) AddJob(_ units.Time, config json.RawMessage) (uint8, error) {
	d, err := dataplane.DecodeJob(config)
	if err != nil {
		return 0, err
	}
	j := Job{ID: uint8(d.ID), BlockMax: d.BlockMax, GradMax: d.GradMax, Out: d.Out, To: d.To, OutSource: uint8(d.OutSrc)}
	for _, s := range d.Sources {
		j.Sources = append(j.Sources, uint8(s))
	}
	if p.jobs[j.ID] != nil {
		return 0, dataplane.Refuse(dataplane.RefusedIDTaken, "remove it first, or take another id", "there is a job %d on %s", j.ID, p.cfg.Node)
	}
	if used := p.buffers(); used+j.buffers() > MaxBuffers {
		return 0, dataplane.Refuse(dataplane.RefusedNoRoom, "lower block_cnt_max or block_grad_max, or remove a job",
			"job %d may need %v for its blocks on %s, where %v of %v are left", j.ID, j.buffers(), p.cfg.Node, MaxBuffers-used, MaxBuffers)
	}
	p.jobs[j.ID] = newJob(j)
	return j.ID, nil
}

// buffers returns what the blocks of all jobs may take.
func (p *Program) buffers() (n units.Bytes) {
	for _, j := range p.jobs {
		if j != nil {
			n += j.buffers()
		}
	}
	return n
}

// RemoveJob takes a job record out, with its block records.
func (p *Program) RemoveJob(_ units.Time, id uint8) (dataplane.Removed, error) {
	j := p.jobs[id]
	if j == nil {
		return dataplane.Removed{}, dataplane.Refuse(dataplane.RefusedUnknownJob, "\"inalab switch job ls\" lists those that are there", "there is no job %d on %s", id, p.cfg.Node)
	}
	out := dataplane.Removed{OpenBlocks: j.open, Counters: j.count.list()}
	for i := range p.scan.threads {
		for _, r := range p.scan.records(i) {
			if r.job == j {
				p.remove(r)
			}
		}
	}
	if out.OpenBlocks > 0 {
		p.count.Add(CountRemoved, uint64(out.OpenBlocks))
	}
	p.jobs[id] = nil
	return out, nil
}

func (c *jobCounts) list() []sansio.Count {
	return []sansio.Count{
		{Name: "packets", N: c.packets}, {Name: "results", N: c.results}, {Name: "degraded", N: c.degraded},
		{Name: "aged", N: c.aged}, {Name: "dropped", N: c.dropped},
	}
}
