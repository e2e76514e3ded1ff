package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inalab/inalab/reports/render"
)

// widths are to what text is cut for people; 0 does not cut.
type widths struct{ paper, measured, unit, tolerance, sw int }

var (
	// cut keeps a claim on one line: with it, ids of 37 characters fit 120 columns.
	cut  = widths{paper: 12, measured: 14, unit: 6, tolerance: 11, sw: 9}
	full = widths{}
)

// resultColumn is a column of the table of results.
type resultColumn struct {
	render.Column
	cell func(*Result, widths) render.Cell
}

// resultColumns have the keys of [Result], in its order; the first is for people
// only.
var resultColumns = []resultColumn{
	{markColumn, func(r *Result, _ widths) render.Cell { return r.markCell() }},
	{render.Column{Key: "id", Name: "claim"}, func(r *Result, _ widths) render.Cell { return render.Text(string(r.ID)) }},
	{render.Column{Key: "paper"}, func(r *Result, _ widths) render.Cell { return render.Text(string(r.Paper)) }},
	{render.Column{Key: "where", Name: "where", Detail: true}, func(r *Result, _ widths) render.Cell { return render.Text(r.Where) }},
	{render.Column{Key: "paper_value", Name: "paper", Align: render.Right}, func(r *Result, w widths) render.Cell { return valueCell(r.PaperValue, w.paper) }},
	{render.Column{Key: "measured", Name: "measured", Align: render.Right}, func(r *Result, w widths) render.Cell {
		return valueCell(r.Measured, 0).As(shorten(r.people, w.measured))
	}},
	{render.Column{Key: "unit", Name: "unit", Spare: 2}, func(r *Result, w widths) render.Cell { return shortText(r.Unit, w.unit) }},
	{render.Column{Key: "ci95"}, func(r *Result, _ widths) render.Cell { return render.Optional(r.CI95, render.Exact) }},
	{render.Column{Key: "n", Name: "n", Align: render.Right, Detail: true}, func(r *Result, _ widths) render.Cell { return render.Optional(r.N, render.Int) }},
	{render.Column{Key: "tolerance", Name: "tolerance", Spare: 1}, func(r *Result, w widths) render.Cell { return shortText(r.Tolerance, w.tolerance) }},
	{render.Column{Key: "verdict", Name: "verdict"}, func(r *Result, _ widths) render.Cell { return render.Text(string(r.Verdict)) }},
	{render.Column{Key: "reason", Name: "reason", Detail: true}, func(r *Result, _ widths) render.Cell { return render.Text(r.Reason) }},
	{render.Column{Key: "reading", Name: "reading", Detail: true}, func(r *Result, _ widths) render.Cell { return render.Text(r.Reading) }},
	{render.Column{Key: "expected"}, func(r *Result, _ widths) render.Cell { return render.Bool(r.Expected) }},
	{render.Column{Key: "pass_means", Name: "a pass means", Detail: true}, func(r *Result, _ widths) render.Cell { return render.Text(string(r.PassMeans)) }},
	{render.Column{Key: "method", Name: "method", Detail: true}, func(r *Result, _ widths) render.Cell { return render.Text(string(r.Method)) }},
	{render.Column{Key: "evidence", Name: "evidence", Spare: 3}, func(r *Result, _ widths) render.Cell { return render.Text(string(r.Evidence)) }},
	{render.Column{Key: "switch", Name: "switch", Spare: 4}, func(r *Result, w widths) render.Cell { return shortText(r.Switch, w.sw) }},
	{render.Column{Key: "seed", Name: "seed", Align: render.Right, Detail: true}, func(r *Result, _ widths) render.Cell { return render.Optional(r.Seed, render.Int) }},
	{render.Column{Key: "seconds", Name: "took", Unit: "s", Align: render.Right, Detail: true}, func(r *Result, _ widths) render.Cell { return render.Number(r.Seconds, 1) }},
	{render.Column{Key: "run_dir", Name: "run", Detail: true}, func(r *Result, _ widths) render.Cell { return render.Text(r.RunDir) }},
	{render.Column{Key: "accept"}, func(r *Result, _ widths) render.Cell { return render.Text(r.Accept) }},
	{render.Column{Key: "ends", Name: "at the ends of what is assumed", Detail: true}, func(r *Result, _ widths) render.Cell { return render.Text(endsText(r.Ends)) }},
	{render.Column{Key: "model", Name: "model", Detail: true}, func(r *Result, _ widths) render.Cell { return render.Text(r.Model) }},
	{render.Column{Key: "constants"}, func(r *Result, _ widths) render.Cell { return render.Text(strings.Join(r.Constants, "; ")) }},
	{render.Column{Key: "note", Name: "note", Detail: true}, func(r *Result, _ widths) render.Cell { return render.Text(r.Note) }},
	{render.Column{Key: "quick"}, func(r *Result, _ widths) render.Cell { return render.Text(r.Quick) }},
	{render.Column{Key: "same_as"}, func(r *Result, _ widths) render.Cell { return render.Text(idList(r.SameAs)) }},
	{render.Column{Key: "null_passes"}, func(r *Result, _ widths) render.Cell { return render.Bool(r.NullPasses) }},
	{render.Column{Key: "origin"}, func(r *Result, _ widths) render.Cell { return render.Text(string(r.Origin)) }},
}

