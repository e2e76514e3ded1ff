package yamldoc

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/suggest"
)

// Mapping is a mapping of a file. It notes which keys it is asked for: the
// others are unknown.
type Mapping struct {
	Node
	Keys  []string // in the order of the file
	pairs []*ast.MappingValueNode
	asked []string
}

// Mapping returns the value as a mapping, or nil after a fault.
func (n Node) Mapping() *Mapping {
	x, ok := n.Node.(*ast.MappingNode)
	if !ok {
		n.Fault("keys with values are needed here")
		return nil
	}
	m := &Mapping{Node: n, pairs: x.Values}
	for _, p := range m.pairs {
		m.Keys = append(m.Keys, p.Key.GetToken().Value)
	}
	return m
}

// Get returns the value of a key.
func (m *Mapping) Get(key string) (n Node, ok bool) {
	m.asked = append(m.asked, key)
	i := slices.Index(m.Keys, key)
	if i < 0 {
		return Node{}, false
	}
	return Node{m.pairs[i].Value, m.What + ": " + key, m.Doc}, true
}

// Has reports whether a key is there.
func (m *Mapping) Has(key string) bool {
	_, ok := m.Get(key)
	return ok
}

// Need returns the value of a key; that there is none is a fault. The hint says
// what to write.
func (m *Mapping) Need(key, hint string) (Node, bool) {
	n, ok := m.Get(key)
	if !ok {
		m.Fault("%s is missing: %s", key, hint)
	}
	return n, ok
}

// Items returns the items of a list that must be there.
func (m *Mapping) Items(key string) []Node {
	if n, ok := m.Need(key, "write a list"); ok {
		return n.List()
	}
	return nil
}

// FaultAt records what is wrong with the value of a key that is there.
func (m *Mapping) FaultAt(key, format string, args ...any) {
	if n, ok := m.Get(key); ok {
		n.Fault(format, args...)
	}
}

// Close records every key that was never asked for.
func (m *Mapping) Close() {
	for i, key := range m.Keys {
		if !slices.Contains(m.asked, key) {
			Node{m.pairs[i].Key, m.What, m.Doc}.Fault("unknown key %q%s", key, suggest.DidYouMean(key, m.asked))
		}
	}
}
