package syntax

import (
	"fmt"
	"slices"
	"strings"
)

// Bounds on what Parse takes, so that no source can exhaust the stack or the
// memory of what reads it. All are far above what fits a program.
const (
	MaxSource  = 1 << 20 // bytes of a source
	MaxNesting = 64      // parentheses, braces and operands within each other
	MaxExpr    = 512     // operators and operands of one statement or declaration
	MaxName    = 255     // bytes of a name or a number
)

// Parse reads a source. The name of the file only goes into positions. The
// error is an *Error: the first place where the source leaves the grammar.
func Parse(file, src string) (*File, error) {
	p := &parser{lex: lexer{src: strings.TrimPrefix(src, byteOrderMark), pos: Pos{File: file, Line: 1, Col: 1}}}
	if len(src) > MaxSource {
		return nil, &Error{Pos: p.lex.pos, Msg: fmt.Sprintf("the source has %d bytes, more than %d", len(src), MaxSource)}
	}
	p.tok, p.ahead = p.lex.next(), p.lex.next()
	f := &File{Name: file}
	for p.tok.kind != kindEOF {
		f.Decls = append(f.Decls, p.decl())
	}
	if err := p.failure(); err != nil {
		return nil, err
	}
	return f, nil
}

// A parser holds one token and one token ahead. After an error both are end of
// file, so that every loop ends.
type parser struct {
	lex   lexer
	tok   token
	ahead token
	fail  *Error
	depth int
	nodes int // of the expressions of the statement or declaration being read
}

// failure returns the error that comes first in the source: the lexer is one
// token ahead of the parser.
func (p *parser) failure() error {
	switch {
	case p.fail != nil:
		return p.fail
	case p.lex.fail != nil:
		return p.lex.fail
	}
	return nil
}

func (p *parser) errorf(pos Pos, format string, args ...any) {
	// An end of file that the lexer's error made is not worth an error.
	if p.fail == nil && (p.lex.fail == nil || p.tok.kind != kindEOF) {
		p.fail = &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
	}
	p.tok = token{kind: kindEOF, pos: p.tok.pos}
	p.ahead = p.tok
	p.lex.off = len(p.lex.src)
}

func (p *parser) failed() bool { return p.fail != nil }

// advance returns the current token and moves to the next.
func (p *parser) advance() token {
	t := p.tok
	p.tok = p.ahead
	if p.fail == nil {
		p.ahead = p.lex.next()
	}
	return t
}

func (p *parser) peekIs(k string) bool { return p.tok.kind == kind(k) }

// word reports whether the current token is a word that is not reserved.
func (p *parser) word(s string) bool { return p.tok.kind == kindIdent && p.tok.text == s }

// accept moves over a token of this spelling.
func (p *parser) accept(k string) bool {
	if !p.peekIs(k) {
		return false
	}
	p.advance()
	return true
}

// expect is accept, or an error that says where the token is missing.
func (p *parser) expect(k, where string) Pos {
	pos := p.tok.pos
	if !p.accept(k) {
		p.errorf(pos, "expected %q %s, found %v", k, where, p.tok)
	}
	return pos
}

func (p *parser) name(what string) string {
	if p.tok.kind != kindIdent {
		p.errorf(p.tok.pos, "expected %s, found %v", what, p.describe())
		return ""
	}
	return p.advance().text
}

// describe is the current token, with a hint where a keyword stands for a name.
func (p *parser) describe() string {
	if slices.Contains(keywords, p.tok.text) {
		return p.tok.String() + ", which is a keyword"
	}
	return p.tok.String()
}

// enter bounds the nesting; each enter has its leave.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > MaxNesting {
		p.errorf(p.tok.pos, "nested more than %d deep", MaxNesting)
		return false
	}
	return true
}

func (p *parser) leave() { p.depth-- }
