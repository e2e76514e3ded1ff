package reference

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
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
	t := dataplane.Table{Columns: JobColumns}
	for _, j := range p.jobs {
		if j == nil {
			continue
		}
		row := JobRow{
			ID: j.ID, Sources: j.mask, OutSource: j.OutSource, To: j.Out.Dst,
			BlockMax: j.BlockMax, BlocksOpen: j.open, GradMax: j.GradMax, JobCounts: j.count,
		}
		if j.started {
			row.Newest = dataplane.Int(j.newest)
		}
		t.Add(row.Values(now)...)
	}
	return t
}

func (p *Program) viewBlocks(now units.Time, limit int) dataplane.Table {
	var open []*record
	for i := range p.scan.threads {
		open = append(open, p.scan.records(i)...)
	}
	slices.SortFunc(open, func(a, b *record) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.key.word(), b.key.word()))
	})
	t := dataplane.Table{Columns: BlockColumns}
	for _, r := range open[:min(limit, len(open))] {
		t.Add(BlockRow{
			Job: r.key.job, Block: r.key.block, Gen: uint32(r.gen), Have: r.rcvd, Want: r.job.mask,
			Grads: r.grads, Age: now.Sub(r.start), Ref: dataplane.Bool(r.ref), Degraded: r.degraded,
		}.Values()...)
	}
	t.Total = len(open)
	return t
}
