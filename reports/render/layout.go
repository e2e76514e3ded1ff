package render

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// layout is a table on its way to the page: words only.
type layout struct {
	title   string
	folded  string // columns that are the same everywhere
	columns []Column
	rows    [][]string // one string a column
	notes   []string
}

// view is what of a table people get to see, and in which characters.
type view struct {
	all     bool // every column, and suspect numbers in parentheses
	unicode bool
}

// say returns s in the characters of the view, fit for a line of a table.
func (v view) say(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' { // a stray tab or escape would break the lines
			return ' '
		}
		return r
	}, s)
	if v.unicode {
		return s
	}
	return inASCII.Replace(s)
}

// newLayout picks the columns that people see and spells out their cells.
func newLayout(t Table, v view) layout {
	l := layout{title: v.say(t.Title), rows: make([][]string, len(t.Rows))}
	columns, folded := v.columns(t)
	for _, i := range columns {
		c := t.Columns[i]
		c.Name, c.Unit = v.say(c.Name), v.say(c.Unit)
		l.columns = append(l.columns, c)
		for j, words := range v.spell(t.Rows, i) {
			l.rows[j] = append(l.rows[j], words)
		}
	}
	l.folded = v.say(strings.Join(folded, ", "))
	for _, n := range t.Notes {
		l.notes = append(l.notes, v.say(n))
	}
	return l
}

// columns returns the indexes of the columns that people see, and what they see of those that are the same in
// every row.
func (v view) columns(t Table) (shown []int, folded []string) {
	for i, c := range t.Columns {
		if c.Name == "" || c.Detail && !v.all {
			continue
		}
		if same, ok := alike(t.Rows, i); ok && c.Fold && !v.all {
			if same.people != "" {
				folded = append(folded, strings.TrimSpace(c.Name+" "+same.people+" "+c.Unit))
			}
			continue
		}
		shown = append(shown, i)
	}
	return shown, folded
}

// alike returns the cell that all rows have in column i, but for those to which
// it does not apply.
func alike(rows [][]Cell, i int) (Cell, bool) {
	var same Cell
	for _, row := range rows {
		switch c := row[i]; {
		case c == same || c == NA() || c.people == "":
		case same == NA():
			same = c
		default:
			return NA(), false
		}
	}
	return same, !same.suspect
}

// spell writes column i. Half-widths stand below each other, and so do the
// numbers before them.
func (v view) spell(rows [][]Cell, i int) []string {
	words := make([]string, len(rows))
	var widest int // of the half-widths
	for _, row := range rows {
		widest = max(widest, displayWidth(v.say(row[i].half)))
	}
	for j, row := range rows {
		c := row[i]
		number, half := v.say(c.people), v.say(c.half)
		gap := strings.Repeat(" ", widest-displayWidth(half))
		switch {
		case c.people == "":
			words[j] = "-"
		case c.suspect && !v.all:
			words[j] = "invalid"
		case c.suspect:
			words[j] = "(" + strings.TrimSpace(number+" "+half) + ")"
		case half != "":
			words[j] = number + gap + " " + half
		case widest > 0:
			words[j] = number + " " + gap
		default:
			words[j] = number
		}
	}
	return words
}

// frame is what a column takes beside its cells: a border and two spaces.
const frame = 3

// fit leaves out spare columns until the table is no wider than width, then
// lets columns of text share what room there is.
func (l *layout) fit(width int) (gone []string) {
	for l.total() > width {
		i := l.mostSpare()
		if i < 0 {
			break
		}
		gone = append(gone, l.columns[i].Name)
		l.remove(i)
	}
	l.wrap(width)
	return gone
}

func (l *layout) remove(i int) {
	l.columns = slices.Delete(slices.Clone(l.columns), i, i+1)
	for j := range l.rows {
		l.rows[j] = slices.Delete(l.rows[j], i, i+1)
	}
}

// mostSpare returns the column that is missed least, the last of several, or -1.
func (l *layout) mostSpare() int {
	best := -1
	for i, c := range l.columns {
		if c.Spare > 0 && (best < 0 || c.Spare >= l.columns[best].Spare) {
			best = i
		}
	}
	return best
}

const narrowest = 16 // to which text is wrapped at most (assumed: a long word and its article)

// total is the width of the table with text wrapped as far as it goes.
func (l *layout) total() int {
	sum := 1
	for i, c := range l.columns {
		w := l.columnWidth(i)
		if c.Wrap {
			w = min(w, max(narrowest, displayWidth(c.Name)))
		}
		sum += w + frame
	}
	return sum
}

func (l *layout) columnWidth(i int) int {
	w := max(displayWidth(l.columns[i].Name), displayWidth(l.columns[i].Unit))
	for _, row := range l.rows {
		w = max(w, displayWidth(row[i]))
	}
	return w
}

// wrap breaks the text of Wrap columns into lines. Those that need less than an
// equal share leave the rest to the others.
func (l *layout) wrap(width int) {
	room := width - 1
	var texts []int // indexes of columns, the widest last
	for i, c := range l.columns {
		room -= frame
		if c.Wrap {
			texts = append(texts, i)
		} else {
			room -= l.columnWidth(i)
		}
	}
	slices.SortStableFunc(texts, func(a, b int) int { return cmp.Compare(l.columnWidth(a), l.columnWidth(b)) })
	for k, i := range texts {
		share := max(room/(len(texts)-k), narrowest)
		for _, row := range l.rows {
			row[i] = strings.Join(wrapText(row[i], share), "\n")
		}
		room -= l.columnWidth(i)
	}
}

// wrapText breaks text between words into lines of at most width columns; a
// longer word has a line of its own. Line breaks in text stay.
func wrapText(text string, width int) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		var current string
		for _, word := range strings.Fields(line) {
			switch {
			case current == "":
				current = word
			case displayWidth(current)+1+displayWidth(word) <= width:
				current += " " + word
			default:
				out = append(out, current)
				current = word
			}
		}
		out = append(out, current)
	}
	return out
}

// displayWidth is the width of the widest line of s on a terminal.
func displayWidth(s string) int {
	var w int
	for line := range strings.SplitSeq(s, "\n") {
		w = max(w, twwidth.WidthWithOptions(line, twwidth.Options{}))
	}
	return w
}
