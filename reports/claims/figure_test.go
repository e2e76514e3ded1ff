package claims

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/reports/render"
)

func figure() Table {
	row := func(model string, p, ms, half, speedup float64) []render.Cell {
		return []render.Cell{render.Text(model), render.Percent(p), render.Within(ms, half, 1), render.Number(speedup, 2), render.NA()}
	}
	return Table{
		ID: "trio.fig13", Title: "Iteration time by straggle probability",
		Columns: []Column{{"model", ""}, {"p", "%"}, {"iteration", "ms"}, {"speed-up", "x"}, {"share simulated", "%"}},
		Rows: [][]render.Cell{
			row("resnet50", 0, 102.04, 0, 1), row("resnet50", 0.16, 108.2, 2.4, 1.36), row("vgg11", 0.16, 1080.5, 12, 1.41),
		},
		Notes: []string{"Trio-ML: a PFE is one server of 6e9 adds a second"},
	}
}

// write returns what writes a table as a command does.
func write(t Table) func(io.Writer, render.Options) error {
	return func(w io.Writer, o render.Options) error {
		out, err := t.Render()
		if err != nil {
			return err
		}
		return render.Write(w, out, o)
	}
}

func TestFigureGoldens(t *testing.T) {
	for name, o := range map[string]render.Options{
		"figure.txt": {}, "figure.md": {Format: render.FormatMarkdown}, "figure.csv": {Format: render.FormatCSV},
		"figure.json": {Format: render.FormatJSON},
	} {
		golden.Equal(t, name, written(t, write(figure()), o))
	}
}

// The columns of the JSON name the keys of its rows and the header of the CSV.
func TestFigureKeys(t *testing.T) {
	header, err := csv.NewReader(strings.NewReader(written(t, write(figure()), render.Options{Format: render.FormatCSV}))).Read()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		ID      string
		Columns []struct{ Key, Name, Unit string }
		Rows    []map[string]any
	}
	if err := json.Unmarshal([]byte(written(t, write(figure()), render.Options{Format: render.FormatJSON})), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.ID != "trio.fig13" || len(doc.Columns) != len(header) || len(doc.Rows) != 3 {
		t.Fatalf("%+v", doc)
	}
	for i, c := range doc.Columns {
		if _, ok := doc.Rows[0][c.Key]; !ok || c.Key != header[i] {
			t.Errorf("column %d is %q, in CSV %q", i, c.Key, header[i])
		}
	}
}

func TestFigureRefuses(t *testing.T) {
	twice := figure()
	twice.Columns[1] = Column{"Model", ""}
	noName := figure()
	noName.Columns[1] = Column{"±", ""}
	uneven := figure()
	uneven.Rows = append(uneven.Rows, []render.Cell{render.Int(1)})
	for _, table := range []Table{twice, noName, uneven} {
		var b strings.Builder
		if err := write(table)(&b, render.Options{}); err == nil || b.Len() > 0 {
			t.Errorf("written: %s", b.String())
		}
	}
}
