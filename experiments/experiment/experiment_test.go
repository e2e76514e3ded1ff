package experiment

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// A row that names another switch than the experiment is an error, be it the chip or the
// reference program; rows of hosts are allowed, and tables without such a column.
func TestRowsRanOnWhatIsSaid(t *testing.T) {
	for _, c := range []struct {
		said claims.Switch
		rows []string
		want string
	}{
		{claims.SwitchPipelineTimed, []string{"pipeline with time", "hosts"}, ""},
		{claims.SwitchReference, []string{"hosts", "pipeline"}, `switch "pipeline"`},
		{claims.SwitchPipeline, []string{"pipeline", "reference"}, `switch "reference"`},
		{claims.SwitchPipeline, []string{"pipeline with time"}, "experiment x says pipeline: name what ran"},
		{claims.SwitchNone, nil, ""},
	} {
		table := claims.Table{ID: "x.t", Columns: []claims.Column{{Name: "rate"}, {Name: "switch"}}}
		for _, s := range c.rows {
			table.Add(render.Int(1), render.Text(s))
		}
		plain := claims.Table{ID: "x.u", Columns: []claims.Column{{Name: "program"}}, Rows: [][]render.Cell{{render.Text("pipeline")}}}
		f := Findings{Tables: []claims.Table{plain, table}}
		err := f.Complete(&Experiment{ID: "x", Switch: []claims.Switch{c.said}})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, rows %q: %v, want %q", c.said, c.rows, err, c.want)
		}
	}
}
