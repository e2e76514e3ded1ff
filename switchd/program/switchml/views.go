package switchml

import (
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
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
		t = p.viewSlots(now)
	case dataplane.ViewBitmap:
		t = p.viewBitmap()
	}
	t.Cut(limit)
	return t
}

func (p *Program) viewJobs(now units.Time) dataplane.Table {
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
	for _, j := range p.jobs {
		heard := dataplane.JobCounts{Packets: j.count.packets, Last: j.count.last}
		t.Add(dataplane.Int(j.ID), dataplane.Int(j.Session), dataplane.Int(max(j.NumWorkers, j.n)), dataplane.Int(j.n), dataplane.Int(j.Elements),
			dataplane.Int(j.base), dataplane.Int(j.Slots), dataplane.Int(j.open()),
			dataplane.Int(j.count.packets), dataplane.Int(j.count.results), dataplane.Int(j.count.answered), dataplane.Int(j.count.dropped), heard.Idle(now))
	}
	return t
}

func (p *Program) viewSlots(now units.Time) dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"},
		{Key: "slot", Name: "slot"},
		{Key: "packet", Name: "packet of the phase"},
		{Key: "have", Name: "have"},
		{Key: "want", Name: "of"},
		{Key: "missing", Name: "missing workers"},
		{Key: "age_us", Name: "open for", Unit: "us"},
	}}
	for _, o := range p.allOpen() {
		t.Add(dataplane.Int(o.Job), dataplane.Int(o.Block), dataplane.Int(o.Gen), dataplane.Int(o.Have.Len()), dataplane.Int(o.Want.Len()),
			dataplane.Text(dataplane.MaskText(o.Want.Without(o.Have))), dataplane.Micros(now.Sub(o.Since)))
	}
	return t
}

func (p *Program) viewBitmap() dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"},
		{Key: "slot", Name: "slot"},
		{Key: "set0", Name: "seen in set 0"},
		{Key: "set1", Name: "seen in set 1"},
	}}
	for _, j := range p.jobs {
		for i := range j.pool[0] {
			a, b := j.pool[0][i].seen, j.pool[1][i].seen
			if a.Or(b) != (trace.Mask{}) {
				t.Add(dataplane.Int(j.ID), dataplane.Int(i), dataplane.Text(dataplane.MaskText(a)), dataplane.Text(dataplane.MaskText(b)))
			}
		}
	}
	return t
}
