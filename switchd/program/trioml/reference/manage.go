package reference

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// AddJob sets up a [trioml.Job].
func (p *Program) AddJob(now units.Time, d dataplane.Document) (uint8, error) {
	j, err := p.table.Admit(d)
	if err == nil {
		p.add(j)
		p.retime(now)
	}
	return j.ID, err
}

// retime gives the timer threads the period of the jobs that there are.
func (p *Program) retime(now units.Time) {
	if period := p.table.Period(); p.table.Len() > 0 && int64(period) != p.scan.period {
		p.scan.retime(now, period)
	}
}

func (p *Program) add(j trioml.Job) { p.jobs[j.ID] = newJob(p.table.Add(j)) }

// RemoveJob takes a job record out, with its block records.
func (p *Program) RemoveJob(now units.Time, id uint8) (dataplane.Removed, error) {
	out, err := p.table.Remove(id)
	if err != nil {
		return out, err
	}
	j := p.jobs[id]
	out.OpenBlocks = j.open
	for i := range p.scan.threads {
		for _, r := range p.scan.records(i) {
			if r.job == j {
				p.remove(r)
			}
		}
	}
	if out.OpenBlocks > 0 {
		p.count.Add(trioml.CountRemoved, uint64(out.OpenBlocks))
	}
	p.jobs[id] = nil
	p.retime(now)
	return out, nil
}

// Ports returns the ports by which results leave.
func (p *Program) Ports() (out []sansio.Port) {
	for j := range p.table.All() {
		out = append(out, j.To...)
	}
	return out
}
