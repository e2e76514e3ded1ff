package claims

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/inalab/inalab/reports/render"
)

// Value is what a file states: a number, a word, yes or no, a list, named
// values in their order, or, the zero value, nothing (a null, for what a paper
// does not print). It keeps a number's digits as they are written.
type Value struct {
	kind   valueKind
	text   string  // of a word; the digits of a number
	number float64 // of a number
	flag   bool
	list   []Value
	fields Fields
}

type valueKind int

const (
	valueNone valueKind = iota
	valueNumber
	valueWord
	valueFlag
	valueList
	valueFields
)

// Field is a named value.
type Field struct {
	Name  string
	Value Value
}

// Fields are named values in the order of the file; no name is there twice.
type Fields []Field

// Get returns the value of a name.
func (f Fields) Get(name string) (Value, bool) {
	for _, field := range f {
		if field.Name == name {
			return field.Value, true
		}
	}
	return Value{}, false
}

// NumberValue returns the value of a number.
func NumberValue(x float64) Value {
	return Value{kind: valueNumber, number: x, text: digits(x)}
}

// WordValue returns the value of a word.
func WordValue(s string) Value { return Value{kind: valueWord, text: s} }

// FlagValue returns the value of yes or no.
func FlagValue(b bool) Value { return Value{kind: valueFlag, flag: b} }

// Number returns v where it is a number.
func (v Value) Number() (float64, bool) { return v.number, v.kind == valueNumber }

// List returns the values of a list; nil of anything else. Read only.
func (v Value) List() []Value { return v.list }

// Fields returns the named values; nil of anything else. Read only.
func (v Value) Fields() Fields { return v.fields }

// String is v on one line: "1.80", "yes", "1, 2", "min 1.13, max 2.27".
func (v Value) String() string {
	switch v.kind {
	case valueNone:
		return "-"
	case valueFlag:
		if v.flag {
			return "yes"
		}
		return "no"
	case valueList:
		return joined(v.list)
	case valueFields:
		return v.fields.String()
	}
	return v.text
}

// String is "name value, name value"; what holds several values is in brackets.
func (f Fields) String() string {
	words := make([]string, len(f))
	for i, field := range f {
		words[i] = field.Name + " " + field.Value.bracketed()
	}
	return strings.Join(words, ", ")
}

func joined(list []Value) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = v.bracketed()
	}
	return strings.Join(words, ", ")
}

func (v Value) bracketed() string {
	if v.kind == valueList || v.kind == valueFields {
		return "(" + v.String() + ")"
	}
	return v.String()
}

// MarshalJSON writes v as JSON has it, names in their order.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.kind {
	case valueNumber:
		if math.IsNaN(v.number) || math.IsInf(v.number, 0) {
			return []byte("null"), nil // JSON has no word for it
		}
		return json.Marshal(v.number)
	case valueWord:
		return render.Marshal(v.text)
	case valueFlag:
		return json.Marshal(v.flag)
	case valueList:
		return json.Marshal(append([]Value{}, v.list...)) // not null, if empty
	case valueFields:
		return v.fields.MarshalJSON()
	}
	return []byte("null"), nil
}

// MarshalJSON writes one object, names in their order.
func (f Fields) MarshalJSON() ([]byte, error) {
	var names []string
	var values []any
	for _, field := range f {
		names, values = append(names, field.Name), append(values, field.Value)
	}
	return render.Object(names, values)
}

func (k valueKind) String() string {
	return [...]string{"nothing", "a number", "text", "yes or no", "a list", "named values"}[k]
}

// digits writes x for people: whole numbers in full, others with four
// significant digits.
func digits(x float64) string { return significant(x, 4) }

func significant(x float64, n int) string {
	const inFull = 1e12
	if x == float64(int64(x)) && x > -inFull && x < inFull {
		return strconv.FormatInt(int64(x), 10)
	}
	s := strconv.FormatFloat(x, 'g', n, 64)
	if abs := max(x, -x); abs >= 1e-4 && abs < inFull && strings.Contains(s, "e") {
		s = strconv.FormatFloat(x, 'f', 0, 64) // 'g' turns to exponents as soon as digits run out
	}
	return s
}
