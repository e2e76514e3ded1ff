package claims

import (
	"fmt"
	"math"
	"strconv"
)

// Check says which measured values meet a claim. Its forms are [Within],
// [Range], [Min], [Max], [Equal], [Order], [Monotone], [Parts] and [None].
type Check interface {
	// Short is the condition in a few characters, for a column of a table.
	Short() string
	// Meets reports whether a measured value meets the condition, and says why
	// or why not on one line.
	Meets(m Measured) (bool, string)
}

// Op is the name of a form of check in a ledger.
type Op string

// The forms of a check.
const (
	OpWithin   Op = "within"
	OpRange    Op = "range"
	OpMin      Op = "min"
	OpMax      Op = "max"
	OpEqual    Op = "equal"
	OpOrder    Op = "order"
	OpMonotone Op = "monotone"
	OpParts    Op = "parts"
	OpNone     Op = "none"
)

var ops = []Op{OpWithin, OpRange, OpMin, OpMax, OpEqual, OpOrder, OpMonotone, OpParts, OpNone}

// Within is met by a number no farther than Margin from Of.
type Within struct {
	Of       float64
	Margin   float64 // zero or more
	Relative bool    // Margin is a fraction of |Of| and not a number of the claim's unit
}

// Range is met by a number from Min to Max, the ends included.
type Range struct {
	Min float64 `yaml:"min"`
	Max float64 `yaml:"max"`
}

// Min is met by a number of Value or more.
type Min struct {
	Value float64 `yaml:"value"`
}

// Max is met by a number of Value or less.
type Max struct {
	Value float64 `yaml:"value"`
}

// Equal is met by exactly this number, word, yes or no, or list of numbers or
// words. Numbers may differ by what the rounding of float64 makes of them.
type Equal struct {
	Value Value `yaml:"value"`
}

// None is the check of what cannot be checked: nothing meets it.
type None struct{}

// rounding is the relative error that the arithmetic of a few operations in
// float64 may leave: 1.98 is within 10% of 1.8 although 1.98-1.8 > 0.1*1.8 there.
const rounding = 1e-12

// atMost reports whether a <= b but for rounding.
func atMost(a, b float64) bool {
	return a <= b+rounding*max(math.Abs(a), math.Abs(b))
}

// Short is "77 ±0.5" or "1.8 ±10%".
func (c Within) Short() string {
	if c.Relative {
		return digits(c.Of) + " ±" + digits(100*c.Margin) + "%"
	}
	return digits(c.Of) + " ±" + digits(c.Margin)
}

// Meets implements [Check].
func (c Within) Meets(m Measured) (bool, string) {
	margin := c.Margin
	if c.Relative {
		margin *= math.Abs(c.Of)
	}
	return meetsRange(m, Range{c.Of - margin, c.Of + margin}, c.Short())
}

// Short is "1.5..2".
func (c Range) Short() string { return digits(c.Min) + ".." + digits(c.Max) }

// Meets implements [Check].
func (c Range) Meets(m Measured) (bool, string) { return meetsRange(m, c, c.Short()) }

// Short is "≥0.98".
func (c Min) Short() string { return "≥" + digits(c.Value) }

// Meets implements [Check].
func (c Min) Meets(m Measured) (bool, string) {
	return meetsRange(m, Range{c.Value, math.Inf(1)}, c.Short())
}

// Short is "≤2.1".
func (c Max) Short() string { return "≤" + digits(c.Value) }

// Meets implements [Check].
func (c Max) Meets(m Measured) (bool, string) {
	return meetsRange(m, Range{math.Inf(-1), c.Value}, c.Short())
}

func meetsRange(m Measured, r Range, short string) (bool, string) {
	x, ok := m.outcome.(number)
	if !ok {
		return false, wrongKind(m, "a number")
	}
	switch {
	case math.IsNaN(x.mean) || math.IsInf(x.mean, 0):
		return false, fmt.Sprintf("%v is no result", x.mean)
	case !atMost(r.Min, x.mean):
		return false, fmt.Sprintf("%s is too low for %s", beside(x.mean, r.Min), short)
	case !atMost(x.mean, r.Max):
		return false, fmt.Sprintf("%s is too high for %s", beside(x.mean, r.Max), short)
	}
	return true, fmt.Sprintf("%s is in %s", digits(x.mean), short)
}

// beside writes x in as many digits as tell it from y.
func beside(x, y float64) string {
	if s := digits(x); s != digits(y) {
		return s
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// Short is "=12".
func (c Equal) Short() string { return "=" + c.Value.bracketed() }

// Meets implements [Check].
func (c Equal) Meets(m Measured) (bool, string) {
	got, ok := m.asValue()
	if !ok || got.kind != c.Value.kind {
		return false, wrongKind(m, c.Value.kind.String())
	}
	if !equal(got, c.Value) {
		if got.kind == valueNumber {
			got.text = beside(got.number, c.Value.number)
		}
		return false, fmt.Sprintf("%s is not %s", got, c.Value)
	}
	return true, fmt.Sprintf("%s as it must be", got)
}

func equal(a, b Value) bool {
	if a.kind != b.kind || len(a.list) != len(b.list) {
		return false
	}
	for i := range a.list {
		if !equal(a.list[i], b.list[i]) {
			return false
		}
	}
	switch a.kind {
	case valueNumber:
		return atMost(a.number, b.number) && atMost(b.number, a.number)
	case valueWord:
		return a.text == b.text
	}
	return a.flag == b.flag
}

// Short is empty.
func (None) Short() string { return "" }

// Meets implements [Check].
func (None) Meets(Measured) (bool, string) { return false, "there is no check" }

// wrongKind is the reason why an experiment's value cannot be judged: the
// experiment and the ledger disagree on what is measured.
func wrongKind(m Measured, want string) string {
	if m.outcome == nil {
		return "nothing was measured, the check is of " + want
	}
	return fmt.Sprintf("measured was %s, the check is of %s", m.outcome.what(), want)
}
