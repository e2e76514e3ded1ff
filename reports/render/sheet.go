package render

import "strings"

// Sheet is a table as people see it, for writers that lay it out themselves: what [FormatTable] shows on a
// line that is long enough.
type Sheet struct {
	Title   string
	Folded  string // columns that are the same everywhere, with their values
	Columns []Column
	Rows    [][]Words // one a column
	Notes   []string
}

// Words are what people see of a cell.
type Words struct {
	Text    string // "-" where the cell does not apply, "invalid" where it is not to be believed
	Half    string // half-width of an interval, with its sign, or empty
	Applies bool
	Suspect bool
}

// Sheet returns what people see of a table.
func (t Table) Sheet() (Sheet, error) {
	if err := t.validate(); err != nil {
		return Sheet{}, err
	}
	v := view{unicode: true}
	columns, folded := v.columns(t)
	s := Sheet{Title: v.say(t.Title), Folded: v.say(strings.Join(folded, ", ")), Rows: make([][]Words, len(t.Rows))}
	for _, i := range columns {
		s.Columns = append(s.Columns, t.Columns[i])
		for j, row := range t.Rows {
			s.Rows[j] = append(s.Rows[j], v.words(row[i]))
		}
	}
	for _, n := range t.Notes {
		s.Notes = append(s.Notes, v.say(n))
	}
	return s, nil
}

// words returns what people see of a cell.
func (v view) words(c Cell) Words {
	switch {
	case c.people == "":
		return Words{Text: "-"}
	case c.suspect && !v.all:
		return Words{Text: "invalid", Applies: true, Suspect: true}
	}
	return Words{Text: v.say(c.people), Half: v.say(c.half), Applies: true, Suspect: c.suspect}
}
