package reference

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// Views lists what can be seen of the program.
func (p *Program) Views() []dataplane.View {
	return []dataplane.View{dataplane.ViewJobs, dataplane.ViewBlocks}
}

// View returns the job records by id, or the block records, the oldest first.
func (p *Program) View(now units.Time, v dataplane.View, limit int) (t dataplane.Table) {
	switch v {
	case dataplane.ViewJobs:
		t = p.viewJobs(now)
	case dataplane.ViewBlocks:
		t = p.viewBlocks(now, limit)
	}
	t.Cut(limit)
	return t
}

func (p *Program) viewJobs(now units.Time) dataplane.Table {
	t := dataplane.Table{Columns: trioml.JobColumns}
	for e := range p.table.All() {
		j := p.jobs[e.ID]
		row := trioml.JobRow{
			ID: j.ID, Sources: j.Mask, OutSource: j.OutSource, To: j.Out.Dst,
			BlockMax: j.BlockMax, BlocksOpen: j.open, GradMax: j.GradMax, Timeout: p.table.TimeoutOf(e), JobCounts: j.Count,
		}
		if j.started {
			row.Newest = dataplane.Int(j.newest)
		}
		t.Add(row.Values(now)...)
	}
	return t
}

func (p *Program) viewBlocks(now units.Time, limit int) dataplane.Table {
	t := dataplane.Table{Columns: trioml.BlockColumns}
	for _, o := range p.Open(limit) {
		r := p.records[keyOf(o.Job, o.Block)]
		t.Add(trioml.BlockRow{OpenBlock: o, Grads: r.Grads, Ref: r.Ref, Degraded: r.Degraded}.Values(now)...)
	}
	t.Total = p.OpenBlocks()
	return t
}
