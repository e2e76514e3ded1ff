package switchmltofino

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
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
		t = e.viewSlots(now)
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
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"},
		{Key: "session", Name: "session", Spare: 3},
		{Key: "sources", Name: "workers"},
		{Key: "workers_here", Name: "that came", Spare: 2},
		{Key: "elements", Name: "elements a packet"},
		{Key: "base", Name: "first slot", Spare: 1},
		{Key: "slots", Name: "slots of a set"},
		{Key: "slots_open", Name: "slots that wait"},
		{Key: "packets", Name: "packets"},
		{Key: "results", Name: "results"},
		{Key: "answered", Name: "retransmissions answered"},
		{Key: "dropped", Name: "dropped"},
		dataplane.IdleColumn,
	}}
	for _, j := range e.jobs {
		heard := dataplane.JobCounts{Packets: j.count.packets, Last: j.count.last}
		t.Add(dataplane.Int(j.ID), dataplane.Int(j.Session), dataplane.Int(max(j.NumWorkers, j.n)), dataplane.Int(j.n), dataplane.Int(j.Elements),
			dataplane.Int(j.base), dataplane.Int(j.Slots), dataplane.Int(e.open(j)),
			dataplane.Int(j.count.packets), dataplane.Int(j.count.results), dataplane.Int(j.count.answered), dataplane.Int(j.count.dropped), heard.Idle(now))
	}
	return t
}

func (e *Engine) viewSlots(now units.Time) dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"},
		{Key: "slot", Name: "slot"},
		{Key: "packet", Name: "packet of the phase"},
		{Key: "have", Name: "have"},
		{Key: "want", Name: "of"},
		{Key: "missing", Name: "missing workers"},
		{Key: "age_us", Name: "open for", Unit: "us"},
	}}
	for _, o := range e.allOpen() {
		t.Add(dataplane.Int(o.Job), dataplane.Int(o.Block), dataplane.Int(o.Gen), dataplane.Int(o.Have.Len()), dataplane.Int(o.Want.Len()),
			dataplane.Text(dataplane.MaskText(o.Want.Without(o.Have))), dataplane.Micros(now.Sub(o.Since)))
	}
	return t
}

func (e *Engine) viewBitmap() dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"},
		{Key: "slot", Name: "slot"},
		{Key: "set0", Name: "seen in set 0"},
		{Key: "set1", Name: "seen in set 1"},
	}}
	for _, j := range e.jobs {
		for i := range j.Slots {
			if s := e.state.seen(j.pipe, j.base+i); s[0]|s[1] != 0 {
				t.Add(dataplane.Int(j.ID), dataplane.Int(i), dataplane.Text(dataplane.MaskText(j.mask(s[0]))), dataplane.Text(dataplane.MaskText(j.mask(s[1]))))
			}
		}
	}
	return t
}
