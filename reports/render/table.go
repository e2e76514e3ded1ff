package render

import (
	"fmt"
	"io"
)

// SchemaVersion stands in every JSON object that this package writes. It grows
// when a key changes its meaning or goes away.
const SchemaVersion = 1

// Align is the side of a column that its cells stand at.
type Align int

// Words stand left, numbers right.
const (
	Left Align = iota
	Right
)

// Column describes the cells below it.
type Column struct {
	Key   string // name in CSV and JSON; "" leaves the column out there
	Name  string // header for people; "" leaves the column out there
	Unit  string // under the name, for people
	Align Align

	Detail bool // people see it in [FormatWide] only
	Fold   bool // where all cells are alike, people find it in the line under the title
	Wrap   bool // text that may take several lines; what is left of the width is shared by such columns
	// Spare ranks the columns that a line too short does without: the highest
	// goes first, those of rank 0 stay.
	Spare int
}

// Table is columns, rows and what must be known to read them.
type Table struct {
	ID      string // where not "", JSON has it, and Title and the units of Columns, beside the rows
	Title   string // one line, for people
	Columns []Column
	Rows    [][]Cell // one cell a column
	Notes   []string // sentences, below the table
}

func (t Table) validate() error {
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("table %q: row %d has %d cells for %d columns", t.Title, i, len(row), len(t.Columns))
		}
	}
	return nil
}

// Write writes t.
func Write(w io.Writer, t Table, o Options) error {
	if err := t.validate(); err != nil {
		return err
	}
	switch o.Format {
	case FormatTable, FormatWide, "":
		return writeText(w, t, o)
	case FormatMarkdown:
		return writeMarkdown(w, t)
	case FormatCSV:
		return writeCSV(w, t)
	case FormatJSON:
		return writeTableJSON(w, t)
	}
	_, err := ParseFormat(string(o.Format))
	return err
}
