package render

import (
	"math"
	"strconv"
	"strings"
)

// Cell is one value of a table. The zero value is "not applicable": "-" for
// people, empty in CSV, null in JSON.
type Cell struct {
	people  string
	half    string // half-width of an interval, aligned apart from the value
	program string
	text    bool // a string in JSON
	suspect bool
}

// NA returns the cell of what does not apply.
func NA() Cell { return Cell{} }

// Optional returns the cell of a value, or where v is nil, of what does not apply.
func Optional[T any](v *T, cell func(T) Cell) Cell {
	if v == nil {
		return NA()
	}
	return cell(*v)
}

// Text returns a cell of words.
func Text(s string) Cell { return Cell{people: s, program: s, text: true} }

// Word returns a cell of words; where there are none, of what does not apply.
func Word(s string) Cell {
	if s == "" {
		return NA()
	}
	return Text(s)
}

// Bool returns a cell that says yes or no.
func Bool(b bool) Cell {
	c := Cell{people: "no", program: "false"}
	if b {
		c = Cell{people: "yes", program: "true"}
	}
	return c
}

// Int returns a cell of a whole number.
func Int[T ~int | ~int64 | ~uint64](n T) Cell {
	s := strconv.FormatUint(uint64(n), 10)
	if n < 0 {
		s = strconv.FormatInt(int64(n), 10)
	}
	return Cell{people: s, program: s}
}

// Number returns a cell that people see with so many decimals, and programs
// with up to six. What is not finite does not apply.
func Number(v float64, decimals int) Cell {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return NA()
	}
	return Cell{people: strconv.FormatFloat(v, 'f', decimals, 64), program: trimmed(v, 6)}
}

// Exact returns a cell of a number in as few digits as tell it from all others,
// for values of any size.
func Exact(v float64) Cell {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return NA()
	}
	s := strconv.FormatFloat(v, 'g', -1, 64)
	return Cell{people: s, program: s}
}

// Percent returns a cell that people see as a percentage with up to two
// decimals and programs as a fraction.
func Percent(fraction float64) Cell {
	if math.IsNaN(fraction) || math.IsInf(fraction, 0) {
		return NA()
	}
	return Cell{people: trimmed(100*fraction, 2), program: trimmed(fraction, 6)}
}

// Within returns a number with the half-width of its interval; a half-width
// that is not finite is left away. Programs get the number only.
func Within(v, half float64, decimals int) Cell {
	c := Number(v, decimals)
	if c != NA() && !math.IsNaN(half) && !math.IsInf(half, 0) {
		c.half = "±" + strconv.FormatFloat(half, 'f', decimals, 64)
	}
	return c
}

// As returns c with other words for people.
func (c Cell) As(people string) Cell {
	c.people = people
	return c
}

// Suspect marks the number of a run that is not to be believed: people see
// "invalid" in its place. What does not apply stays so.
func (c Cell) Suspect(suspect bool) Cell {
	c.suspect = suspect && c != NA()
	return c
}

// IsText reports whether the cell holds words: a number, yes or no, and what
// does not apply are none.
func (c Cell) IsText() bool { return c.text }

// trimmed writes v with at most so many decimals.
func trimmed(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}
