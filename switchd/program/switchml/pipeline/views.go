package pipeline

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	switchmljob "github.com/inalab/inalab/switchd/program/switchml"
)

// Views lists what can be seen: of the program what the reference program shows, of
// the chip its ports and what the program takes of it.
func (e *Engine) Views() []dataplane.View {
	return append([]dataplane.View{dataplane.ViewJobs, dataplane.ViewSlots, dataplane.ViewBitmap}, e.chip.Views()...)
}

// View returns the jobs by id; the phases of slots that lack workers, the oldest
// first; the bitmaps of all slots that are in use; or a view of the chip.
func (e *Engine) View(now units.Time, v dataplane.View, limit int) (t dataplane.Table) {
	switch v {
	case dataplane.ViewJobs:
		t = e.viewJobs(now)
	case dataplane.ViewSlots:
		t = switchmljob.ViewSlots(now, e.allOpen())
	case dataplane.ViewBitmap:
		t = e.viewBitmap()
	case dataplane.ViewResources:
		t = e.chip.View(now, v, limit)
		t.Notes = append(t.Notes, e.passNote())
	default:
		t = e.chip.View(now, v, limit)
	}
	t.Cut(limit)
	return t
}

func (e *Engine) passNote() string {
	if e.opts.Half {
		return fmt.Sprintf("passes of this program: %d, %d where that is answered", HalfPasses(false), HalfPasses(true))
	}
	return fmt.Sprintf("passes of this program: %d with 64 values, %d where that is answered; %d with 256, %d where that is answered",
		Passes(64, false), Passes(64, true), Passes(256, false), Passes(256, true))
}

// HalfPasses is Passes for the variant for 16-bit floats.
func HalfPasses(answered bool) int {
	if answered {
		return passLower + groups
	}
	return 2
}

// Passes returns how many passes through an ingress a packet of 64 or 256 values
// takes that is added; or that is answered, since it completes its slot or has been
// seen in one that is complete.
func Passes(elements int, answered bool) int {
	halves := 2 * elements / (2 * lanes)
	switch writes := halves / 2; {
	case !answered:
		return writes
	default:
		return writes + halves - 1 // the first half is read with the last that is written
	}
}

func (e *Engine) viewJobs(now units.Time) dataplane.Table {
	var rows []switchmljob.Row
	for _, j := range e.jobs {
		rows = append(rows, switchmljob.Row{
			ID: j.ID, Session: j.Session, Workers: max(j.NumWorkers, j.n), Here: j.n, Elements: j.Elements,
			Base: j.base, Slots: j.Slots, Open: e.open(j), Counts: &j.count,
		})
	}
	return switchmljob.ViewJobs(now, rows)
}

func (e *Engine) viewBitmap() dataplane.Table {
	t := switchmljob.NewBitmap()
	for _, j := range e.jobs {
		for i := range j.Slots {
			if s := e.state.seen(j.pipe, j.base+i); s[0]|s[1] != 0 {
				t.AddSlot(j.ID, i, j.mask(s[0]), j.mask(s[1]))
			}
		}
	}
	return t.Table
}
