package syntax

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A lexer cuts a source into tokens. After its first error it returns only
// end-of-file tokens.
type lexer struct {
	src  string
	off  int
	pos  Pos
	fail *Error
}

func (l *lexer) errorf(pos Pos, format string, args ...any) token {
	if l.fail == nil {
		l.fail = &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
	}
	l.off = len(l.src)
	return token{kind: kindEOF, pos: pos}
}

// advance moves over n bytes.
func (l *lexer) advance(n int) {
	for i := range n {
		if l.src[l.off+i] == '\n' {
			l.pos.Line++
			l.pos.Col = 0
		}
		l.pos.Col++
	}
	l.off += n
}

// next returns the token at the current offset and moves behind it.
func (l *lexer) next() token {
	if !l.skipSpace() || l.off >= len(l.src) {
		return token{kind: kindEOF, pos: l.pos}
	}
	start, pos, c := l.off, l.pos, l.src[l.off]
	switch {
	case isLetter(c):
		n := l.run(func(c byte) bool { return isLetter(c) || isDigit(c) })
		l.advance(n)
		text := l.src[start:l.off]
		if n > MaxName {
			return l.errorf(pos, "a name of %d bytes; at most %d", n, MaxName)
		}
		if slices.Contains(keywords, text) {
			return token{kind: kind(text), text: text, pos: pos}
		}
		return token{kind: kindIdent, text: text, pos: pos}
	case isDigit(c):
		return l.number()
	}
	for _, op := range operators {
		if strings.HasPrefix(l.src[l.off:], op) {
			l.advance(len(op))
			return token{kind: kind(op), text: op, pos: pos}
		}
	}
	return l.foreign()
}

// foreign says what stands where no token can start.
func (l *lexer) foreign() token {
	r, _ := utf8.DecodeRuneInString(l.src[l.off:])
	switch c := l.src[l.off]; {
	case l.off == 0 && (strings.HasPrefix(l.src, "\xff\xfe") || strings.HasPrefix(l.src, "\xfe\xff")):
		return l.errorf(l.pos, "the source is UTF-16; save it as UTF-8")
	case c == '"' || c == '\'':
		return l.errorf(l.pos, "%c: the language has no strings and no characters; write numbers", c)
	case c < ' ' || r == utf8.RuneError:
		return l.errorf(l.pos, "byte %#02x is not part of the language", c)
	}
	return l.errorf(l.pos, "character %q is not part of the language", r)
}

// byteOrderMark is what some editors put before the first character of a text. It
// is skipped, and is in no column.
const byteOrderMark = "\ufeff"

// number reads a decimal, 0x or 0b number, with _ allowed between digits. A
// leading zero is refused: octal is not in the language and must not pass for
// decimal.
func (l *lexer) number() token {
	pos := l.pos
	n := l.run(func(c byte) bool { return isLetter(c) || isDigit(c) })
	text := l.src[l.off : l.off+n]
	l.advance(n)
	if n > MaxName {
		return l.errorf(pos, "a number of %d characters; at most %d", n, MaxName)
	}
	if len(text) > 1 && text[0] == '0' && isDigit(text[1]) {
		return l.errorf(pos, "number %q starts with 0; write decimal without leading zeros, or 0x or 0b", text)
	}
	if strings.HasPrefix(strings.ToLower(text), "0o") {
		return l.errorf(pos, "number %q is octal; write decimal, 0x or 0b", text)
	}
	v, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return l.errorf(pos, "number %q is not a decimal, 0x or 0b number of at most 64 bits", text)
	}
	return token{kind: kindNumber, text: text, value: v, pos: pos}
}

// run counts the bytes from here on that belong.
func (l *lexer) run(belongs func(byte) bool) int {
	n := 0
	for l.off+n < len(l.src) && belongs(l.src[l.off+n]) {
		n++
	}
	return n
}

// skipSpace moves over blanks and comments; false after an open comment.
func (l *lexer) skipSpace() bool {
	for l.off < len(l.src) {
		rest := l.src[l.off:]
		switch {
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			l.advance(n)
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				l.errorf(l.pos, "the comment that starts here has no end; close it with */")
				return false
			}
			l.advance(n + 4)
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n':
			l.advance(1)
		default:
			return true
		}
	}
	return true
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
