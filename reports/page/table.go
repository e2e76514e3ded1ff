package page

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/inalab/inalab/reports/render"
)

// table is a table on its way to HTML.
type table struct {
	Title, Label string
	Folded       string
	Columns      []column
	Rows         []row
	Notes        []string
	HasUnits     bool
}

type column struct {
	Name, Unit string
	Class      string
}

type row struct {
	Group bool // the first of a group, but for the first of all
	Cells []cell
}

type cell struct {
	render.Words
	Class string
	Room  int // characters, of the widest half-width of the column
}

func newTable(b *Table) (*table, error) {
	s, err := b.Table.Sheet()
	if err != nil {
		return nil, err
	}
	t := &table{Title: s.Title, Label: s.Title, Folded: s.Folded, Notes: s.Notes}
	if b.Plain {
		t.Title = ""
	}
	for i, c := range s.Columns {
		t.Columns = append(t.Columns, column{c.Name, c.Unit, class(c)})
		t.HasUnits = t.HasUnits || c.Unit != ""
		room := widestHalf(s.Rows, i)
		for j := range s.Rows {
			if i == 0 {
				t.Rows = append(t.Rows, row{Group: j > 0 && b.differ(&s, j)})
			}
			t.Rows[j].Cells = append(t.Rows[j].Cells, cell{s.Rows[j][i], class(c), room})
		}
	}
	return t, nil
}

// class is the side that the cells of a column stand at.
func class(c render.Column) string {
	switch {
	case c.Align == render.Right:
		return "n"
	case c.Wrap:
		return "w"
	}
	return "t"
}

// widestHalf returns the characters of the widest half-width of a column.
func widestHalf(rows [][]render.Words, i int) (most int) {
	for _, r := range rows {
		most = max(most, utf8.RuneCountInString(r[i].Half))
	}
	return most
}

// differ reports whether a row is of another group than the one before.
func (b *Table) differ(s *render.Sheet, j int) bool {
	for i, c := range s.Columns {
		if slices.Contains(b.Group, c.Key) && s.Rows[j][i] != s.Rows[j-1][i] {
			return true
		}
	}
	return false
}

// bars are bars on their way to HTML.
type bars struct {
	*Bars
	Legend []barPart
	Rows   []barRow
}

type barRow struct {
	Bar
	Parts []barPart
	Named []barPart // in the sum: all, or of counts those that are not 0
	Sum   string
}

type barPart struct {
	Index        int
	Name, Value  string
	Share, Whole float64 // percent: of the longest bar, and of this
}

func newBars(b *Bars) bars {
	b = b.used()
	out, longest := bars{Bars: b}, 0.0
	for i, name := range b.Parts {
		out.Legend = append(out.Legend, barPart{Index: b.looks[i], Name: name})
	}
	for _, bar := range b.Bars {
		longest = max(longest, sum(bar.Values))
	}
	for _, bar := range b.Bars {
		r := barRow{Bar: bar, Sum: b.number(sum(bar.Values))}
		for i, v := range bar.Values {
			if longest > 0 && i < len(b.Parts) {
				part := barPart{b.looks[i], b.Parts[i], b.number(v), 100 * v / longest, 100 * v / max(sum(bar.Values), v)}
				r.Parts = append(r.Parts, part)
				if v > 0 || !b.Whole {
					r.Named = append(r.Named, part)
				}
			}
		}
		out.Rows = append(out.Rows, r)
	}
	return out
}

// number writes a value.
func (b *Bars) number(v float64) string {
	if b.Whole {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return short(v)
}

// used returns the bars without parts that none of them has.
func (b *Bars) used() *Bars {
	out := &Bars{Title: b.Title, Unit: b.Unit, Whole: b.Whole}
	for _, bar := range b.Bars {
		out.Bars = append(out.Bars, Bar{Name: bar.Name, Note: bar.Note})
	}
	for i, name := range b.Parts {
		if !slices.ContainsFunc(b.Bars, func(bar Bar) bool { return bar.Values[i] > 0 }) {
			continue
		}
		out.Parts, out.looks = append(out.Parts, name), append(out.looks, i)
		for k := range b.Bars {
			out.Bars[k].Values = append(out.Bars[k].Values, b.Bars[k].Values[i])
		}
	}
	return out
}

func sum(list []float64) (s float64) {
	for _, v := range list {
		s += v
	}
	return s
}
