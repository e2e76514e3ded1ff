package syntax

import (
	"fmt"
	"strings"
)

// A Pos is a place in a source. Lines and columns count from 1, columns in
// bytes.
type Pos struct {
	File string
	Line int
	Col  int
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Position returns p. A node of the tree embeds the place where it starts.
func (p Pos) Position() Pos { return p }

// An Error is one reason why a source is no program. Rule and Source are empty
// where the message says it all.
type Error struct {
	Pos    Pos
	Msg    string
	Rule   string // the rule that is broken, such as "an instruction reads at most 4 registers"
	Source string // where the rule comes from, such as "trio §3.1"; "assumed" if no source states it
}

// Error returns "file:line:col: message (rule: ...; source)".
func (e *Error) Error() string {
	s := e.Pos.String() + ": " + e.Msg
	switch {
	case e.Rule != "" && e.Source != "":
		return s + " (rule: " + e.Rule + "; " + e.Source + ")"
	case e.Rule != "":
		return s + " (rule: " + e.Rule + ")"
	}
	return s
}

// Errors is what was found in one source, in the order of the source.
type Errors []*Error

// Error returns one line for each error.
func (l Errors) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.As each of the errors.
func (l Errors) Unwrap() []error {
	out := make([]error, len(l))
	for i, e := range l {
		out[i] = e
	}
	return out
}
