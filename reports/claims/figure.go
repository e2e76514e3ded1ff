package claims

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/reports/render"
)

// Table is the whole table of a figure or of a table of a paper: every point
// that an experiment computed.
type Table struct {
	ID      ID // what its claims begin with: "trio.fig13"
	Title   string
	Columns []Column
	Rows    [][]render.Cell // one cell a column; see render for the kinds
	Notes   []string
}

// Add adds a row.
func (t *Table) Add(cells ...render.Cell) { t.Rows = append(t.Rows, cells) }

// Words returns the text that rows have in the column of a key, each once.
func (t Table) Words(key string) (out []string) {
	at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key() == key })
	for _, row := range t.Rows {
		if at < 0 || at >= len(row) || !row[at].IsText() {
			continue
		}
		var word string
		if text, err := row[at].MarshalJSON(); err == nil && json.Unmarshal(text, &word) == nil && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

// Column is a column of a [Table]. Its key in CSV and JSON is its name and its
// unit in lower case, joined by "_": "iteration_ms".
type Column struct {
	Name string
	Unit string // "" for none; "%" is of cells made by render.Percent, which programs see as fractions
}

// Key returns the key in CSV and JSON.
func (c Column) Key() string {
	name := keyOf(c.Name)
	if unit := keyOf(c.Unit); unit != "" {
		name += "_" + unit
	}
	return name
}

// keyOf keeps letters and digits in lower case; whatever is between becomes "_".
func keyOf(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "_")
}

// Render returns the table for [render.Write].
func (t Table) Render() (render.Table, error) {
	out := render.Table{ID: string(t.ID), Title: t.Title, Rows: t.Rows, Notes: t.Notes}
	var keys []string
	for i, c := range t.Columns {
		key := c.Key()
		if key == "" || slices.Contains(keys, key) {
			return render.Table{}, fmt.Errorf("table %s: column %q: key %q is empty or there twice", t.ID, c.Name, key)
		}
		keys = append(keys, key)
		out.Columns = append(out.Columns, render.Column{Key: key, Name: c.Name, Unit: c.Unit, Align: t.align(i)})
	}
	return out, nil
}

// align puts a column of numbers to the right.
func (t Table) align(column int) render.Align {
	for _, row := range t.Rows {
		if column < len(row) && row[column].IsText() {
			return render.Left
		}
	}
	return render.Right
}
