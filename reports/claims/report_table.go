package claims

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/reports/render"
)

// Widths of text for people, so that a claim stays on one line; CSV and JSON
// have all of it. They leave room for the longest id in 120 columns (assumed).
const (
	paperWidth     = 14
	measuredWidth  = 16
	toleranceWidth = 14
	unitWidth      = 8
)

// resultColumn is a column of the table of results.
type resultColumn struct {
	render.Column
	cell func(*Result) render.Cell
}

// resultColumns have the keys of [Result], in its order; the first is for people
// only.
var resultColumns = []resultColumn{
	{render.Column{Name: "mark"}, func(r *Result) render.Cell { return render.Text(r.marks()) }},
	{render.Column{Key: "id", Name: "claim"}, func(r *Result) render.Cell { return render.Text(string(r.ID)) }},
	{render.Column{Key: "paper"}, func(r *Result) render.Cell { return render.Text(string(r.Paper)) }},
	{render.Column{Key: "where", Name: "where", Detail: true}, func(r *Result) render.Cell { return render.Text(r.Where) }},
	{render.Column{Key: "paper_value", Name: "paper", Align: render.Right}, func(r *Result) render.Cell { return valueCell(r.PaperValue, paperWidth) }},
	{render.Column{Key: "measured", Name: "measured", Align: render.Right}, func(r *Result) render.Cell {
		return valueCell(r.Measured, 0).As(shorten(r.people, measuredWidth))
	}},
	{render.Column{Key: "unit", Name: "unit", Spare: 2}, func(r *Result) render.Cell { return shortText(r.Unit, unitWidth) }},
	{render.Column{Key: "ci95"}, func(r *Result) render.Cell { return optional(r.CI95, render.Exact) }},
	{render.Column{Key: "n", Name: "n", Align: render.Right, Detail: true}, func(r *Result) render.Cell { return optional(r.N, render.Int[int]) }},
	{render.Column{Key: "tolerance", Name: "tolerance", Spare: 1}, func(r *Result) render.Cell { return shortText(r.Tolerance, toleranceWidth) }},
	{render.Column{Key: "verdict", Name: "verdict"}, func(r *Result) render.Cell { return render.Text(string(r.Verdict)).As(r.verdict()) }},
	{render.Column{Key: "reason", Name: "reason", Detail: true}, func(r *Result) render.Cell { return render.Text(r.Reason) }},
	{render.Column{Key: "reading", Name: "reading", Detail: true}, func(r *Result) render.Cell { return render.Text(r.Reading) }},
	{render.Column{Key: "expected"}, func(r *Result) render.Cell { return render.Bool(r.Expected) }},
	{render.Column{Key: "pass_means", Name: "a pass means", Detail: true}, func(r *Result) render.Cell { return render.Text(string(r.PassMeans)) }},
	{render.Column{Key: "method", Name: "method", Detail: true}, func(r *Result) render.Cell { return render.Text(string(r.Method)) }},
	{render.Column{Key: "seed", Name: "seed", Align: render.Right, Detail: true}, func(r *Result) render.Cell { return optional(r.Seed, render.Int[uint64]) }},
	{render.Column{Key: "seconds", Name: "took", Unit: "s", Align: render.Right, Detail: true}, func(r *Result) render.Cell { return render.Number(r.Seconds, 1) }},
	{render.Column{Key: "run_dir", Name: "run", Detail: true}, func(r *Result) render.Cell { return render.Text(r.RunDir) }},
	{render.Column{Key: "accept"}, func(r *Result) render.Cell { return render.Text(r.Accept) }},
	{render.Column{Key: "model", Name: "model", Detail: true}, func(r *Result) render.Cell { return render.Text(r.Model) }},
	{render.Column{Key: "constants"}, func(r *Result) render.Cell { return render.Text(strings.Join(r.Constants, "; ")) }},
	{render.Column{Key: "note", Name: "note", Detail: true}, func(r *Result) render.Cell { return render.Text(r.Note) }},
	{render.Column{Key: "quick"}, func(r *Result) render.Cell { return render.Text(r.Quick) }},
	{render.Column{Key: "same_as"}, func(r *Result) render.Cell { return render.Text(idList(r.SameAs)) }},
	{render.Column{Key: "null_passes"}, func(r *Result) render.Cell { return render.Bool(r.NullPasses) }},
}

