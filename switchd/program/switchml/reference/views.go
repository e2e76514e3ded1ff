package reference

import (
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	switchmljob "github.com/inalab/inalab/switchd/program/switchml"
)

// Views lists what can be seen of the program.
func (p *Program) Views() []dataplane.View {
	return []dataplane.View{dataplane.ViewJobs, dataplane.ViewSlots, dataplane.ViewBitmap}
}

// View returns the jobs by id; the phases of slots that lack workers, the oldest
// first; or the bitmaps of all slots that have been used.
func (p *Program) View(now units.Time, v dataplane.View, limit int) (t dataplane.Table) {
	switch v {
	case dataplane.ViewJobs:
		t = p.viewJobs(now)
	case dataplane.ViewSlots:
		t = switchmljob.ViewSlots(now, p.allOpen())
	case dataplane.ViewBitmap:
		t = p.viewBitmap()
	}
	t.Cut(limit)
	return t
}

func (p *Program) viewJobs(now units.Time) dataplane.Table {
	var rows []switchmljob.Row
	for _, j := range p.jobs {
		rows = append(rows, switchmljob.Row{
			ID: j.ID, Session: j.Session, Workers: max(j.NumWorkers, j.n), Here: j.n, Elements: j.Elements,
			Base: j.base, Slots: j.Slots, Open: j.open(), Counts: &j.count,
		})
	}
	return switchmljob.ViewJobs(now, rows)
}

func (p *Program) viewBitmap() dataplane.Table {
	t := switchmljob.NewBitmap()
	for _, j := range p.jobs {
		for i := range j.pool[0] {
			a, b := j.pool[0][i].seen, j.pool[1][i].seen
			if a.Or(b) != (trace.Mask{}) {
				t.AddSlot(j.ID, i, a, b)
			}
		}
	}
	return t.Table
}
