package render

// Sheet is a table as people see it, in words, for a writer that has a layout of its own.
type Sheet struct {
	Title  string
	Folded string // columns that are alike in every row, in one line
	Heads  []Head
	Rows   [][]string // one string for each head
	Notes  []string
}

// Head is what stands over a column.
type Head struct {
	Name, Unit string
	Align      Align
	Wrap       bool // text that may take several lines
}

// Sheet returns a table as people see it; all shows what they see in [FormatWide] only, too.
func (t Table) Sheet(all bool) Sheet {
	l := newLayout(t, view{all: all, unicode: true})
	s := Sheet{Title: l.title, Folded: l.folded, Rows: l.rows, Notes: l.notes}
	for _, c := range l.columns {
		s.Heads = append(s.Heads, Head{c.Name, c.Unit, c.Align, c.Wrap})
	}
	return s
}