// Table returns the results as they are in CSV: every claim, every column.
func (r Report) Table() render.Table { return r.table("Claims", func(*Result) bool { return true }) }

func (r Report) table(title string, keep func(*Result) bool) render.Table {
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
			cells[j] = c.cell(res)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// pages returns what people read, the summary last.
func (r Report) pages() []render.Table {
	own := func(res *Result) bool { return res.Verdict != KnownFail && res.Verdict != Predicted }
	pages := []render.Table{r.table("Claims", own), r.knownFailures(), r.predictions()}
	pages = slices.DeleteFunc(pages, func(t render.Table) bool { return len(t.Rows) == 0 })
	return append(pages, r.summaryPage())
}

// knownFailures shows what fails as the ledger says.
func (r Report) knownFailures() render.Table {
	t := render.Table{Title: "Known failures", Columns: []render.Column{
		{Name: "claim"}, {Name: "paper", Align: render.Right}, {Name: "measured", Align: render.Right},
		{Name: "ledger", Align: render.Right}, {Name: "unit", Spare: 1}, {Name: "reason", Wrap: true},
	}}
	for i := range r.Results {
		if res := &r.Results[i]; res.Verdict == KnownFail {
			t.Rows = append(t.Rows, []render.Cell{
				render.Text(string(res.ID)), valueCell(res.PaperValue, paperWidth), shortText(res.people, measuredWidth),
				valueCell(res.failed.Measured, measuredWidth), shortText(res.Unit, unitWidth), render.Text(res.failed.Reason),
			})
		}
	}
	return t
}

// predictions shows the values that the papers withhold.
func (r Report) predictions() render.Table {
	t := render.Table{Title: "Predicted: the papers withhold these values", Columns: []render.Column{
		{Name: "value"}, {Name: "where", Spare: 2}, {Name: "predicted", Align: render.Right}, {Name: "unit", Spare: 1},
		{Name: "rests on", Wrap: true},
	}}
	for i := range r.Results {
		if res := &r.Results[i]; res.Verdict == Predicted {
			t.Rows = append(t.Rows, []render.Cell{
				render.Text(string(res.ID)), render.Text(res.Where), render.Text(res.people), render.Text(res.Unit),
				render.Text(strings.Join(res.Constants, "; ")),
			})
		}
	}
	return t
}

// marks are the letters before a claim that the notes explain.
func (r *Result) marks() string {
	var b strings.Builder
	if !r.Expected {
		b.WriteByte('!')
	}
	if r.weak() {
		b.WriteByte('w')
	}
	if len(r.SameAs) > 0 {
		b.WriteByte('=')
	}
	return b.String()
}

func (r *Result) verdict() string {
	if r.Quick != "" {
		return string(r.Verdict) + " (quick)"
	}
	return string(r.Verdict)
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

// shorten cuts s to so many characters, the last two points; 0 is no limit.
func shorten(s string, width int) string {
	letters := []rune(s)
	if width == 0 || len(letters) <= width {
		return s
	}
	return strings.TrimRight(string(letters[:width-2]), " ,;") + ".."
}

func optional[T any](v *T, cell func(T) render.Cell) render.Cell {
	if v == nil {
		return render.NA()
	}
	return cell(*v)
}

func idList(ids []ID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = string(id)
	}
	return strings.Join(words, ", ")
}

// summaryPage is counts and what must be known to read the tables: no columns.
func (r Report) summaryPage() render.Table {
	s := r.Summary()
	t := render.Table{Title: fmt.Sprintf("%d claims: %s", len(r.Results), s)}
	t.Notes = append(t.Notes, r.unexpectedNotes(s)...)
	if s.Weak > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("w: weak evidence, %d claims: a model without the effect would pass too", s.Weak))
	}
	if s.Restated > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("=: counted, but %d claims restate others: %s", s.Restated, strings.Join(r.restated(), "; ")))
	}
	t.Notes = append(t.Notes, r.meanings(s)...)
	t.Notes = append(t.Notes, r.quickNotes()...)
	return render.Table{Title: t.Title, Notes: append(t.Notes, r.Notes...)}
}
