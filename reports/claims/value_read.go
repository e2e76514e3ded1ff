package claims

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/yamldoc"
)

// Wanted says what to write for a value.
func (Value) Wanted() string { return "write what the paper has" }

// ReadYAML reads whatever is there. A null, for what a paper does not print, may
// stand inside, not alone.
func (v *Value) ReadYAML(n yamldoc.Node) {
	*v = valueIn(n)
	if _, null := n.Node.(*ast.NullNode); null {
		n.Fault("the value is missing: write one")
	}
}

// Wanted says what to write for named values.
func (Fields) Wanted() string { return "write {} for none" }

// ReadYAML reads named values; none is fine.
func (f *Fields) ReadYAML(n yamldoc.Node) {
	v := valueIn(n)
	if v.kind != valueFields {
		n.Fault("names with values are needed here")
	}
	*f = v.fields
}

func valueIn(n yamldoc.Node) Value {
	n.What = "" // the place says enough
	switch x := n.Node.(type) {
	case *ast.NullNode:
		return Value{}
	case *ast.BoolNode:
		return FlagValue(x.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		number, ok := n.Number()
		if !ok {
			n.Fault("a finite number is needed here")
		}
		return Value{kind: valueNumber, number: number, text: n.GetToken().Value}
	case *ast.SequenceNode:
		v := Value{kind: valueList}
		for _, item := range n.List() {
			v.list = append(v.list, valueIn(item))
		}
		return v
	case *ast.MappingNode:
		v := Value{kind: valueFields}
		for _, key := range n.Keys() {
			inner, _ := n.Get(key)
			v.fields = append(v.fields, Field{key, valueIn(inner)})
		}
		return v
	}
	text, ok := n.Text()
	if !ok {
		n.Fault("anchors, aliases and tags are not read: write the value itself")
	}
	return WordValue(text)
}
