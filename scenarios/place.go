package scenarios

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"
)

// at is "file:line:col: message" with the line quoted below. An override is one
// line that its name already quotes.
func (p part) at(pos *token.Position, message string) error {
	if p.set != "" {
		return fmt.Errorf("%s: %s", p.name, message)
	}
	quoted := ""
	if lines := strings.Split(string(p.text), "\n"); pos.Line >= 1 && pos.Line <= len(lines) {
		quoted = fmt.Sprintf("\n  %s\n  %s^", strings.TrimRight(lines[pos.Line-1], "\r"), strings.Repeat(" ", max(0, pos.Column-1)))
	}
	return fmt.Errorf("%s:%d:%d: %s%s", p.name, pos.Line, pos.Column, message, quoted)
}

// describe says what the decoder found without the names of Go types.
func describe(err error, message string, keys []key) string {
	var (
		kind     *yaml.TypeError
		overflow *yaml.OverflowError
	)
	switch {
	case errors.As(err, &kind):
		return needed(kind.DstType)
	case errors.As(err, &overflow):
		return needed(overflow.DstType)
	}
	if unknown, ok := strings.CutPrefix(message, "unknown field "); ok {
		return "unknown key " + unknown + keyHint(strings.Trim(unknown, `"`), keys)
	}
	return message
}

func needed(t reflect.Type) string {
	what := "one value"
	switch t.Kind() {
	case reflect.Uint64:
		what = "a whole number, not negative,"
	case reflect.Int:
		what = "a whole number"
	case reflect.Bool:
		what = "true or false"
	}
	return what + " is needed here"
}
