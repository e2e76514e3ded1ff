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
	jobs := slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Job != "" })
	for _, c := range columns {
		c.Detail = c.Detail && !telling(c.Key, rows) || silent(c.Key, baseline, rows)
		if len(columns) > len(fixed) {
			c.Column = inSweep(c.Column)
		}
		if jobs {
			c.Column = ofJobs(c.Column)
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

// ofJobs returns a column as people see it where several jobs share a lab, which have columns of their own.
func ofJobs(c Column) Column {
	switch c.Key {
	case "n", "workers", "resent":
		c.Spare = 1
	case "fidelity":
		c.Fold = true
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
	case "job", "jain", "depth_p99", "throughput":
		return some(func(r compare.Row) bool { return r.Job != "" })
	case "lab": // of a job that ran in several
		return some(func(a compare.Row) bool {
			return some(func(b compare.Row) bool {
				return a.System == b.System && a.Job == b.Job && a.Topology == b.Topology && a.Lab != b.Lab
			})
		})
	case "inflation":
		return some(func(r compare.Row) bool { return r.Inflation != nil })
	case "rate":
		return some(func(r compare.Row) bool { return r.Rate != nil })
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

// silent reports whether a column of several jobs tells people nothing: no row has a partner among the
// baseline's.
func silent(key string, baseline result.Baseline, rows []compare.Row) bool {
	return key == "speedup_"+baseline.Key && slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Job != "" }) &&
		!slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Speedup.Known() })
}

// sweptColumns returns the columns of the keys that were swept.
func sweptColumns(rows []compare.Row) (out []summaryColumn) {
	var points []result.Point
	for _, r := range rows {
		points = append(points, r.Point)
	}
	for _, key := range SweptKeys(points) {
		out = append(out, summaryColumn{Column{Key: key, Name: key, Align: Right}, "", "a swept key of the scenario",
			func(r *compare.Row) Cell { return Text(r.Point.Value(key)) }})
	}
	return out
}

// SweptKeys returns the keys of points, each once.
func SweptKeys(points []result.Point) (keys []string) {
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
	notes = append(notes, switchNotes(rows)...)
	notes = append(notes, trustNotes(rows)...)
	notes = append(notes, pathNotes(rows)...)
	notes = append(notes, grouped(rows, "course", func(r compare.Row) []string { return r.Course })...)
	notes = append(notes, grouped(rows, "decided", decided)...)
	notes = append(notes, grouped(rows, "deviation", func(r compare.Row) []string { return r.Notes })...)
	notes = append(notes, grouped(rows, "caution", func(r compare.Row) []string { return r.Fidelity.Cautions })...)
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
			text += "; ≤ marks an upper bound: workers wait for a straggler two timeouts at most for each refill of the window, " +
				"or compute for unequal times, and what the faster ones send meanwhile is saved"
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
	if some(func(r compare.Row) bool { return r.Job != "" && !r.Computed }) {
		notes = append(notes, "throughput: payload that came to a worker of the job, in the time of its iterations; headers of the system's own are payload",
			"Jain: Jain's index over the rates of iterations of the jobs of a run, of one model: 1 where all are alike",
			"queue: no more waited for 99% of the time before the line to or from any host of the job, of whomever")
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

// switchNotes says what aggregated in switches, also where the column has no room.
func switchNotes(rows []compare.Row) []string {
	var runs, parts []string
	systems := map[string][]string{} // by what ran
	for _, r := range rows {
		if r.Switch == "" || slices.Contains(systems[r.Switch], r.System) {
			continue
		}
		if systems[r.Switch] == nil {
			runs = append(runs, r.Switch)
		}
		systems[r.Switch] = append(systems[r.Switch], r.System)
	}
	for _, run := range runs {
		parts = append(parts, run+" ("+strings.Join(systems[run], ", ")+")")
	}
	if parts == nil {
		return nil
	}
	return []string{"what aggregated in switches: " + strings.Join(parts, "; ")}
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
		{result.Caution, "caution: something moved the numbers that the run did not ask for; the cautions below say what"},
		{result.Invalid, "invalid: the host was not up to the run, so its numbers are not results; --format csv keeps them"},
	}
	var notes []string
	for _, m := range meaning {
		if slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Fidelity.Verdict == m.verdict }) {
			notes = append(notes, m.text)
		}
		notes = append(notes, grouped(rows, m.verdict, func(r compare.Row) []string {
			if r.Fidelity.Verdict != m.verdict || m.verdict == result.Caution { // whose reasons are its cautions
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

// whom names rows as briefly as they can be told apart. What is computed has no part in most texts.
func whom(rows []compare.Row, in []bool) string {
	if !slices.Contains(in, false) {
		return "all rows"
	}
	var names []string
	done := make([]bool, len(rows))
	for i := range rows {
		if !in[i] || done[i] {
			continue
		}
		name, same := widest(rows, in, &rows[i])
		for k := range rows {
			done[k] = done[k] || in[k] && same(&rows[k])
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// widest returns the widest set of rows that has one and no row that is not in, and its name.
func widest(rows []compare.Row, in []bool, r *compare.Row) (name string, same func(*compare.Row) bool) {
	type set = func(*compare.Row) bool
	system := func(o *compare.Row) bool { return o.System == r.System }
	job := func(o *compare.Row) bool { return o.Job == r.Job && o.Lab == r.Lab && r.Job != "" }
	point := func(o *compare.Row) bool { return at(*o) == at(*r) }
	place := func(o *compare.Row) bool { return o.System == r.System && o.Topology == r.Topology }
	there := r.System + " on " + r.Topology
	both := func(a, b set) set { return func(o *compare.Row) bool { return a(o) && b(o) } }
	tenant := tenantOf(*r)
	for _, s := range []struct {
		name string
		set
	}{
		{"all runs", func(*compare.Row) bool { return true }},
		{r.System, system},
		{strings.TrimSpace(tenant), job},
		{r.System + tenant, both(system, job)},
		{there, place},
		{there + tenant, both(place, job)},
		{r.System + " " + at(*r), both(system, point)},
		{r.System + " " + at(*r) + tenant, both(both(system, point), job)},
		{there + " " + at(*r) + tenant, both(both(place, point), job)},
	} {
		if s.set(r) && allIn(rows, in, s.set) {
			return s.name, s.set
		}
	}
	return fmt.Sprintf("%s %s%s (%s, %s, seed %d)", there, at(*r), tenant, r.Model, r.Clock, r.Seed), func(o *compare.Row) bool { return o == r }
}

// tenantOf names the job and the lab of a row, if several jobs shared it.
func tenantOf(r compare.Row) (name string) {
	if r.Job != "" {
		name = " job " + r.Job
	}
	if r.Lab != "" {
		name += " of " + r.Lab
	}
	return name
}

// allIn reports whether all rows of a set that were run are in.
func allIn(rows []compare.Row, in []bool, which func(*compare.Row) bool) bool {
	for i := range rows {
		if r := &rows[i]; which(r) && !in[i] && !r.Computed {
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
