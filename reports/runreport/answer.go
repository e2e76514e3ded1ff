package runreport

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/compare"
)

// lead is the question of the run and the answer of its numbers.
func (r *Run) lead() []string {
	asked := strings.TrimSuffix(r.Record.Description, ".")
	if asked == "" {
		asked = r.Record.Scenario
	}
	first, size := utf8.DecodeRuneInString(asked)
	return []string{
		string(unicode.ToUpper(first)) + asked[size:] + ": which system finishes an iteration soonest, and by how much?",
		r.answer(),
	}
}

// answer says who was fastest at the last point of the run, and how far that holds.
func (r *Run) answer() string {
	last := r.lastPoint()
	believed := slices.DeleteFunc(slices.Clone(last), func(o compare.Row) bool { return o.Invalid() || !o.Iter.Known() })
	switch {
	case len(last) == 0:
		return "Nothing ran."
	case len(believed) == 0:
		return fmt.Sprintf("There is no answer: at %s no run is to be believed.", place(&last[0]))
	}
	if slices.ContainsFunc(last, func(o compare.Row) bool { return o.Job != "" }) {
		return r.answerOfJobs(believed)
	}
	best := slices.MinFunc(believed, func(a, b compare.Row) int { return less(a.Iter.Value, b.Iter.Value) })
	text := fmt.Sprintf("At %s, %s takes %s an iteration", place(&best), name(&best, last), within(best.Iter.Value, best.Iter.Half, " ms"))
	if len(believed) > 1 {
		text += ", the least of " + plural(len(believed), "system")
	}
	text += r.against(&best, believed) + "."
	return text + doubts(last)
}

// against says how the best row stands to the baseline.
func (r *Run) against(best *compare.Row, rows []compare.Row) string {
	if best.IsBaseline {
		second := slices.DeleteFunc(slices.Clone(rows), func(o compare.Row) bool { return o.IsBaseline || !o.Speedup.Known() || o.SpeedupInvalid })
		if len(second) == 0 {
			return ""
		}
		next := slices.MinFunc(second, func(a, b compare.Row) int { return less(a.Iter.Value, b.Iter.Value) })
		return fmt.Sprintf("; next is %s with %s", name(&next, rows), within(next.Iter.Value, next.Iter.Half, " ms"))
	}
	if !best.Speedup.Known() || best.SpeedupInvalid {
		return ""
	}
	text := fmt.Sprintf(": %s times as fast as %s", within(best.Speedup.Value, best.Speedup.Half, ""), r.Record.Baseline.Word)
	if best.Speedup.Bounded() && best.Speedup.Lo() <= 1 && best.Speedup.Hi() >= 1 {
		text += ", which may be chance"
	}
	return text
}

// answerOfJobs says which jobs of a lab suffered most and least.
func (r *Run) answerOfJobs(rows []compare.Row) string {
	rows = slices.DeleteFunc(rows, func(o compare.Row) bool { return o.RatioIdeal == nil })
	if len(rows) == 0 {
		return fmt.Sprintf("%s; the table has the iteration time of each job.", plural(len(r.measured()), "job"))
	}
	by := func(a, b compare.Row) int { return less(*a.RatioIdeal, *b.RatioIdeal) }
	best, worst := slices.MinFunc(rows, by), slices.MaxFunc(rows, by)
	return fmt.Sprintf("At %s, job %s of %s takes %.2f times as long as the ideal, the least of all jobs, and job %s of %s %.2f times, the most.",
		place(&best), best.Job, name(&best, rows), *best.RatioIdeal, worst.Job, name(&worst, rows), *worst.RatioIdeal) + doubts(rows)
}

// lastPoint returns the rows that were run at the last point of the sweep, at the largest straggle probability.
func (r *Run) lastPoint() (out []compare.Row) {
	rows := slices.DeleteFunc(slices.Clone(r.Rows), func(o compare.Row) bool { return o.Computed })
	if len(rows) == 0 {
		return nil
	}
	last := slices.MaxFunc(rows, func(a, b compare.Row) int {
		if a.Point.Index != b.Point.Index {
			return a.Point.Index - b.Point.Index
		}
		return less(a.StraggleP, b.StraggleP)
	})
	for _, o := range rows {
		if o.Point.Index == last.Point.Index && o.StraggleP == last.StraggleP && o.Seed == last.Seed {
			out = append(out, o)
		}
	}
	return out
}

// doubts says which rows the answer has to be taken with care for.
func doubts(rows []compare.Row) string {
	count := map[string]int{}
	for i := range rows {
		count[rows[i].Fidelity.Verdict]++
	}
	text := ""
	if n := count[result.Busy] + count[result.Caution]; n > 0 {
		text += fmt.Sprintf(" %d of these %s: small differences mean nothing there.", n, are(n, "run is", "runs are")+" busy or under a caution")
	}
	if n := count[result.Invalid]; n > 0 {
		text += fmt.Sprintf(" %d %s left out, since nobody should believe them.", n, are(n, "run is", "runs are"))
	}
	return text
}

func are(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// place names the point of a row.
func place(r *compare.Row) string {
	if r.Point.IsZero() && r.StraggleP == 0 {
		return "no stragglers"
	}
	return r.Point.At(r.StraggleP)
}

// name names a system, with the topology where it ran on several.
func name(r *compare.Row, among []compare.Row) string {
	if slices.ContainsFunc(among, func(o compare.Row) bool { return o.System == r.System && o.Topology != r.Topology }) {
		return r.System + " on " + r.Topology
	}
	return r.System
}

// within writes a value with the half-width of its interval, if that is known.
func within(v, half float64, unit string) string {
	decimals := 2
	if v >= 100 {
		decimals = 1
	}
	if half >= 0 && half < v*1e6 && half > 0 {
		return fmt.Sprintf("%.*f ±%.*f%s", decimals, v, decimals, half, unit)
	}
	return fmt.Sprintf("%.*f%s", decimals, v, unit)
}

func less(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
