package claims

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/inalab/inalab/internal/suggest"
)

// mostFaults is how many faults of one file are told at once.
const mostFaults = 20

// source is one file: its lines, to quote them, and what is wrong with it.
type source struct {
	name   string
	lines  []string
	faults []error
}

// parse returns the file and the mapping at its top.
func parse(name string, text []byte) (*source, *mapping, error) {
	src := &source{name: name, lines: strings.Split(string(text), "\n")}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, nil, src.unreadable(err)
	}
	switch {
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		return nil, nil, fmt.Errorf("%s: the file is empty", name)
	case len(file.Docs) > 1:
		return nil, nil, src.at(file.Docs[1].Start.Position, "a second document begins: a file holds one")
	}
	top := src.mapping(file.Docs[0].Body, "the file")
	if top == nil {
		return nil, nil, src.err()
	}
	return src, top, nil
}

// unreadable gives an error of the parser its place.
func (s *source) unreadable(err error) error {
	var placed yaml.Error
	if !errors.As(err, &placed) || placed.GetToken() == nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	message := placed.GetMessage()
	if strings.Contains(message, "must be specified") {
		message += "; inside {} and [], text of several lines must be in quotes"
	}
	return s.at(placed.GetToken().Position, message)
}

// at is "file:line:col: message" with the line quoted below.
func (s *source) at(pos *token.Position, message string) error {
	quoted := ""
	if pos.Line >= 1 && pos.Line <= len(s.lines) {
		quoted = fmt.Sprintf("\n  %s\n  %s^", strings.TrimRight(s.lines[pos.Line-1], "\r"), strings.Repeat(" ", max(0, pos.Column-1)))
	}
	return fmt.Errorf("%s:%d:%d: %s%s", s.name, pos.Line, pos.Column, message, quoted)
}

func (s *source) fault(pos *token.Position, format string, args ...any) {
	s.faults = append(s.faults, s.at(pos, fmt.Sprintf(format, args...)))
}

// err joins the faults, the first ones of many.
func (s *source) err() error {
	if n := len(s.faults) - mostFaults; n > 0 {
		return errors.Join(append(slices.Clone(s.faults[:mostFaults]), fmt.Errorf("%s: and %d more", s.name, n))...)
	}
	return errors.Join(s.faults...)
}

// mapping is a mapping of a file that takes down which keys it was asked for:
// what is left over in the end is unknown.
type mapping struct {
	src   *source
	what  string // in errors: "claim trio.fig13"
	pos   *token.Position
	pairs []*ast.MappingValueNode
	asked []string
}

// mapping returns n as a mapping, or nil after a fault.
func (s *source) mapping(n ast.Node, what string) *mapping {
	m := &mapping{src: s, what: what, pos: n.GetToken().Position}
	switch n := n.(type) {
	case *ast.MappingNode:
		m.pairs = n.Values
	case *ast.MappingValueNode:
		m.pairs = []*ast.MappingValueNode{n}
	default:
		s.fault(m.pos, "%s: keys with values are needed here", what)
		return nil
	}
	if len(m.pairs) > 0 && m.src.blockStyle(n) {
		m.pos = m.pairs[0].Key.GetToken().Position // the parser gives the first colon
	}
	return m
}

func (s *source) blockStyle(n ast.Node) bool {
	m, ok := n.(*ast.MappingNode)
	return !ok || !m.IsFlowStyle
}

// get returns the value of a key, or nil.
func (m *mapping) get(key string) ast.Node {
	if !slices.Contains(m.asked, key) {
		m.asked = append(m.asked, key)
	}
	for _, p := range m.pairs {
		if p.Key.GetToken().Value == key {
			return p.Value
		}
	}
	return nil
}

func (m *mapping) has(key string) bool { return m.get(key) != nil }

// need returns the value of a key that must be there, or nil after a fault.
func (m *mapping) need(key, hint string) ast.Node {
	n := m.get(key)
	if n == nil {
		m.src.fault(m.pos, "%s: %s is missing%s", m.what, key, hint)
	}
	return n
}

// fault reports what is wrong with the value of a key, where it stands.
func (m *mapping) fault(key, format string, args ...any) {
	pos := m.pos
	if n := m.get(key); n != nil {
		pos = place(n)
	}
	m.src.fault(pos, "%s: %s: %s", m.what, key, fmt.Sprintf(format, args...))
}

// close reports the keys that nobody asked for.
func (m *mapping) close() {
	for _, p := range m.pairs {
		at := p.Key.GetToken()
		if !slices.Contains(m.asked, at.Value) {
			m.src.fault(at.Position, "%s: unknown key %q%s", m.what, at.Value, suggest.DidYouMean(at.Value, m.asked))
		}
	}
}

// place is where a value begins.
func place(n ast.Node) *token.Position {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return m.Values[0].Key.GetToken().Position
	}
	return n.GetToken().Position
}
