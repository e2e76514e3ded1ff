package yamldoc

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/inalab/inalab/internal/suggest"
)

// Node is a value of a document.
type Node struct {
	ast.Node
	What string // its name in errors: "claim trio.fig13: check"; "" for none
	Doc  *Document
}

// Errorf returns an error that says where the value stands, and its name.
func (n Node) Errorf(format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if n.What != "" {
		message = n.What + ": " + message
	}
	return n.Doc.errorAt(n.Position(), message)
}

// Fault records what is wrong with the value.
func (n Node) Fault(format string, args ...any) {
	n.Doc.faults = append(n.Doc.faults, n.Errorf(format, args...))
}

// Position returns where the value begins. The parser gives the first colon of
// a mapping in block style, which begins with its first key.
func (n Node) Position() *token.Position {
	if m, ok := n.Node.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return m.Values[0].Key.GetToken().Position
	}
	return n.GetToken().Position
}

// pairs returns the keys and values of a mapping.
func (n Node) pairs() []*ast.MappingValueNode {
	m, ok := n.Node.(*ast.MappingNode)
	if !ok {
		return nil
	}
	return m.Values
}

// Keys returns the keys of a mapping in the order of the file.
func (n Node) Keys() (keys []string) {
	for _, p := range n.pairs() {
		keys = append(keys, p.Key.GetToken().Value)
	}
	return keys
}

// Get returns the value of a key of a mapping.
func (n Node) Get(key string) (Node, bool) {
	for _, p := range n.pairs() {
		if p.Key.GetToken().Value == key {
			return Node{p.Value, n.What + ": " + key, n.Doc}, true
		}
	}
	return Node{}, false
}

// Key returns a key of a mapping itself.
func (n Node) Key(key string) (Node, bool) {
	for _, p := range n.pairs() {
		if p.Key.GetToken().Value == key {
			return Node{p.Key, "", n.Doc}, true
		}
	}
	return Node{}, false
}

// FaultAt records what is wrong with the value of a key that is there.
func (n Node) FaultAt(key, format string, args ...any) {
	if value, ok := n.Get(key); ok {
		value.Fault(format, args...)
	}
}

// List returns the items of a list, or nil after a fault.
func (n Node) List() []Node {
	list, ok := n.Node.(*ast.SequenceNode)
	if !ok {
		n.Fault("a list is needed here")
		return nil
	}
	items := make([]Node, len(list.Values))
	for i, item := range list.Values {
		items[i] = Node{item, n.What, n.Doc}
	}
	return items
}

// Text returns the value where it is text.
func (n Node) Text() (string, bool) {
	switch n := n.Node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

// Word returns the value where it is one of the words, or "" after a fault.
func (n Node) Word(allowed []string) string {
	s, _ := n.Text()
	if !slices.Contains(allowed, s) {
		n.Fault("%q: allowed are %s%s", n.GetToken().Value, strings.Join(allowed, ", "), suggest.DidYouMean(s, allowed))
		return ""
	}
	return s
}

// Number returns the value where it is a finite number.
func (n Node) Number() (x float64, ok bool) {
	if t := n.Type(); t != ast.IntegerType && t != ast.FloatType {
		return 0, false
	}
	err := yaml.NodeToValue(n.Node, &x)
	return x, err == nil && !math.IsInf(x, 0)
}
