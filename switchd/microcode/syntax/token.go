package syntax

import "strconv"

// A kind is the class of a token. Operators, punctuation and keywords are
// their own class, named by their spelling.
type kind string

const (
	kindEOF    kind = "end of file"
	kindIdent  kind = "name"
	kindNumber kind = "number"
)

type token struct {
	kind  kind
	text  string // spelling
	value uint64 // of a number
	pos   Pos
}

func (t token) String() string {
	switch t.kind {
	case kindEOF:
		return string(kindEOF)
	case kindIdent, kindNumber:
		return string(t.kind) + " " + strconv.Quote(t.text)
	}
	return strconv.Quote(t.text)
}

// keywords are reserved everywhere. The words that only open a declaration
// (packet, timer, event, statistics, entry, counter, policer, sram, dram, hash, fields,
// route, filter) are not.
var keywords = []string{
	"struct", "union", "const", "virtual", "bus", "register", "lmem", "memory", "export",
	"begin", "end", "if", "else", "goto", "switch", "case", "default", "break",
	"call", "return", "exit", "async", "sizeof", "offsetof", "true", "false",
}

// operators are tried in this order: the longest spelling first.
var operators = []string{
	"<<=", ">>=",
	"->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"+=", "-=", "&=", "|=", "^=",
	"{", "}", "(", ")", "[", "]", ";", ":", ",", ".", "?", "@",
	"=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~",
}
