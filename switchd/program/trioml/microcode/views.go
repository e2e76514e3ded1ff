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
	for id := range e.jobs {
		j, ok := e.Job(uint8(id))
		if !ok {
			continue
		}
		row := trioml.JobRow{
			ID: uint8(id), Sources: j.SrcMask, OutSource: j.OutSrcID, To: j.OutDstAddr,
			BlockMax: j.BlockCntMax, BlocksOpen: int(j.BlockCurrCnt), GradMax: j.BlockGradMax, JobCounts: e.watch.jobs[id],
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
		t.Add(trioml.BlockRow{
			Job: o.Job, Block: o.Block, Gen: o.Gen, Have: o.Have, Want: o.Want,
			Grads: r.Grads, Age: now.Sub(o.Since), Ref: dataplane.Bool(e.Memory().Hash().Referenced(key(o.Job, o.Block))), Degraded: r.Degraded,
		}.Values()...)
	}
	t.Total = e.OpenBlocks()
	return t
}
