package claimreport

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// place is where something stands in a paper, as the paper numbers it.
type place struct {
	kind    placeKind
	numbers []int  // 6, 2 for section 6.2; a letter is 1 for A and so on
	name    string // as the paper writes the numbers: "6.2", "VI-B", "D.1"
}

type placeKind int

// The kinds, in the order of a page.
const (
	inFigure placeKind = iota
	inTable
	inAbstract
	inSection
	inAppendix
	elsewhere
)

// title is the heading of a place: "Fig 13", "Section 6.3".
func (p place) title() string {
	switch p.kind {
	case inAbstract:
		return "Abstract"
	case elsewhere:
		return "Elsewhere"
	}
	return [...]string{inFigure: "Fig ", inTable: "Table ", inSection: "Section ", inAppendix: "Appendix "}[p.kind] + p.name
}

// id is the end of an address: "fig-13", "section-6-3".
func (p place) id() string {
	return strings.ToLower(strings.NewReplacer(" ", "-", ".", "-").Replace(p.title()))
}

// compare puts figures before tables, tables before sections, and each by number.
func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.kind, q.kind), slices.Compare(p.numbers, q.numbers))
}

var (
	figureNumber = regexp.MustCompile(`\bFigs? (\d+)`)
	tableNumber  = regexp.MustCompile(`\bTables? (\d+)`)
	section      = regexp.MustCompile(`^§ ?(\d+(?:\.\d+)*|[IVX]+(?:-[A-Z])?)`)
	appendix     = regexp.MustCompile(`^App(?:endix)? ([A-Z](?:\.\d+)*)`)
)

// placeOf reads the field where of a claim. A figure goes before a table, a table before a section, and the first
// section or appendix before others.
func placeOf(where string) place {
	if m := figureNumber.FindStringSubmatch(where); m != nil {
		return numbered(inFigure, m[1])
	}
	if m := tableNumber.FindStringSubmatch(where); m != nil {
		return numbered(inTable, m[1])
	}
	switch m, n := section.FindStringSubmatch(where), appendix.FindStringSubmatch(where); {
	case m != nil:
		return numbered(inSection, m[1])
	case n != nil:
		return numbered(inAppendix, n[1])
	case strings.HasPrefix(where, "Abstract"):
		return place{kind: inAbstract}
	}
	return place{kind: elsewhere}
}

var numberInID = regexp.MustCompile(`^[a-z]+\.(fig|tab)(\d+)`)

// placeOfID reads the place in the id of a figure, such as trio.fig13.open.
func placeOfID(id string) (place, bool) {
	m := numberInID.FindStringSubmatch(id)
	if m == nil {
		return place{}, false
	}
	return numbered(map[string]placeKind{"fig": inFigure, "tab": inTable}[m[1]], m[2]), true
}

// numbered is a place by its number: "6.2", "VI-B", "D.1".
func numbered(kind placeKind, name string) place {
	p := place{kind: kind, name: name}
	for i, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '-' }) {
		n, err := strconv.Atoi(word)
		switch {
		case err == nil:
		case kind == inSection && i == 0:
			n = roman(word)
		default:
			n = int(word[0]-'A') + 1
		}
		p.numbers = append(p.numbers, n)
	}
	return p
}

// roman reads a number of I, V and X.
func roman(word string) (n int) {
	values := map[byte]int{'I': 1, 'V': 5, 'X': 10}
	for i := range len(word) {
		v := values[word[i]]
		if i+1 < len(word) && v < values[word[i+1]] {
			v = -v
		}
		n += v
	}
	return n
}

// plural counts things.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
