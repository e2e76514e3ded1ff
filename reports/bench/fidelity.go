package bench

import (
	"fmt"
	"io"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/render"
)

// Fidelity is one row of bench fidelity --format json: the verdicts on a lab, and those that it must have.
type Fidelity struct {
	Lab      string         `json:"lab"`
	Runs     int            `json:"runs"`
	Met      int            `json:"met"`      // of these, those with a verdict that is wanted
	Want     []string       `json:"want"`     // any of these
	Verdicts map[string]int `json:"verdicts"` // runs by verdict
	Reasons  []string       `json:"reasons"`  // of the first run that has any
}

// Take adds a run.
func (f *Fidelity) Take(v result.Fidelity, met bool) {
	if f.Verdicts == nil {
		f.Verdicts, f.Reasons = map[string]int{}, []string{}
	}
	if f.Runs++; met {
		f.Met++
	}
	f.Verdicts[v.Verdict]++
	if len(f.Reasons) == 0 {
		f.Reasons = append(append(f.Reasons, v.Reasons...), v.Cautions...)
	}
}

func fidelityTable(rows []Fidelity) render.Table {
	t := render.Table{
		ID: "bench.fidelity", Title: "Verdicts on labs whose verdict is known",
		Columns: []render.Column{
			{Key: "lab", Name: "lab"}, {Key: "runs", Name: "runs", Align: render.Right}, {Key: "want", Name: "wanted"},
			{Key: "met", Name: "met", Align: render.Right}, {Key: "verdicts", Name: "verdicts"},
		},
	}
	for _, r := range rows {
		var counts []string
		for _, word := range []string{result.Trusted, result.Caution, result.Busy, result.Invalid} {
			if n := r.Verdicts[word]; n > 0 {
				counts = append(counts, fmt.Sprintf("%d %s", n, word))
			}
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(r.Lab), render.Int(r.Runs), render.Text(strings.Join(r.Want, " or ")), render.Int(r.Met), render.Text(strings.Join(counts, ", ")),
		})
		for _, why := range r.Reasons {
			t.Notes = append(t.Notes, r.Lab+": "+why)
		}
	}
	return t
}

// WriteFidelity writes bench fidelity in any format.
func WriteFidelity(w io.Writer, rows []Fidelity, o render.Options) error {
	if o.Format != render.FormatJSON {
		return render.Write(w, fidelityTable(rows), o)
	}
	return render.WriteJSON(w, struct {
		SchemaVersion int        `json:"schema_version"`
		Rows          []Fidelity `json:"rows"`
	}{render.SchemaVersion, rows})
}