// Table returns the results as they are in CSV: every claim, every column.
func (r Report) Table() render.Table {
	return r.table("Claims", full, func(*Result) bool { return true })
}

func (r Report) table(title string, w widths, keep func(*Result) bool) render.Table {
	t := render.Table{Title: title}
	for _, c := range resultColumns {
		t.Columns = append(t.Columns, c.Column)
	}
	for i := range r.Results {
		res := &r.Results[i]
		if !keep(res) {
			continue
		}
		cells := make([]render.Cell, len(resultColumns))
		for j, c := range resultColumns {
			cells[j] = c.cell(res, w)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// pages returns what people read, the summary last.
func (r Report) pages(w widths) []render.Table {
	own := func(res *Result) bool {
		return !slices.Contains([]Verdict{KnownFail, Undetermined, Predicted}, res.Verdict)
	}
	s := r.Summary()
	pages := []render.Table{r.table("Claims", w, own), r.undetermined(w), r.knownFailures(w), r.predictions(), s.Evidence.Table(s.Own)}
	pages = slices.DeleteFunc(pages, func(t render.Table) bool { return len(t.Rows) == 0 })
	return append(pages, r.summaryPage())
}

// undetermined shows what something assumed decides, and what a run did not tell.
func (r Report) undetermined(w widths) render.Table {
	t := render.Table{Title: "Undetermined: what is assumed decides, or the run did not tell", Columns: []render.Column{
		markColumn, {Name: "claim"}, {Name: "paper", Align: render.Right}, {Name: "measured", Align: render.Right},
		{Name: "unit", Spare: 1}, {Name: "tolerance", Spare: 1}, {Name: "why", Wrap: true}, evidenceColumn, switchColumn,
	}}
	for i := range r.Results {
		if res := &r.Results[i]; res.Verdict == Undetermined {
			t.Rows = append(t.Rows, []render.Cell{
				res.markCell(), render.Text(string(res.ID)), valueCell(res.PaperValue, w.paper), shortText(res.people, w.measured),
				shortText(res.Unit, w.unit), shortText(res.Tolerance, w.tolerance), render.Text(res.whyUndetermined()), render.Text(string(res.Evidence)), render.Text(res.Switch),
			})
		}
	}
	return t
}

// whyUndetermined is why the run did not tell, the ledger's reason and what the ends gave.
func (r *Result) whyUndetermined() string {
	var out []string
	if r.undecided != "" {
		out = append(out, r.undecided)
	}
	if r.declared != nil {
		out = append(out, r.declared.Reason)
	}
	if len(r.Ends) > 0 {
		out = append(out, endsText(r.Ends))
	}
	return strings.Join(out, ": ")
}

// knownFailures shows what fails as the ledger says.
func (r Report) knownFailures(w widths) render.Table {
	t := render.Table{Title: "Known failures", Columns: []render.Column{
		markColumn, {Name: "claim"}, {Name: "paper", Align: render.Right}, {Name: "measured", Align: render.Right},
		{Name: "ledger", Align: render.Right}, {Name: "unit", Spare: 1}, {Name: "reason", Wrap: true}, evidenceColumn, switchColumn,
	}}
	for i := range r.Results {
		if res := &r.Results[i]; res.Verdict == KnownFail {
			t.Rows = append(t.Rows, []render.Cell{
				res.markCell(), render.Text(string(res.ID)), valueCell(res.PaperValue, w.paper), shortText(res.people, w.measured),
				valueCell(res.failed.Measured, w.measured), shortText(res.Unit, w.unit), render.Text(res.failed.Reason), render.Text(string(res.Evidence)), render.Text(res.Switch),
			})
		}
	}
	return t
}

// predictions shows intervals that nothing is compared with.
func (r Report) predictions() render.Table {
	t := render.Table{Title: "Predicted, not compared", Columns: []render.Column{
		markColumn, {Name: "value"}, {Name: "where", Spare: 2}, {Name: "predicted", Align: render.Right}, {Name: "unit", Spare: 1},
		{Name: "rests on", Wrap: true},
	}}
	for i := range r.Results {
		if res := &r.Results[i]; res.Verdict == Predicted {
			t.Rows = append(t.Rows, []render.Cell{
				res.markCell(), render.Text(string(res.ID)), render.Text(res.Where), render.Text(res.people), render.Text(res.Unit),
				render.Text(strings.Join(res.Constants, "; ")),
			})
		}
	}
	return t
}

var (
	markColumn     = render.Column{Name: "mark"}
	evidenceColumn = render.Column{Name: "evidence", Detail: true}
	switchColumn   = render.Column{Name: "switch", Detail: true}
)

// markCell holds the letters before a claim that the notes explain.
func (r *Result) markCell() render.Cell {
	var b strings.Builder
	if !r.Expected {
		b.WriteByte('!')
	}
	if r.weak() {
		b.WriteByte('w')
	}
	if r.Origin == Own {
		b.WriteByte('o')
	}
	if len(r.SameAs) > 0 {
		b.WriteByte('=')
	}
	if r.Quick != "" {
		b.WriteByte('q')
	}
	return render.Text(b.String()).As(cmp.Or(b.String(), " ")) // no mark is not a mark that does not apply
}

// valueCell shows a value; width 0 does not shorten it.
func valueCell(v Value, width int) render.Cell {
	if v.kind == valueNone {
		return render.NA()
	}
	if x, ok := v.Number(); ok {
		return render.Exact(x).As(v.String())
	}
	return shortText(v.String(), width)
}

func shortText(s string, width int) render.Cell {
	return render.Text(s).As(shorten(s, width))
}

// shorten cuts s to so many columns, the last two points; 0 is no limit.
func shorten(s string, width int) string {
	if width == 0 || columns(s) <= width {
		return s
	}
	for columns(s) > width-2 {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return strings.TrimRight(s, " ,;") + ".."
}

// columns is what s takes in ASCII, where signs become two characters.
func columns(s string) int {
	n := utf8.RuneCountInString(s)
	for _, sign := range []string{"±", "≤", "≥"} {
		n += strings.Count(s, sign)
	}
	return n
}

func idList(ids []ID) string { return strings.Join(texts(ids), ", ") }

// summaryPage is counts and what must be known to read the tables: no columns.
func (r Report) summaryPage() render.Table {
	s := r.Summary()
	t := render.Table{Title: fmt.Sprintf("%s: %s", claimsOf(len(r.Results)), s)}
	t.Notes = append(t.Notes, r.unexpectedNotes(s)...)
	if s.Weak > 0 {
		t.Notes = append(t.Notes, "w: weak evidence, "+claimsOf(s.Weak)+": a model without the effect would pass too")
	}
	if own := counted(s.Own); own != "" {
		t.Notes = append(t.Notes, "o: of this project, which no paper says, and no part of the counts by evidence: "+own)
	}
	if s.Restated > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("=: counted, though a restatement, %s: %s", claimsOf(s.Restated), strings.Join(r.restated(), "; ")))
	}
	t.Notes = append(t.Notes, r.divided()...)
	t.Notes = append(t.Notes, r.meanings(s)...)
	t.Notes = append(t.Notes, r.quickNotes()...)
	return render.Table{Title: t.Title, Notes: append(t.Notes, r.Notes...)}
}
