package runreport

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/reports/render"
)

// New returns the report of a run.
func New(s *Source) *page.Page {
	r := newRun(s, "")
	return &page.Page{
		Title: s.Record.Scenario, Kind: "inalab · report of a run", Subtitle: s.Record.Description,
		Verdict: r.banner(), Lead: r.lead(), Sections: r.sections(), Foot: r.foot(),
	}
}

// lead is the question and the answer.
func (r *run) lead() []page.Block {
	out := []page.Block{page.Paragraph{Text: r.question(), Small: true}}
	answer := r.answer()
	out = append(out, page.Paragraph{Text: answer[0], Strong: true})
	for _, text := range answer[1:] {
		out = append(out, page.Paragraph{Text: text})
	}
	return out
}

// sections are all that have something to say.
func (r *run) sections() []page.Section {
	all := []page.Section{
		{ID: "comparison", Title: "Comparison", Blocks: r.comparison()},
		{ID: "figures", Title: "Figures", Blocks: r.figureBlocks()},
		{ID: "time", Title: "Where the time went", Blocks: r.timeSpent()},
		{ID: "network", Title: "Topology and link use", Blocks: r.networkBlocks()},
		{ID: "counts", Title: "Counted beside the times", Blocks: r.counts()},
		{ID: "fidelity", Title: "Fidelity", Blocks: r.fidelity()},
		{ID: "provenance", Title: "Provenance", Blocks: r.provenance()},
		{ID: "again", Title: "Run it again", Blocks: r.again()},
	}
	all = slices.DeleteFunc(all, func(s page.Section) bool { return len(s.Blocks) == 0 })
	for i := range all {
		all[i].ID = r.prefix + all[i].ID
	}
	return all
}

// comparison is the table of summary.csv, and what the scenario expects.
func (r *run) comparison() (out []page.Block) {
	const most = 40 // rows that are shown at once (assumed: a screen and a half)
	if here := r.rowsHere(); len(r.contest) > 0 && len(r.rows) > most && len(here) < len(r.rows) {
		t := r.table(here)
		t.Table.Title += " at " + r.place.name
		out = append(out, page.Paragraph{Text: "The rows of the point at which iterations took longest. All points are below."}, t,
			page.Details{Summary: fmt.Sprintf("All %d rows", len(r.rows)), Blocks: []page.Block{r.table(r.rows)}})
	} else {
		out = append(out, r.table(r.rows))
	}
	for _, met := range []bool{false, true} {
		list := page.Bullets{Level: good(met)}
		for _, o := range r.Record.Expected {
			if o.Met == met {
				list.Text = append(list.Text, o.Text)
			}
		}
		if list.Text != nil {
			out = append(out, list)
		}
	}
	return out
}

// rowsHere are those of the hardest point.
func (r *run) rowsHere() (out []compare.Row) {
	for _, row := range r.rows {
		if row.Point.Index == r.place.index && (row.StraggleP == r.place.p || row.Computed) {
			out = append(out, row)
		}
	}
	return out
}

// table is the comparison of rows. What tells rows from each other comes first.
func (r *run) table(rows []compare.Row) page.Table {
	t := render.Comparison(rows, r.Record.Baseline)
	t.Notes = append(t.Notes, r.Record.Notes...)
	group := []string{"straggle_p"}
	if n := len(r.Record.Axes); n > 0 {
		group = slices.Concat(r.Record.Axes...)
	}
	return page.Table{Table: behind(t, "system", "topology", "lab", "job"), Group: group}
}

// behind moves columns behind another one.
func behind(t render.Table, first string, keys ...string) render.Table {
	var order, moved []int
	for i, c := range t.Columns {
		if slices.Contains(keys, c.Key) {
			moved = append(moved, i)
		}
	}
	slices.SortStableFunc(moved, func(a, b int) int { return slices.Index(keys, t.Columns[a].Key) - slices.Index(keys, t.Columns[b].Key) })
	for i, c := range t.Columns {
		if !slices.Contains(moved, i) {
			order = append(order, i)
		}
		if c.Key == first {
			order = append(order, moved...)
		}
	}
	out := render.Table{ID: t.ID, Title: t.Title, Notes: t.Notes}
	for _, i := range order {
		out.Columns = append(out.Columns, t.Columns[i])
	}
	for _, row := range t.Rows {
		var cells []render.Cell
		for _, i := range order {
			cells = append(cells, row[i])
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// counts is what systems, flows and programs told. Long tables are opened by the reader.
func (r *run) counts() (out []page.Block) {
	cells := r.cells()
	tables := append(render.TallySheets(cells), render.Flows(cells), render.Transit(cells), render.Reports(cells), render.Decisions(cells))
	for _, t := range tables {
		if len(t.Rows) > 0 {
			out = append(out, long(t))
		}
	}
	return out
}

// long returns a table, folded up if it is long.
func long(t render.Table) page.Block {
	const most = 14 // rows that are shown at once (assumed: half a screen)
	if len(t.Rows) <= most {
		return page.Table{Table: t}
	}
	return page.Details{Summary: fmt.Sprintf("%s (%d rows)", t.Title, len(t.Rows)), Blocks: []page.Block{page.Table{Table: t, Plain: true}}}
}

// foot says what the report was made of.
func (r *run) foot() string {
	text := "Made from the directory " + r.Name + ", recorded by inalab " + r.Manifest.Version
	if len(r.Missing) > 0 {
		text += "; left out: " + strings.Join(r.Missing, "; ")
	}
	return text + "."
}

// file is where a picture of the run is, seen from a report in Markdown.
func (r *run) file(name string) string { return path.Join(r.Files, name) }
