package claims

import (
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/suggest"
)

// text reads words that must be there and not be empty.
func (m *mapping) text(key string) string {
	n := m.need(key, ": write text")
	if n == nil {
		return ""
	}
	s, ok := textOf(n)
	switch {
	case !ok:
		m.fault(key, "text is needed here; a number or yes as text stands in quotes")
	case strings.TrimSpace(s) == "":
		m.fault(key, "the text is empty")
	}
	return s
}

// textIf reads words that may be missing.
func (m *mapping) textIf(key string) string {
	if !m.has(key) {
		return ""
	}
	return m.text(key)
}

func textOf(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

// word reads one of the words that are allowed.
func word[T ~string](m *mapping, key string, allowed []T) T {
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	n := m.need(key, ": allowed are "+strings.Join(names, ", "))
	if n == nil {
		return ""
	}
	s, ok := textOf(n)
	if !ok || !slices.Contains(names, s) {
		m.fault(key, "%q: allowed are %s%s", n.GetToken().Value, strings.Join(names, ", "), suggest.DidYouMean(s, names))
		return ""
	}
	return T(s)
}

// number reads a finite number that must be there.
func (m *mapping) number(key string) float64 {
	n := m.need(key, ": write a number")
	if n == nil {
		return 0
	}
	x, ok := numberOf(n)
	if !ok {
		m.fault(key, "a number is needed here%s", exponentHint(n))
	}
	return x
}

func numberOf(n ast.Node) (float64, bool) {
	switch n := n.(type) {
	case *ast.FloatNode:
		return n.Value, !math.IsInf(n.Value, 0) && !math.IsNaN(n.Value)
	case *ast.IntegerNode:
		switch v := n.Value.(type) {
		case int64:
			return float64(v), true
		case uint64:
			return float64(v), true
		}
	}
	return 0, false
}

// exponentHint helps with "1e8", which is text in YAML 1.1 and to the parser.
func exponentHint(n ast.Node) string {
	s, ok := textOf(n)
	mantissa, power, found := strings.Cut(s, "e")
	if !ok || !found || strings.Trim(mantissa+power, "0123456789+-") != "" {
		return ""
	}
	return ": write a point before the exponent, as in 1.0e+8"
}

// whole reads a whole number within limits.
func (m *mapping) whole(key string, low, high int) int {
	n := m.need(key, ": write a whole number")
	if n == nil {
		return 0
	}
	x, ok := numberOf(n)
	if _, whole := n.(*ast.IntegerNode); !ok || !whole || x < float64(low) || x > float64(high) {
		m.fault(key, "%s: allowed are whole numbers from %d to %d", n.GetToken().Value, low, high)
		return low
	}
	return int(x)
}

// flag reads true or false.
func (m *mapping) flag(key string) bool {
	n := m.need(key, ": write true or false")
	if n == nil {
		return false
	}
	b, ok := n.(*ast.BoolNode)
	if !ok {
		m.fault(key, "true or false is needed here")
		return false
	}
	return b.Value
}

// flagIf reads true or false, or what counts where nothing is said.
func (m *mapping) flagIf(key string, otherwise bool) bool {
	if !m.has(key) {
		return otherwise
	}
	return m.flag(key)
}

// list returns the items of a list that must be there.
func (m *mapping) list(key string) []ast.Node {
	n := m.need(key, ": write a list")
	if n == nil {
		return nil
	}
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		m.fault(key, "a list is needed here")
		return nil
	}
	return seq.Values
}

// texts reads a list of one or more words, each there once.
func (m *mapping) texts(key string) []string {
	items := m.list(key)
	if len(items) == 0 && m.has(key) {
		if _, ok := m.get(key).(*ast.SequenceNode); ok {
			m.fault(key, "the list is empty")
		}
	}
	var out []string
	for _, n := range items {
		s, ok := textOf(n)
		switch {
		case !ok || s == "":
			m.src.fault(place(n), "%s: %s: text is needed here", m.what, key)
		case slices.Contains(out, s):
			m.src.fault(place(n), "%s: %s: %q is there twice", m.what, key, s)
		}
		out = append(out, s)
	}
	return out
}

// textsIf reads a list of words that may be missing.
func (m *mapping) textsIf(key string) []string {
	if !m.has(key) {
		return nil
	}
	return m.texts(key)
}

// inner returns the mapping below a key that must be there, or nil after a fault.
func (m *mapping) inner(key, hint string) *mapping {
	n := m.need(key, hint)
	if n == nil {
		return nil
	}
	return m.src.mapping(n, m.what+": "+key)
}

// value reads whatever is there; a null, for what a paper does not print, may
// stand inside, not alone.
func (m *mapping) value(key string) Value {
	n := m.need(key, ": write what the paper has")
	if n == nil {
		return Value{}
	}
	v := m.src.value(n)
	if _, null := n.(*ast.NullNode); null {
		m.fault(key, "the value is missing: write one")
	}
	return v
}

// fields reads named values; none is fine.
func (m *mapping) fields(key string) Fields {
	n := m.need(key, ": write {} for none")
	if n == nil {
		return nil
	}
	v := m.src.value(n)
	if v.kind != valueFields {
		m.fault(key, "names with values are needed here")
	}
	return v.fields
}

func (s *source) value(n ast.Node) Value {
	switch n := n.(type) {
	case *ast.NullNode:
		return Value{}
	case *ast.BoolNode:
		return FlagValue(n.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return s.numberValue(n)
	case *ast.SequenceNode:
		v := Value{kind: valueList}
		for _, item := range n.Values {
			v.list = append(v.list, s.value(item))
		}
		return v
	case *ast.MappingNode:
		v := Value{kind: valueFields}
		for _, p := range n.Values {
			v.fields = append(v.fields, Field{p.Key.GetToken().Value, s.value(p.Value)})
		}
		return v
	}
	if text, ok := textOf(n); ok {
		return WordValue(text)
	}
	s.fault(place(n), "anchors, aliases and tags are not read: write the value itself")
	return Value{}
}

func (s *source) numberValue(n ast.Node) Value {
	x, ok := numberOf(n)
	if !ok {
		s.fault(place(n), "a finite number is needed here")
	}
	return Value{kind: valueNumber, number: x, text: n.GetToken().Value}
}
