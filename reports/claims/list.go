package claims

import "github.com/inalab/inalab/reports/render"

// Table lists what is selected, without running anything: reproduce --list.
func (s Selection) Table() render.Table {
	w := cut
	t := render.Table{Title: "Claims", Columns: []render.Column{
		{Key: "id", Name: "claim"},
		{Key: "where", Name: "where", Spare: 3},
		{Key: "method", Name: "method"},
		{Key: "evidence"},
		{Key: "paper_value", Name: "paper", Align: render.Right},
		{Key: "unit", Name: "unit", Spare: 2},
		{Key: "tolerance", Name: "tolerance", Spare: 1},
		{Key: "pass_means", Name: "a pass means"},
		{Key: "known_failure"},
		{Key: "undetermined"},
		{Key: "statement", Name: "statement", Detail: true},
	}}
	for _, c := range s.Claims {
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(string(c.ID)), shortText(c.Where, whereWidth), render.Text(string(c.Method)), render.Text(string(c.Evidence)), valueCell(c.Value, w.paper),
			shortText(c.Unit, w.unit), shortText(c.Check.Short(), w.tolerance), render.Text(string(c.PassMeans)),
			render.Bool(c.KnownFailure != nil), render.Bool(c.Undetermined != nil), render.Text(c.Statement),
		})
	}
	for _, value := range s.Unseen {
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(string(value.ID)), shortText(value.Where, whereWidth), render.NA(), render.Text(string(value.Evidence)), render.NA().As("unseen"),
			shortText(value.Unit, w.unit), render.NA(), render.Text(string(Predicted)),
			render.Bool(false), render.Bool(false), render.Text(value.Statement),
		})
	}
	return t
}

const whereWidth = 16 // of the list, for people
