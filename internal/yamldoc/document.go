package yamldoc

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// MaxFaults is how many faults of one file are listed; the others are counted.
const MaxFaults = 20

// Limits of a file. The parser takes time that grows with the square of both: they keep it below some seconds.
const (
	MaxSize  = 1 << 20 // bytes
	MaxDepth = 500     // of lists and mappings in one another
)

// ErrEmpty is wrapped by the error of [Document.Parse] for a file without content.
var ErrEmpty = errors.New("the file is empty")

// Document is a file that is being read.
type Document struct {
	Name   string // in errors
	Inline bool   // the name quotes the text, as of an argument: errors give no line

	lines  []string
	file   *ast.File
	faults []error
}

// Parse reads the syntax of the file. It comes before all other methods.
func (d *Document) Parse(text []byte) (err error) {
	if len(text) > MaxSize {
		return fmt.Errorf("%s: the file is larger than the %d bytes that are read", d.Name, MaxSize)
	}
	d.lines = strings.Split(string(text), "\n")
	if line := tooDeep(d.lines); line > 0 {
		return fmt.Errorf("%s:%d: more than %d lists and mappings stand in one another", d.Name, line, MaxDepth)
	}
	d.file, err = parser.ParseBytes(text, 0)
	switch {
	case err != nil:
		return d.place(err)
	case len(d.file.Docs) == 0 || d.file.Docs[0].Body == nil:
		return fmt.Errorf("%s: %w", d.Name, ErrEmpty)
	case len(d.file.Docs) > 1:
		return d.second(d.file.Docs[1])
	}
	return nil
}

// second says where a second document begins: after a line with ---, or behind one with three points.
func (d *Document) second(doc *ast.DocumentNode) error {
	const message = "a second document begins: a file holds one"
	switch {
	case doc.Start != nil:
		return d.errorAt(doc.Start.Position, message)
	case doc.Body != nil:
		return d.errorAt(Node{Node: doc.Body}.Position(), message)
	}
	return fmt.Errorf("%s: %s", d.Name, message)
}

// place gives an error of the parser or of the decoder its place.
func (d *Document) place(err error) error {
	var placed yaml.Error
	if !errors.As(err, &placed) || placed.GetToken() == nil {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	return d.errorAt(placed.GetToken().Position, describe(placed))
}

// errorAt is "file:line:col: message" with the line quoted below.
func (d *Document) errorAt(pos *token.Position, message string) error {
	if d.Inline {
		return fmt.Errorf("%s: %s", d.Name, message)
	}
	quoted := ""
	if pos.Line >= 1 && pos.Line <= len(d.lines) {
		quoted = fmt.Sprintf("\n  %s\n  %s^", strings.TrimRight(d.lines[pos.Line-1], "\r"), strings.Repeat(" ", max(0, pos.Column-1)))
	}
	return fmt.Errorf("%s:%d:%d: %s%s", d.Name, pos.Line, pos.Column, message, quoted)
}

// Find returns the value at a path such as "systems[1].topology"; "" is the
// whole file.
func (d *Document) Find(path string) (Node, bool) {
	if path == "" {
		return Node{d.file.Docs[0].Body, "the file", d}, true
	}
	at, err := yaml.PathString("$." + path)
	if err != nil {
		return Node{}, false
	}
	n, err := at.FilterFile(d.file)
	return Node{n, "", d}, err == nil && n != nil
}

// Err joins the faults found so far, the first [MaxFaults] of them.
func (d *Document) Err() error {
	if n := len(d.faults) - MaxFaults; n > 0 {
		return errors.Join(append(slices.Clone(d.faults[:MaxFaults]), fmt.Errorf("%s: and %d more", d.Name, n))...)
	}
	return errors.Join(d.faults...)
}

// tooDeep returns the line from which on lists and mappings stand too deep in one another, or 0. It
// takes text in quotes of several lines, and in blocks, for lists and mappings, too.
func tooDeep(lines []string) int {
	depth := 0
	for i, line := range lines {
		quote, dashes := rune(0), 0
		for k, c := range withoutComment(line) {
			switch {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == '[' || c == '{':
				depth++
			case (c == ']' || c == '}') && depth > 0:
				depth--
			case (c == '-' || c == '?') && strings.Trim(line[:k], "-? ") == "":
				dashes++
			}
			if depth+dashes > MaxDepth {
				return i + 1
			}
		}
	}
	return 0
}

// withoutComment cuts off a comment. It takes one in quotes for one, too.
func withoutComment(line string) string {
	if strings.HasPrefix(line, "#") {
		return ""
	}
	text, _, _ := strings.Cut(line, " #")
	return text
}
