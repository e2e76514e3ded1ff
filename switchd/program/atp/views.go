package atp

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Views lists what can be seen.
func (*Table) Views() []dataplane.View {
	return []dataplane.View{dataplane.ViewJobs, dataplane.ViewSlots, dataplane.ViewBitmap}
}

// View returns the jobs by id; the aggregators that are not free, those first whose latest packet is
// the oldest, with the share of the table that each job has; or their bitmaps by index.
func (t *Table) View(now units.Time, v dataplane.View, limit int) (out dataplane.Table) {
	switch v {
	case dataplane.ViewJobs:
		out = t.viewJobs(now)
	case dataplane.ViewSlots:
		out = t.viewSlots(now)
	case dataplane.ViewBitmap:
		out = t.viewBitmap()
	}
	out.Cut(limit)
	return out
}

func (t *Table) viewJobs(now units.Time) dataplane.Table {
	out := dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"},
		{Key: "servers", Name: "servers", Spare: 2},
		{Key: "sources", Name: "workers"},
		{Key: "first", Name: "fan-in 0"},
		{Key: "second", Name: "fan-in 1"},
	}}
	upper := t.deepest()
	for level := base; level < upper; level++ {
		out.Columns = append(out.Columns, dataplane.Column{Key: fmt.Sprintf("level%d", level), Name: fmt.Sprintf("fan-in %d", level)})
	}
	out.Columns = append(out.Columns, []dataplane.Column{
		{Key: "aggregators", Name: "aggregators"},
		{Key: "packets", Name: "packets"},
		{Key: "aggregated", Name: "aggregated"},
		{Key: "results", Name: "results"},
		{Key: "collisions", Name: "collisions"},
		{Key: "resends", Name: "resends", Spare: 1},
		{Key: "marks", Name: "marks", Spare: 2},
		{Key: "refused", Name: "refused", Spare: 3},
		dataplane.IdleColumn,
	}...)
	has := t.shares()
	for e := range t.all {
		c := &e.Counts
		row := []dataplane.Value{dataplane.Int(e.ID), dataplane.Int(len(e.servers)), dataplane.Int(e.sources.Len())}
		for level := range upper {
			row = append(row, e.fanIn(level))
		}
		out.Add(append(row, dataplane.Int(has[e.ID]),
			dataplane.Int(c[Packets]), dataplane.Int(c[Aggregated]), dataplane.Int(c[Results]), dataplane.Int(c[Collisions]), dataplane.Int(c[Resends]),
			dataplane.Int(c[Marks]), dataplane.Int(c[BadFanIn]+c[BadIndex]+c[Unlike]+c[Forged]), dataplane.Idle(now, e.Last, c[Packets] > 0))...)
	}
	return out
}

// deepest returns the most levels that a job has, two at least.
func (t *Table) deepest() int {
	most := base
	for e := range t.all {
		most = max(most, int(e.deep))
	}
	return most
}

// fanIn returns the largest fan-in of a level, for any server; it does not apply where the
// switch has no such part.
func (e *Entry) fanIn(level int) (v dataplane.Value) {
	most := 0
	for i := range e.servers {
		if p := e.servers[i].parts[level]; p != nil {
			most = max(most, p.FanIn)
		}
	}
	if most > 0 {
		v = dataplane.Int(most)
	}
	return v
}

// shares returns how many aggregators each job has, those that are removed too.
func (t *Table) shares() (has [dataplane.MaxJobID + 1]int) {
	for a := range t.held {
		has[a.Job]++
	}
	return has
}

func (t *Table) viewSlots(now units.Time) dataplane.Table {
	out := dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"},
		{Key: "index", Name: "aggregator"},
		{Key: "sequence", Name: "number"},
		{Key: "have", Name: "have"},
		{Key: "want", Name: "of"},
		{Key: "missing", Name: "missing workers"},
		{Key: "ecn", Name: "marked", Spare: 1},
		{Key: "age_us", Name: "last packet", Unit: "us ago"},
	}, Notes: append(t.shareNotes(), t.abandonedNotes(now)...)}
	for _, a := range t.byAge() {
		want, missing := dataplane.Value{}, dataplane.Value{}
		if p := a.Part; p != nil {
			want, missing = dataplane.Int(p.FanIn), dataplane.Text(dataplane.MaskText(p.whole.Without(p.Mask(a.Bitmap))))
		}
		out.Add(dataplane.Int(a.Job), dataplane.Int(a.Index), dataplane.Int(a.Sequence), dataplane.Int(a.Count), want, missing,
			dataplane.Bool(a.ECN), dataplane.Micros(now.Sub(a.Since)))
	}
	return out
}

// byAge returns the aggregators that are not free, those first whose latest packet is the oldest.
func (t *Table) byAge() []Aggregator {
	all := slices.Collect(t.held)
	slices.SortStableFunc(all, func(a, b Aggregator) int { return cmp.Compare(a.Since, b.Since) })
	return all
}

// shareNotes says how much of the table each job has.
func (t *Table) shareNotes() (out []string) {
	all := 0
	for id, n := range t.shares() {
		if all += n; n > 0 {
			gone := ""
			if t.jobs[id] == nil {
				gone = ", which is removed,"
			}
			out = append(out, fmt.Sprintf("job %d%s has %s", id, gone, t.share(n)))
		}
	}
	return append(out, "in use are "+t.share(all))
}

// abandonedNotes says how many aggregators count as abandoned, and what frees them.
func (t *Table) abandonedNotes(now units.Time) []string {
	n := 0
	for a := range t.held {
		if now.Sub(a.Since) > t.cfg.Age {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("no packet for more than %v came to %d of them: the next parameter packet of any job that names such an aggregator frees it", t.cfg.Age, n)}
}

func (t *Table) share(n int) string {
	if t.cfg.Aggregators == 0 {
		return "0 of 0 aggregators"
	}
	return fmt.Sprintf("%d of %d aggregators, %.1f%% of the table", n, t.cfg.Aggregators, 100*float64(n)/float64(t.cfg.Aggregators))
}

func (t *Table) viewBitmap() dataplane.Table {
	out := dataplane.Table{Columns: []dataplane.Column{
		{Key: "index", Name: "aggregator"},
		{Key: "job", Name: "job"},
		{Key: "sequence", Name: "number"},
		{Key: "level", Name: "level"},
		{Key: "bitmap", Name: "bitmap"},
	}}
	for a := range t.held {
		level := dataplane.Value{}
		if a.Part != nil {
			level = dataplane.Int(a.Part.Level)
		}
		out.Add(dataplane.Int(a.Index), dataplane.Int(a.Job), dataplane.Int(a.Sequence), level, dataplane.Text(fmt.Sprintf("0x%08x", a.Bitmap)))
	}
	return out
}
