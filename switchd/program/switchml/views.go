package switchml

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Counts are the counters of one job.
type Counts struct {
	Packets  uint64     // of its workers
	Last     units.Time // when the latest of them came
	Results  uint64     // slots that came to be complete
	Answered uint64     // retransmissions that were, or were sent up
	Passed   uint64     // results from the parent
	Dropped  uint64
}

// List returns the counters by name.
func (c *Counts) List() []sansio.Count {
	return []sansio.Count{
		{Name: "packets", N: c.Packets}, {Name: "results", N: c.Results}, {Name: "answered", N: c.Answered},
		{Name: "passed-on", N: c.Passed}, {Name: "dropped", N: c.Dropped},
	}
}

// Views lists what can be seen of jobs.
func (t *Table[K]) Views() []dataplane.View {
	return []dataplane.View{dataplane.ViewJobs, dataplane.ViewSlots, dataplane.ViewBitmap}
}

// View returns the jobs by id; the phases of slots that lack workers, the oldest
// first; or the bitmaps of all slots that have been used.
func (t *Table[K]) View(now units.Time, v dataplane.View, limit int) (out dataplane.Table) {
	switch v {
	case dataplane.ViewJobs:
		out = t.viewJobs(now)
	case dataplane.ViewSlots:
		out = viewSlots(now, t.openSlots())
	case dataplane.ViewBitmap:
		out = t.viewBitmap()
	}
	out.Cut(limit)
	return out
}

func (t *Table[K]) viewJobs(now units.Time) dataplane.Table {
	out := dataplane.Table{Columns: []dataplane.Column{
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
		{Key: "state", Name: "state"},
	}}
	for _, r := range t.Refusals(0) {
		out.Notes = append(out.Notes, r.Why)
	}
	for _, k := range t.jobs {
		e := k.entry()
		c := &e.Counts
		out.Add(dataplane.Int(e.ID), dataplane.Int(e.Session), dataplane.Int(max(e.NumWorkers, len(e.Workers))), dataplane.Int(len(e.Workers)), dataplane.Int(e.Elements),
			dataplane.Int(e.Base), dataplane.Int(e.Slots), dataplane.Int(countOpen(k)),
			dataplane.Int(c.Packets), dataplane.Int(c.Results), dataplane.Int(c.Answered), dataplane.Int(c.Dropped), dataplane.Idle(now, c.Last, c.Packets > 0), dataplane.Text(e.state()))
	}
	return out
}

// viewSlots returns the view of phases that lack workers, in the order given.
func viewSlots(now units.Time, open []dataplane.OpenBlock) dataplane.Table {
	out := dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"},
		{Key: "slot", Name: "slot"},
		{Key: "packet", Name: "packet of the phase"},
		{Key: "have", Name: "have"},
		{Key: "want", Name: "of"},
		{Key: "missing", Name: "missing workers"},
		{Key: "age_us", Name: "open for", Unit: "us"},
	}}
	for _, o := range open {
		out.Add(dataplane.Int(o.Job), dataplane.Int(o.Block), dataplane.Int(o.Gen), dataplane.Int(o.Have.Len()), dataplane.Int(o.Want.Len()),
			dataplane.Text(dataplane.MaskText(o.Want.Without(o.Have))), dataplane.Micros(now.Sub(o.Since)))
	}
	return out
}

func (t *Table[K]) viewBitmap() dataplane.Table {
	out := dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"},
		{Key: "slot", Name: "slot"},
		{Key: "set0", Name: "seen in set 0"},
		{Key: "set1", Name: "seen in set 1"},
	}}
	for _, k := range t.jobs {
		for slot := range k.entry().Slots {
			if seen := k.Seen(slot); seen != [2]trace.Mask{} {
				out.Add(dataplane.Int(k.entry().ID), dataplane.Int(slot), dataplane.Text(dataplane.MaskText(seen[0])), dataplane.Text(dataplane.MaskText(seen[1])))
			}
		}
	}
	return out
}
