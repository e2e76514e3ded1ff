package claims

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Measured is what an experiment found out: one value, made by [Number],
// [Estimate], [Series], [Ranking], [Bool], [Text], [Texts] or [Group],
// and what must be known to read it. The zero value is nothing measured.
type Measured struct {
	outcome   outcome
	ends      []End      // likewise, with what is assumed at the ends of its range
	undecided string     // why the check says nothing about the claim; "": it does
	allowed   []Measured // where one of these comes out otherwise; nil: in any case

	Switch    []Switch // that aggregated; nil: those of the experiment
	Model     string   // of the part of the system that decides the value; "" is nothing to tell
	Reading   string   // choices taken where the papers are ambiguous
	Constants []string // assumed constants that the value rests on
	Note      string
}

// outcome is one of the kinds of value below, or a [Value].
type outcome interface {
	what() string
	people() string
	record() Value // for programs
}

type (
	number struct {
		mean float64
		ci95 float64 // half-width of the 95% interval; NaN where there is none
		n    int     // values that the number rests on; 0 where that says nothing
	}
	series  []Point
	ranking []named // sorted by name
	parts   []part  // sorted by name
)

// Point is one of a series: y, whatever the claim is of, at x.
type Point struct{ X, Y float64 }

func (p Point) finite() bool {
	return !math.IsNaN(p.X) && !math.IsInf(p.X, 0) && !math.IsNaN(p.Y) && !math.IsInf(p.Y, 0)
}

type named struct {
	name  string
	value float64
}

type part struct {
	name  string
	value Measured
}

// Number returns a number that was not estimated from several.
func Number(x float64) Measured {
	return Measured{outcome: number{mean: x, ci95: math.NaN()}}
}

// Estimate returns a mean of n values with the half-width of its 95% interval.
func Estimate(mean, ci95 float64, n int) Measured {
	return Measured{outcome: number{mean, ci95, n}}
}

// Series returns y at each x.
func Series(points ...Point) Measured {
	return Measured{outcome: series(slices.Clone(points))}
}

// Ranking returns numbers to be put in order, by name.
func Ranking(values map[string]float64) Measured {
	var r ranking
	for _, name := range slices.Sorted(maps.Keys(values)) {
		r = append(r, named{name, values[name]})
	}
	return Measured{outcome: r}
}

// Bool returns yes or no.
func Bool(b bool) Measured { return Measured{outcome: FlagValue(b)} }

// Text returns a word.
func Text(s string) Measured { return Measured{outcome: WordValue(s)} }

// Texts returns a list of words.
func Texts(ss ...string) Measured {
	v := Value{kind: valueList}
	for _, s := range ss {
		v.list = append(v.list, WordValue(s))
	}
	return Measured{outcome: v}
}

// RanOn returns m with the switches that it was measured on, where they are not all those of the
// experiment.
func (m Measured) RanOn(s ...Switch) Measured {
	m.Switch = s
	return m
}

// Group returns named values, for a check of parts. What the parts say of model,
// reading and constants is not kept: say it of the group.
func Group(values map[string]Measured) Measured {
	var p parts
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p = append(p, part{name, values[name]})
	}
	return Measured{outcome: p}
}

// On returns m with the part of the system that decides the value.
func (m Measured) On(model string) Measured {
	m.Model = model
	return m
}

// Noting returns m with a note.
func (m Measured) Noting(format string, args ...any) Measured {
	m.Note = fmt.Sprintf(format, args...)
	return m
}

// NumberParts is [Group] of numbers.
func NumberParts(values map[string]float64) Measured {
	parts := map[string]Measured{}
	for name, x := range values {
		parts[name] = Number(x)
	}
	return Group(parts)
}

// IsZero reports whether nothing was measured.
func (m Measured) IsZero() bool { return m.outcome == nil }

// Number returns the number that was measured, if it is one.
func (m Measured) Number() (float64, bool) {
	n, ok := m.outcome.(number)
	return n.mean, ok
}

// Part returns a part of a group.
func (m Measured) Part(name string) (Measured, bool) {
	p, ok := m.outcome.(parts)
	if !ok {
		return Measured{}, false
	}
	return p.get(name)
}

// String is the value for people, on one line.
func (m Measured) String() string {
	if m.outcome == nil {
		return "-"
	}
	return m.outcome.people()
}

// asValue returns what a check of equality compares.
func (m Measured) asValue() (Value, bool) {
	switch m.outcome.(type) {
	case number, Value:
		return m.outcome.record(), true
	}
	return Value{}, false
}

func (number) what() string  { return "a number" }
func (series) what() string  { return "a series" }
func (ranking) what() string { return "named numbers" }
func (parts) what() string   { return "named parts" }
func (v Value) what() string { return v.kind.String() }

func (n number) people() string {
	if math.IsNaN(n.ci95) || math.IsInf(n.ci95, 0) {
		return digits(n.mean)
	}
	return digits(n.mean) + " ±" + significant(n.ci95, 2)
}

// people is "0:1 0.04:1.15": x and y of each point.
func (s series) people() string {
	w := make([]string, len(s))
	for i, p := range s {
		w[i] = digits(p.X) + ":" + digits(p.Y)
	}
	return strings.Join(w, " ")
}

// people is "ina 1.2 < ring 2 = ps 2": in order of the numbers.
func (r ranking) people() string {
	sorted := slices.SortedStableFunc(slices.Values(r), func(a, b named) int { return cmp.Compare(a.value, b.value) })
	var b strings.Builder
	for i, n := range sorted {
		switch {
		case i > 0 && n.value == sorted[i-1].value:
			b.WriteString(" = ")
		case i > 0:
			b.WriteString(" < ")
		}
		b.WriteString(n.name + " " + digits(n.value))
	}
	return b.String()
}

func (p parts) people() string { return p.record().String() }
func (v Value) people() string { return v.String() }

func (n number) record() Value { return NumberValue(n.mean) }
func (v Value) record() Value  { return v }

func (s series) record() Value {
	v := Value{kind: valueList}
	for _, p := range s {
		v.list = append(v.list, Value{kind: valueList, list: []Value{NumberValue(p.X), NumberValue(p.Y)}})
	}
	return v
}

func (r ranking) record() Value {
	v := Value{kind: valueFields}
	for _, n := range r {
		v.fields = append(v.fields, Field{n.name, NumberValue(n.value)})
	}
	return v
}

func (p parts) record() Value {
	v := Value{kind: valueFields}
	for _, part := range p {
		field := Field{Name: part.name}
		if part.value.outcome != nil {
			field.Value = part.value.outcome.record()
		}
		v.fields = append(v.fields, field)
	}
	return v
}

func (p parts) get(name string) (Measured, bool) {
	for _, part := range p {
		if part.name == name {
			return part.value, true
		}
	}
	return Measured{}, false
}
