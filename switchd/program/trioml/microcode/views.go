package microcode

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// Views lists what can be seen of the program and its PFE.
func (e *Engine) Views() []dataplane.View {
	return append([]dataplane.View{dataplane.ViewJobs, dataplane.ViewBlocks}, e.PFE.Views()...)
}

// View returns the job records by id, or the block records, the oldest first, as
// the reference program shows its own.
func (e *Engine) View(now units.Time, v dataplane.View, limit int) (t dataplane.Table) {
	switch v {
	case dataplane.ViewJobs:
		t = e.viewJobs(now)
	case dataplane.ViewBlocks:
		t = e.viewBlocks(now, limit)
	default:
		return e.PFE.View(now, v, limit)
	}
	t.Cut(limit)
	return t
}

func (e *Engine) viewJobs(now units.Time) dataplane.Table {
	t := dataplane.Table{Columns: trioml.JobColumns}
	for known := range e.jobs.All() {
		j, _ := e.Job(known.ID)
		row := trioml.JobRow{
			ID: j.Job, Sources: j.SrcMask, OutSource: j.OutSrcID, To: j.OutDstAddr,
			BlockMax: j.BlockCntMax, BlocksOpen: int(j.BlockCurrCnt), GradMax: j.BlockGradMax, Timeout: e.jobs.TimeoutOf(known), JobCounts: known.Count,
		}
		if j.Started {
			row.Newest = dataplane.Int(j.Newest)
		}
		t.Add(row.Values(now)...)
	}
	return t
}

func (e *Engine) viewBlocks(now units.Time, limit int) dataplane.Table {
	t := dataplane.Table{Columns: trioml.BlockColumns}
	for _, o := range e.Open(limit) {
		r, _ := e.Block(o.Job, o.Block)
		ref := e.Memory().Hash().Referenced(key(o.Job, o.Block))
		t.Add(trioml.BlockRow{OpenBlock: o, Grads: r.Grads, Ref: ref, Degraded: r.Degraded}.Values(now)...)
	}
	t.Total = e.OpenBlocks()
	return t
}
