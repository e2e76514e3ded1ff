package runreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/stat"
)

// place is a point of a sweep with a straggle probability.
type place struct {
	index int
	p     float64
	name  string
	only  bool // there is no other
}

func (p place) has(index int, straggle float64) bool { return p.index == index && p.p == straggle }

// places returns the points that rows are of, in their order.
func places(rows []compare.Row) (out []place) {
	for i := range rows {
		r := &rows[i]
		if !slices.ContainsFunc(out, func(p place) bool { return p.has(r.Point.Index, r.StraggleP) }) {
			out = append(out, place{index: r.Point.Index, p: r.StraggleP, name: r.Point.At(r.StraggleP)})
		}
	}
	return out
}

// hardest returns the point at which iterations took longest, on average over the rows that can be believed.
// Of equal ones it is the last.
func (r *run) hardest() (most place) {
	rows, longest := r.ran(), -1.0
	all := places(rows)
	for _, p := range all {
		var sum float64
		var n int
		for i := range rows {
			if ms, ok := rows[i].Time(); ok && believed(&rows[i]) && p.has(rows[i].Point.Index, rows[i].StraggleP) {
				sum, n = sum+ms, n+1
			}
		}
		if n > 0 && sum/float64(n) >= longest {
			most, longest = p, sum/float64(n)
		}
	}
	most.only = len(all) < 2
	return most
}

// believed reports whether a row may be part of an answer.
func believed(r *compare.Row) bool {
	return !r.Computed && !r.Invalid() && (r.Wrong == nil || *r.Wrong == 0)
}

// contender is a row of the hardest point with its cell.
type contender struct {
	row  *compare.Row
	cell *result.Cell
	name string
}

// contenders returns what ran at the hardest point with the first seed and can be believed, the fastest first.
func (r *run) contenders() (out []contender) {
	for i := range r.rows {
		row := &r.rows[i]
		if _, ok := row.Time(); !ok || !believed(row) || !r.place.has(row.Point.Index, row.StraggleP) {
			continue
		}
		if c := r.cellOf(row); c != nil && (len(out) == 0 || row.Seed == out[0].row.Seed) {
			out = append(out, contender{row, c, r.nameOf(c)})
		}
	}
	slices.SortStableFunc(out, func(a, b contender) int { return cmp.Compare(a.row.Iter.Value, b.row.Iter.Value) })
	return out
}

// nameOf names what ran: a system, with its topology and its lab where it ran on several.
func (r *run) nameOf(c *result.Cell) string {
	name := c.System
	other := func(differ func(o *result.Cell) bool) bool {
		return slices.ContainsFunc(r.Record.Cells, func(o result.Cell) bool { return o.System == c.System && differ(&o) })
	}
	if other(func(o *result.Cell) bool { return o.Topology != c.Topology }) {
		name += " on " + c.Topology
	}
	if c.Lab != "" && other(func(o *result.Cell) bool { return o.Lab != c.Lab }) {
		name += " of " + c.Lab
	}
	return name
}

// question says in a sentence what was asked.
func (r *run) question() string {
	var names []string
	for _, c := range r.cells() {
		if !slices.Contains(names, c.System) {
			names = append(names, c.System)
		}
	}
	if len(names) == 0 {
		return "Nothing ran, so nothing was asked: " + r.Record.Description + "."
	}
	return fmt.Sprintf("How long does an iteration of training take with %s: %s?", words(names), strings.TrimSuffix(r.Record.Description, "."))
}

// answer says in sentences what came out, and how far it can be believed.
func (r *run) answer() []string {
	if len(r.contest) == 0 {
		return []string{"There is no answer: no row can be believed."}
	}
	var out []string
	if len(jobsOf(r.contest)) > 1 {
		out = append(out, r.answerByJob())
	} else {
		out = append(out, r.winner(r.contest))
	}
	if text := r.otherSeeds(); text != "" {
		out = append(out, text)
	}
	return append(out, r.caveats()...)
}

// where opens a sentence with the point that it is about.
func (r *run) where() string {
	if r.place.only {
		return ""
	}
	return "At " + r.place.name + ", where iterations took longest, "
}

