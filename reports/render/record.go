package render

import "slices"

// Record is a row of a table by the keys of its columns.
type Record struct {
	columns []Column
	row     []Cell
}

// Records returns the rows of a table.
func (t Table) Records() (out []Record) {
	for _, row := range t.Rows {
		out = append(out, Record{t.Columns, row})
	}
	return out
}

// cell returns the cell of a key, or of what does not apply.
func (r Record) cell(key string) Cell {
	i := slices.IndexFunc(r.columns, func(c Column) bool { return c.Key == key })
	if i < 0 {
		return NA()
	}
	return r.row[i]
}

// Is reports whether the cell of a key shows a value, to people or to programs.
func (r Record) Is(key, value string) bool {
	i := slices.IndexFunc(r.columns, func(c Column) bool { return c.Key == key })
	if i < 0 {
		return false
	}
	c := r.row[i]
	return value == c.program || value == c.people || value == c.people+"%" && r.columns[i].Unit == "%"
}

// Number returns the cell of a key as programs see it. It is not there where the column does
// not apply, and where the run is not to be believed.
func (r Record) Number(key string) (text string, ok bool) {
	c := r.cell(key)
	return c.program, c != NA() && !c.suspect
}

// Name tells the row from others: by the swept keys that it begins with, its system, and what
// of its job and its straggle probability is not as usual.
func (r Record) Name() string {
	name := ""
	for i, c := range r.columns {
		if c.Key == "system" {
			name += r.row[i].people
			break
		}
		name += c.Key + "=" + r.row[i].people + " "
	}
	if p := r.cell("straggle_p").people; p != "0" && p != "" {
		name += " at p=" + p + "%"
	}
	for _, key := range []string{"job", "flow", "program", "counter", "from", "to"} {
		if c := r.cell(key); c != NA() && c.people != "" {
			name += " " + key + " " + c.people
		}
	}
	if lab := r.cell("lab").people; lab != "" {
		name += " of " + lab
	}
	return name
}
