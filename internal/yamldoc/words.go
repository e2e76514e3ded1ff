package yamldoc

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// describe says what the parser or the decoder found, in words of the one who wrote the file.
func describe(err yaml.Error) string {
	var (
		kind     *yaml.TypeError
		overflow *yaml.OverflowError
		node     *yaml.UnexpectedNodeTypeError
	)
	switch {
	case errors.As(err, &kind):
		return needed(kind.DstType) + " is needed here"
	case errors.As(err, &overflow):
		return needed(overflow.DstType) + " is needed here"
	case errors.As(err, &node):
		return neededNode(node.Expected)
	}
	message := err.GetMessage()
	var name string
	var line, col int
	if n, _ := fmt.Sscanf(message, "mapping key %q already defined at [%d:%d]", &name, &line, &col); n == 3 {
		return fmt.Sprintf("key %q is there twice: line %d has it already", name, line)
	}
	for _, w := range parserWords {
		if strings.Contains(message, w.theirs) {
			return w.ours
		}
	}
	return "this cannot be read: check indents, quotes, brackets, and colons"
}

// parserWords are messages of the parser, and the same for people; the first one that fits counts.
var parserWords = []struct{ theirs, ours string }{
	{"',' or ']' must be specified", "a comma or ] is needed here; inside {} and [], text of several lines must be in quotes"},
	{"',' or '}' must be specified", "a comma or } is needed here; inside {} and [], text of several lines must be in quotes"},
	{"end token ']' not found", "the list that begins here lacks its ]"},
	{"end token '}'", "the mapping that begins here lacks its }"},
	{"could not find flow map content", "the mapping lacks its }"},
	{"corresponding to ']'", "there is no [ for this ]"},
	{"corresponding to '}'", "there is no { for this }"},
	{"found ','", "there is nothing before this comma"},
	{"double-quoted text", "the text that begins here lacks its closing \""},
	{"single-quoted text", "the text that begins here lacks its closing '"},
	{"found character '\t'", "a tab stands here: indent with blanks"},
	{"tab character", "a tab stands here: indent with blanks"},
	{"that cannot start any token", "no value begins with this character: put text in quotes"},
	{"mapping value is not allowed in this context", "a second colon belongs to this value: put text with a colon in quotes, or mind the indent of the next line"},
	{"map key-value is pre-defined", "this line is indented more than the one before, which has a value already"},
	{"non-map value", "a key with a value is needed here, as in hosts: 6"},
	{"unexpected key name", "the key lacks its colon, as in hosts: 6"},
	{"implicit line break", "the key goes over several lines: write it in one, with a colon behind it"},
	{"block sequence entries", "a list with - begins in a line of its own"},
	{"invalid header option", "behind | or > stands nothing but a number or a sign: text begins in the next line"},
	{"number of indent", "the text of several lines is indented unevenly"},
	{"anchor", "anchors and aliases are not read: write the value itself wherever it is wanted"},
	{"alias", "aliases are not read: write the value itself"},
	{"tag", "tags are not read: write the value itself"},
	{"directive", "directives are not read: leave the line with % out"},
}

// neededNode says what a value must be.
func neededNode(t ast.NodeType) string {
	switch t {
	case ast.MappingType:
		return "keys with values are needed here, as in {hosts: 6}"
	case ast.SequenceType:
		return "a list is needed here, as in [a, b]"
	}
	return "one value is needed here"
}

func needed(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Uint64:
		return "a whole number, not negative,"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	}
	return "one value"
}
