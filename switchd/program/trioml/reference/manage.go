package reference

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// AddJob sets up a job record as a [Document] says.
func (p *Program) AddJob(_ units.Time, d dataplane.Document) (uint8, error) {
	j, err := JobOf(d)
	if err != nil {
		return 0, err
	}
	if p.jobs[j.ID] != nil {
		return 0, dataplane.RefuseTaken(int(j.ID), p.cfg.Node)
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
		return dataplane.Removed{}, dataplane.RefuseUnknown(int(id), p.cfg.Node)
	}
	out := dataplane.Removed{OpenBlocks: j.open, Counters: j.count.List()}
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