// winner says who was fastest, and by how much.
func (r *run) winner(list []contender) string {
	first := list[0]
	if len(list) == 1 {
		return sentence(fmt.Sprintf("%s%s took %s an iteration", r.where(), first.name, taken(first.row.Iter)))
	}
	ratio := compare.Ratio(*list[1].cell, *first.cell)
	if !ratio.Bounded() || ratio.Lo() <= 1 {
		return sentence(fmt.Sprintf("%s%s (%s) and %s (%s) cannot be told apart: their ratio is %s, paired over %d iterations",
			r.where(), first.name, taken(first.row.Iter), list[1].name, taken(list[1].row.Iter), within(ratio, 2), ratio.N))
	}
	var others []string
	for _, o := range list[1:] {
		others = append(others, fmt.Sprintf("%s took %s times as long", o.name, within(compare.Ratio(*o.cell, *first.cell), 2)))
	}
	return sentence(fmt.Sprintf("%s%s was fastest with %s an iteration; %s (95%% intervals, paired over %d iterations)",
		r.where(), first.name, taken(first.row.Iter), strings.Join(others, ", "), ratio.N))
}

// answerByJob names the fastest of each job.
func (r *run) answerByJob() string {
	var parts []string
	for _, job := range jobsOf(r.contest) {
		var list []contender
		for _, c := range r.contest {
			if c.row.Job == job {
				list = append(list, c)
			}
		}
		parts = append(parts, "of job "+job+" "+fastest(list))
	}
	return sentence(r.where() + "the shortest iterations were " + strings.Join(parts, "; "))
}

// fastest names the first of a list, or the first two where they cannot be told apart, and the last.
func fastest(list []contender) string {
	first, last := list[0], list[len(list)-1]
	text := fmt.Sprintf("those with %s (%s", first.name, taken(first.row.Iter))
	if len(list) > 1 {
		if ratio := compare.Ratio(*list[1].cell, *first.cell); !ratio.Bounded() || ratio.Lo() <= 1 {
			text += fmt.Sprintf(", not to be told apart from %s with %s", list[1].name, taken(list[1].row.Iter))
		}
	}
	if len(list) > 2 {
		text += fmt.Sprintf("; longest: %s with %s", last.name, taken(last.row.Iter))
	}
	return text + ")"
}

func jobsOf(list []contender) (jobs []string) {
	for _, c := range list {
		if !slices.Contains(jobs, c.row.Job) {
			jobs = append(jobs, c.row.Job)
		}
	}
	slices.Sort(jobs)
	return jobs
}

// otherSeeds says whether other seeds have the same winner.
func (r *run) otherSeeds() string {
	best := map[uint64]*compare.Row{} // by seed
	var seeds []uint64
	for i := range r.rows {
		row := &r.rows[i]
		if _, ok := row.Time(); !ok || !believed(row) || !r.place.has(row.Point.Index, row.StraggleP) || row.Job != r.contest[0].row.Job {
			continue
		}
		if best[row.Seed] == nil {
			seeds = append(seeds, row.Seed)
		}
		if b := best[row.Seed]; b == nil || row.Iter.Value < b.Iter.Value {
			best[row.Seed] = row
		}
	}
	if len(seeds) < 2 {
		return ""
	}
	same := 0
	for _, s := range seeds {
		if w := r.contest[0].row; best[s].System == w.System && best[s].Topology == w.Topology {
			same++
		}
	}
	return fmt.Sprintf("These are the numbers of seed %d; %s was fastest with %d of %d seeds.", r.contest[0].row.Seed, r.contest[0].name, same, len(seeds))
}

// caveats say what the answer leaves out, and how far the rest can be believed.
func (r *run) caveats() (out []string) {
	by := map[string][]string{} // names by what is to be said
	for _, row := range r.ran() {
		if !r.place.has(row.Point.Index, row.StraggleP) {
			continue
		}
		name, what := row.System, row.Fidelity.Verdict
		if row.Wrong != nil && *row.Wrong > 0 {
			what = "wrong"
		}
		if !slices.Contains(by[what], name) {
			by[what] = append(by[what], name)
		}
	}
	for _, c := range []struct{ what, text string }{
		{"wrong", "Nothing is said of %s: sums were wrong."},
		{result.Invalid, "Nothing is said of %s: the machine was not up to the run, and its rows are invalid."},
		{result.Busy, "The machine was at its limit with %s (busy): small differences mean nothing there."},
		{result.Caution, "Something that was not asked for moved the times of %s (caution): the fidelity of each run says what."},
	} {
		if names := by[c.what]; names != nil {
			out = append(out, fmt.Sprintf(c.text, words(names)))
		}
	}
	return out
}

// taken writes an iteration time.
func taken(e stat.Estimate) string { return within(e, 1) + " ms" }

// within writes a number with its interval, where that is more than nothing.
func within(e stat.Estimate, decimals int) string {
	text := fmt.Sprintf("%.*f", decimals, e.Value)
	if e.Bounded() {
		text += fmt.Sprintf(" ±%.*f", decimals, e.Half)
	}
	return text
}

// words joins names as a sentence does.
func words(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// sentence ends a text. Names keep their first letter.
func sentence(text string) string { return text + "." }
