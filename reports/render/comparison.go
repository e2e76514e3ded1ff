package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/compare"
)

// Comparison returns the table of a sweep: summary.csv, and for people what
// fits a line, with what must be known to read it below.
func Comparison(rows []compare.Row, baseline result.Baseline) Table {
	t := Table{Title: "Iteration time by system and straggle probability", Notes: comparisonNotes(rows, baseline)}
	fixed := summaryColumns(baseline, decimalsOf(rows))
	columns := append(sweptColumns(rows), fixed...)
	for _, c := range columns {
		c.Detail = c.Detail && !telling(c.Key, rows)
		if len(columns) > len(fixed) {
			c.Column = inSweep(c.Column)
		}
		t.Columns = append(t.Columns, c.Column)
	}
	for i := range rows {
		cells := make([]Cell, len(columns))
		for j, c := range columns {
			cells[j] = c.cell(&rows[i])
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// inSweep returns a column as people see it in the table of a sweep, which has little room.
func inSweep(c Column) Column {
	switch c.Key {
	case "straggle_p":
		c.Fold = true
	case "ratio_ideal":
		c.Spare = 4
	}
	return c
}

// telling reports whether people are to see a column that is otherwise a detail.
func telling(key string, rows []compare.Row) bool {
	some := func(f func(compare.Row) bool) bool { return slices.ContainsFunc(rows, f) }
	switch key {
	case "topology": // of a system that ran on several
		return some(func(a compare.Row) bool {
			return some(func(b compare.Row) bool { return a.System == b.System && a.Topology != b.Topology })
		})
	case "job":
		return some(func(r compare.Row) bool { return r.Job != "" })
	case "lab": // of a job that ran in several
		return some(func(a compare.Row) bool {
			return some(func(b compare.Row) bool {
				return a.System == b.System && a.Job == b.Job && a.Topology == b.Topology && a.Lab != b.Lab
			})
		})
	case "inflation":
		return some(func(r compare.Row) bool { return r.Inflation != nil })
	case "marks":
		return some(func(r compare.Row) bool { return r.Marks != nil && *r.Marks > 0 })
	case "ended":
		return some(func(r compare.Row) bool { return r.Ended != nil })
	case "drops":
		return some(func(r compare.Row) bool { return r.Drops != nil && *r.Drops > 0 })
	case "resent":
		return some(func(r compare.Row) bool { return r.Resent != nil && r.Resent.Bytes > 0 })
	}
	return false
}

// sweptColumns returns the columns of the keys that were swept.
func sweptColumns(rows []compare.Row) (out []summaryColumn) {
	var points []result.Point
	for _, r := range rows {
		points = append(points, r.Point)
	}
	for _, key := range sweptKeys(points) {
		out = append(out, summaryColumn{Column{Key: key, Name: key, Align: Right}, "", "a swept key of the scenario",
			func(r *compare.Row) Cell { return Text(r.Point.Value(key)) }})
	}
	return out
}

// sweptKeys returns the keys of points, each once.
func sweptKeys(points []result.Point) (keys []string) {
	for _, p := range points {
		for _, k := range p.Keys {
			if !slices.Contains(keys, k.Key) {
				keys = append(keys, k.Key)
			}
		}
	}
	return keys
}

// comparisonNotes says what the numbers mean, how far they can be believed, and
// what was not as the paper has it.
func comparisonNotes(rows []compare.Row, baseline result.Baseline) []string {
	if len(rows) == 0 {
		return []string{"nothing ran: there are no rows"}
	}
	notes := definitions(rows, baseline)
	notes = append(notes, scaleNotes(rows)...)
	notes = append(notes, trustNotes(rows)...)
	notes = append(notes, pathNotes(rows)...)
	notes = append(notes, compare.Fairness(rows)...)
	notes = append(notes, grouped(rows, "course", func(r compare.Row) []string { return r.Course })...)
	notes = append(notes, grouped(rows, "deviation", func(r compare.Row) []string { return r.Notes })...)
	return append(notes, grouped(rows, "caution", func(r compare.Row) []string { return r.Warnings })...)
}

func definitions(rows []compare.Row, baseline result.Baseline) []string {
	some := func(f func(compare.Row) bool) bool { return slices.ContainsFunc(rows, f) }
	notes := []string{"iteration: time between a worker's consecutive model updates, mean over all workers and iterations, " +
		"the straggler included; ± is the 95% interval of that mean over n iterations"}
	bound := some(func(r compare.Row) bool { return r.Expected != nil && r.ExpectedIsBound })
	if value := some(func(r compare.Row) bool { return r.Expected != nil && !r.ExpectedIsBound }); value || bound {
		text := "expected: computed from the injected straggles, the nominal compute time and the link rate, without the time that software takes"
		if value {
			text += "; what a system that waits for every worker comes to"
		}
		if bound {
			text += "; ≤ marks an upper bound, for a system in which workers wait for a straggler two timeouts at most for each refill of the window"
		}
		notes = append(notes, text)
	}
	if some(func(r compare.Row) bool { return r.Computed }) {
		notes = append(notes, "ideal: computed, not run: mean compute time as measured in the runs at the smallest p (nominal where none was), "+
			"plus the analytic time of a ring at link rate; no stragglers")
	}
	if some(func(r compare.Row) bool { return r.Inflation != nil }) {
		notes = append(notes, "/first: iteration time over that of the same system at the first point of the sweep")
	}
	if some(func(r compare.Row) bool { return !r.IsBaseline && r.Speedup.Known() }) {
		notes = append(notes, "speed-up: mean iteration time of "+baseline.System+" over the system's, "+
			"paired by iteration under one schedule of straggles; ± is its 95% interval")
	}
	return notes
}

func scaleNotes(rows []compare.Row) []string {
	var scales []int
	for _, r := range rows {
		if r.Scale > 1 && !slices.Contains(scales, r.Scale) {
			scales = append(scales, r.Scale)
		}
	}
	slices.Sort(scales)
	var notes []string
	for _, s := range scales {
		notes = append(notes, fmt.Sprintf("scale %d: link rate, model size, window, pool and queue limits are divided by %d; times and packet sizes are not", s, s))
	}
	return notes
}

// pathNotes says by which paths packets went, since a kernel may lack the fast ones.
func pathNotes(rows []compare.Row) []string {
	var paths []string
	for _, r := range rows {
		paths = append(paths, r.Fidelity.Offload...)
	}
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	return []string{"packet paths: " + strings.Join(slices.Compact(paths), "; ")}
}

// trustNotes says what the verdicts mean and why a row has a bad one.
func trustNotes(rows []compare.Row) []string {
	meaning := []struct{ verdict, text string }{
		{result.Exact, "exact: virtual clock, where a seed always gives the same numbers; what they rest on is the model of hosts, links and switches"},
		{result.Trusted, "trusted: no check of timer lateness, drops, CPU load and compute time found anything that would move the numbers"},
		{result.Busy, "busy: the host was at its limit in the respect that is named; small differences mean nothing there"},
		{result.Invalid, "invalid: the host was not up to the run, so its numbers are not results; --format csv keeps them"},
	}
	var notes []string
	for _, m := range meaning {
		if slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Fidelity.Verdict == m.verdict }) {
			notes = append(notes, m.text)
		}
		notes = append(notes, grouped(rows, m.verdict, func(r compare.Row) []string {
			if r.Fidelity.Verdict != m.verdict {
				return nil
			}
			return r.Fidelity.Reasons
		})...)
	}
	return notes
}

// grouped returns each distinct text once, with the rows that it is about.
func grouped(rows []compare.Row, label string, texts func(compare.Row) []string) []string {
	var order []string
	about := map[string][]bool{}
	for i, r := range rows {
		for _, text := range texts(r) {
			if about[text] == nil {
				order = append(order, text)
				about[text] = make([]bool, len(rows))
			}
			about[text][i] = true
		}
	}
	var out []string
	for _, text := range order {
		out = append(out, fmt.Sprintf("%s, %s: %s", label, whom(rows, about[text]), text))
	}
	return out
}

// whom names rows as briefly as they can be told apart.
func whom(rows []compare.Row, in []bool) string {
	if !slices.Contains(in, false) {
		return "all rows"
	}
	var names []string
	for i, r := range rows {
		name := r.System
		same := func(o compare.Row) bool { return o.System == r.System }
		if !allIn(rows, in, same) { // not all of the system: name the point of the sweep
			name += " " + at(r)
			same = func(o compare.Row) bool { return o.System == r.System && at(o) == at(r) }
			if !allIn(rows, in, same) { // not all of the point: name the rest
				name += fmt.Sprintf(" (%s, %s, seed %d%s)", r.Model, r.Clock, r.Seed, tenantOf(r))
			}
		}
		if in[i] && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// tenantOf names the job and the lab of a row, if several jobs shared it.
func tenantOf(r compare.Row) (name string) {
	if r.Job != "" {
		name = ", job " + r.Job
	}
	if r.Lab != "" {
		name += " of " + r.Lab
	}
	return name
}

func allIn(rows []compare.Row, in []bool, which func(compare.Row) bool) bool {
	for i, r := range rows {
		if which(r) && !in[i] {
			return false
		}
	}
	return true
}

// at names the point of a sweep that a row is of.
func at(r compare.Row) string {
	if len(r.Point.Keys) > 0 {
		return r.Point.String()
	}
	return fmt.Sprintf("p=%s%%", Percent(r.StraggleP).people)
}
