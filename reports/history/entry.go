package history

import (
	"math"

	"github.com/inalab/inalab/reports/change"
	"github.com/inalab/inalab/reports/stat"
)

// Entry is a row of a run among those that it can be held against.
type Entry struct {
	*Run
	Row
	Series int     // those of one number can be held against each other
	Change float64 // against the median of the runs before, a fraction; NaN: there is none
	Before int     // runs in that median
}

// series are rows that can be held against each other.
type series struct {
	latest *Run
	row    Row // without what differs from run to run
	times  []float64
}

// Entries returns the selected rows of all runs, series by series, by time in each.
func Entries(runs []*Run, s Selection) []Entry {
	var all []*series
	var out [][]Entry
	for _, r := range runs {
		for _, row := range r.Rows {
			if !s.takes(r, &row) {
				continue
			}
			i := find(all, r, row)
			if i < 0 {
				i, all, out = len(all), append(all, &series{row: row.bare()}), append(out, nil)
			}
			all[i].latest = r
			out[i] = append(out[i], all[i].add(Entry{Run: r, Row: row, Series: i}))
		}
	}
	var flat []Entry
	for _, list := range out {
		flat = append(flat, list...)
	}
	return flat
}

// bare leaves out what a run measured.
func (r Row) bare() Row {
	r.IterMS, r.Unfit = 0, ""
	return r
}

// find returns the series that a row of a run belongs to, or -1.
func find(all []*series, r *Run, row Row) int {
	for i, s := range all {
		l := s.latest
		if s.row == row.bare() && l.Scenario == r.Scenario && l.Clock == r.Clock && l.Scale == r.Scale && l.Machine == r.Machine {
			if _, err := change.SameSetup(l.Setup, r.Setup, nil); err == nil {
				return i
			}
		}
	}
	return -1
}

// add holds an entry against those before, and remembers it if it is to be believed.
func (s *series) add(e Entry) Entry {
	e.Change, e.Before = math.NaN(), len(s.times)
	if e.Unfit != "" {
		return e
	}
	if median, _ := stat.Median(s.times); e.Before > 0 {
		e.Change = e.IterMS/median - 1
	}
	s.times = append(s.times, e.IterMS)
	return e
}
