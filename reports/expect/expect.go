// Package expect judges the summary of a run by what its scenario expects, so that a scenario
// is a test.
//
//	expect:
//	  - {column: inflation, where: {system: ring, link.loss: 1%}, min: 1.1}
//
// A check names a column of summary.csv or of another table, the rows that it is about, and the
// least or the most that they may have there. Rows whose numbers are not to be believed are not
// judged. Other tables than the summary have rows of what there was, so one that is missing
// counts as 0.
package expect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/reports/render"
)

// Check is one expectation.
type Check struct {
	Table    string         // one of render.RunTables; empty: summary.csv
	Column   string         // key of the table
	Where    []result.Swept // keys of the table, and the values that a row must have there
	Min, Max *float64       // in the unit of the column; nil: no bound
}

// String says what is expected.
func (c Check) String() string {
	var words []string
	for _, w := range c.Where {
		words = append(words, w.Key+"="+w.Value)
	}
	text := c.Column
	if c.Table != "" {
		text = c.Table + ": " + text
	}
	if len(words) > 0 {
		text += " where " + strings.Join(words, " ")
	}
	if c.Min != nil {
		text += fmt.Sprintf(", %g at least", *c.Min)
	}
	if c.Max != nil {
		text += fmt.Sprintf(", %g at most", *c.Max)
	}
	return text
}

// Validate refuses a check of columns that a summary has not, and one without a bound.
func (c Check) Validate(columns []string) error {
	keys := []string{c.Column}
	for _, w := range c.Where {
		keys = append(keys, w.Key)
	}
	for _, key := range keys {
		if !slices.Contains(columns, key) {
			return fmt.Errorf("%q is no column of %s.csv: there are %s%s", key, cmp.Or(c.Table, "summary"), strings.Join(columns, ", "), suggest.DidYouMean(key, columns))
		}
	}
	switch {
	case c.Min == nil && c.Max == nil:
		return fmt.Errorf("%s: say what is expected: min, max or both", c.Column)
	case c.Min != nil && c.Max != nil && *c.Min > *c.Max:
		return fmt.Errorf("%s: a min of %g and a max of %g: nothing is in between", c.Column, *c.Min, *c.Max)
	}
	return nil
}

// Outcome is what came of a check.
type Outcome struct {
	Check  Check
	Judged int      // rows
	Failed []string // rows that are not as expected, with what they have
}

// String tells the outcome in a line.
func (o Outcome) String() string {
	switch {
	case len(o.Failed) > 0:
		return fmt.Sprintf("not as expected: %s: %s", o.Check, strings.Join(o.Failed, "; "))
	case o.Judged == 0:
		return fmt.Sprintf("not judged: %s: there is no such row", o.Check)
	}
	return fmt.Sprintf("as expected: %s (%d rows)", o.Check, o.Judged)
}

// Judge holds a summary, and what else the runs came to, against the checks.
func Judge(summary render.Table, cells []result.Cell, checks []Check) (out []Outcome) {
	for _, c := range checks {
		o, t := Outcome{Check: c}, summary
		if c.Table != "" {
			t, _ = render.RunTable(c.Table, cells)
		}
		for _, row := range t.Records() {
			if c.meets(row) {
				o.judge(row)
			}
		}
		if c.Table != "" && o.Judged == 0 && c.Min != nil && *c.Min > 0 {
			o.Failed = append(o.Failed, "there is no such row")
		}
		out = append(out, o)
	}
	return out
}

// meets reports whether a row is one that the check is about. A value is what people or
// programs see.
func (c Check) meets(row render.Record) bool {
	return !slices.ContainsFunc(c.Where, func(w result.Swept) bool { return !row.Is(w.Key, w.Value) })
}

func (o *Outcome) judge(row render.Record) {
	text, ok := row.Number(o.Check.Column)
	if !ok {
		return
	}
	v, err := strconv.ParseFloat(text, 64)
	o.Judged++
	if err != nil || o.Check.Min != nil && v < *o.Check.Min || o.Check.Max != nil && v > *o.Check.Max {
		o.Failed = append(o.Failed, fmt.Sprintf("%s has %s", row.Name(), text))
	}
}
