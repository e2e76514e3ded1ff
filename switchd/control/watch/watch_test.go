package watch

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/dataplane"
)

// A row is called by its first value and its words; all other numbers are its values, and what does not apply is left out.
func TestRowsOf(t *testing.T) {
	table := dataplane.Table{Columns: []dataplane.Column{{Key: "job"}, {Key: "state"}, {Key: "packets"}, {Key: "idle_us"}, {Key: "full"}}}
	table.Add(dataplane.Int(3), dataplane.Text("runs"), dataplane.Int(7), dataplane.Value{}, dataplane.Bool(true))
	rows := rowsOf(dataplane.ViewJobs, control.EngineTable{PFE: "pfe1", Table: table})
	if len(rows) != 1 || rows[0].Name() != "pfe1 3 runs" || len(rows[0].Values) != 1 {
		t.Fatalf("rows %+v", rows)
	}
	if n, ok := rows[0].Value("packets"); n != 7 || !ok {
		t.Errorf("packets %v, %v", n, ok)
	}
	if n, ok := rows[0].Value("idle_us"); ok {
		t.Errorf("idle_us does not apply, and is %v", n)
	}
}

// counted is a look at a switch with a row that has counted n.
func counted(at units.Time, name string, n float64) Switch {
	return Switch{Name: "tor", At: at, Rows: []Row{{View: dataplane.ViewStats, Engine: "engine", Labels: []Label{{"counter", name}}, Values: []Value{{"n", n}}}}}
}

func TestRate(t *testing.T) {
	second := units.Time(units.Second)
	now := counted(3*second, "packets", 50)
	for name, c := range map[string]struct {
		before Switch
		want   float64
		ok     bool
	}{
		"grown in two seconds":    {counted(second, "packets", 10), 20, true},
		"as it was":               {counted(second, "packets", 50), 0, true},
		"fallen: another run":     {counted(second, "packets", 51), 0, false},
		"another row":             {counted(second, "results", 10), 0, false},
		"the same look":           {counted(3*second, "packets", 50), 0, false},
		"a clock that began anew": {counted(9*second, "packets", 10), 0, false},
	} {
		if got, ok := now.Rate(&c.before, &now.Rows[0], "n"); got != c.want || ok != c.ok {
			t.Errorf("%s: %v, %v; want %v, %v", name, got, ok, c.want, c.ok)
		}
	}
	if _, ok := now.Rate(&now, &now.Rows[0], "age"); ok {
		t.Error("a number that is not there has a rate")
	}
}
