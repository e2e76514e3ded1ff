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

// Row is a job as the view of jobs shows it.
type Row struct {
	ID       uint8
	Session  uint64
	Workers  int // that it is to have
	Here     int // that came
	Elements int // values a packet
	Base     int // first slot of its part of the pool
	Slots    int // of each set
	Open     int // slots that wait for workers
	Counts   *Counts
}

// ViewJobs returns the view of jobs, a row each.
func ViewJobs(now units.Time, rows []Row) dataplane.Table {
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
	for _, r := range rows {
		c := r.Counts
		t.Add(dataplane.Int(r.ID), dataplane.Int(r.Session), dataplane.Int(r.Workers), dataplane.Int(r.Here), dataplane.Int(r.Elements),
			dataplane.Int(r.Base), dataplane.Int(r.Slots), dataplane.Int(r.Open),
			dataplane.Int(c.Packets), dataplane.Int(c.Results), dataplane.Int(c.Answered), dataplane.Int(c.Dropped), dataplane.Idle(now, c.Last, c.Packets > 0))
	}
	return t
}

// ViewSlots returns the view of phases that lack workers, in the order given.
func ViewSlots(now units.Time, open []dataplane.OpenBlock) dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"},
		{Key: "slot", Name: "slot"},
		{Key: "packet", Name: "packet of the phase"},
		{Key: "have", Name: "have"},
		{Key: "want", Name: "of"},
		{Key: "missing", Name: "missing workers"},
		{Key: "age_us", Name: "open for", Unit: "us"},
	}}
	for _, o := range open {
		t.Add(dataplane.Int(o.Job), dataplane.Int(o.Block), dataplane.Int(o.Gen), dataplane.Int(o.Have.Len()), dataplane.Int(o.Want.Len()),
			dataplane.Text(dataplane.MaskText(o.Want.Without(o.Have))), dataplane.Micros(now.Sub(o.Since)))
	}
	return t
}

// Bitmap is the view of bitmaps; AddSlot adds its rows.
type Bitmap struct{ dataplane.Table }

// NewBitmap returns the view without rows.
func NewBitmap() *Bitmap {
	return &Bitmap{dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"},
		{Key: "slot", Name: "slot"},
		{Key: "set0", Name: "seen in set 0"},
		{Key: "set1", Name: "seen in set 1"},
	}}}
}

// AddSlot adds a slot whose sets have seen these workers.
func (b *Bitmap) AddSlot(job uint8, slot int, seen0, seen1 trace.Mask) {
	b.Add(dataplane.Int(job), dataplane.Int(slot), dataplane.Text(dataplane.MaskText(seen0)), dataplane.Text(dataplane.MaskText(seen1)))
}
