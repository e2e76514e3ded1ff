package dataplane

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Table is a view as data: it knows nothing of how it will be shown.
type Table struct {
	Columns []Column  `json:"columns"`
	Rows    [][]Value `json:"rows"` // one value a column
	// Total is how many rows there were; more than len(Rows) where a limit cut.
	Total int `json:"total"`
	// Notes are sentences that the rows cannot be read without.
	Notes []string `json:"notes,omitempty"`
}

// Column describes the values below it.
type Column struct {
	Key  string `json:"key"`            // for programs: lower case, underscores, the unit last ("age_us")
	Name string `json:"name"`           // for people
	Unit string `json:"unit,omitempty"` // of the values; empty for counts and words
	// Spare ranks the columns that a short line does without: the highest goes
	// first, those of rank 0 stay.
	Spare int `json:"spare,omitempty"`
}

// Add appends a row; it has a value for each column.
func (t *Table) Add(row ...Value) {
	t.Rows = append(t.Rows, row)
	t.Total++
}

// Cut drops the rows beyond the first limit; Total still counts them.
func (t *Table) Cut(limit int) {
	if len(t.Rows) > limit {
		t.Rows = t.Rows[:limit]
	}
}

// Kind is what a value is.
type Kind uint8

// The kinds.
const (
	KindNA     Kind = iota // does not apply, or is not known
	KindText               // text
	KindNumber             // in the unit of the column
	KindBool               // yes or no
)

// Value is one value of a table; the zero value does not apply. In JSON it is a
// string, a number, true or false, or null.
type Value struct {
	kind Kind
	text string // of a number its digits as in JSON, of a flag "true" or "false"
}

// Text returns a value of words.
func Text(s string) Value { return Value{KindText, s} }

// Int returns a whole number.
func Int[T ~int | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](n T) Value {
	if n < 0 {
		return Value{KindNumber, strconv.FormatInt(int64(n), 10)}
	}
	return Value{KindNumber, strconv.FormatUint(uint64(n), 10)}
}

// Real returns a number; what is not finite does not apply.
func Real(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{}
	}
	return Value{KindNumber, strconv.FormatFloat(f, 'f', -1, 64)}
}

// Bool returns yes or no.
func Bool(b bool) Value { return Value{KindBool, strconv.FormatBool(b)} }

// Kind returns what the value is.
func (v Value) Kind() Kind { return v.kind }

// String returns the value as text; empty where it does not apply.
func (v Value) String() string { return v.text }

// MarshalJSON writes the value as JSON has it.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.kind {
	case KindText:
		return json.Marshal(v.text)
	case KindNumber, KindBool:
		return []byte(v.text), nil
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (v *Value) UnmarshalJSON(text []byte) error {
	s := strings.TrimSpace(string(text))
	switch {
	case s == "null":
		*v = Value{}
	case s == "true" || s == "false":
		*v = Value{KindBool, s}
	case strings.HasPrefix(s, `"`):
		v.kind = KindText
		return json.Unmarshal(text, &v.text)
	case s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9'):
		*v = Value{KindNumber, s}
	default:
		return fmt.Errorf("value %q of a table: it must be a string, a number, true, false or null", s)
	}
	return nil
}
