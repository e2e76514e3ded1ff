package yamldoc

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/suggest"
)

// Decode fills the struct that into points to. Keys that the file lacks keep
// what the struct holds. A whole number may be written as a fraction, which is
// cut off.
func (d *Document) Decode(into any) error {
	for _, refused := range []struct {
		kind    ast.NodeType
		message string
	}{
		// A null would leave the zero value, or what an override was to replace.
		{ast.NullType, "the value is missing: write one, or leave the key out"},
		{ast.TagType, "tags are not read: write the value itself"},
		// A few lines of aliases of aliases stand for millions of values.
		{ast.AnchorType, "anchors and aliases are not read: write the value itself wherever it is wanted"},
		{ast.AliasType, "aliases are not read: write the value itself"},
	} {
		if found := ast.FilterFile(refused.kind, d.file); len(found) > 0 {
			return d.errorAt(found[0].GetToken().Position, refused.message)
		}
	}
	err := yaml.NodeToValue(d.file.Docs[0].Body, into, yaml.Strict())
	if err == nil {
		return nil
	}
	return d.place(err, reflect.TypeOf(into).Elem())
}

// describe says what the parser or the decoder found without the names of Go types.
func describe(err yaml.Error, file reflect.Type) string {
	var (
		kind     *yaml.TypeError
		overflow *yaml.OverflowError
	)
	switch {
	case errors.As(err, &kind):
		return needed(kind.DstType) + " is needed here"
	case errors.As(err, &overflow):
		return needed(overflow.DstType) + " is needed here"
	}
	message := err.GetMessage()
	if unknown, ok := strings.CutPrefix(message, "unknown field "); ok {
		return "unknown key " + unknown + keyHint(strings.Trim(unknown, `"`), keysOf(file, ""))
	}
	if strings.Contains(message, "must be specified") {
		message += "; inside {} and [], text of several lines must be in quotes"
	}
	return message
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

// key is a key that a file may have, and the key that it stands under.
type key struct{ name, under string }

// keysOf lists the keys of a type of files.
func keysOf(t reflect.Type, under string) (out []key) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		out = append(out, key{name, under})
		inner := t.Field(i).Type
		for slices.Contains([]reflect.Kind{reflect.Slice, reflect.Map, reflect.Pointer}, inner.Kind()) {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			out = append(out, keysOf(inner, name)...)
		}
	}
	return out
}

// keyHint says where an unknown key belongs, or which one may have been meant.
func keyHint(name string, keys []key) string {
	var places, names []string
	for _, k := range keys {
		names = append(names, k.name)
		switch {
		case k.name == name && k.under == "":
			places = append(places, "at the top level")
		case k.name == name:
			places = append(places, "under "+k.under)
		}
	}
	if len(places) > 0 {
		return ": it belongs " + strings.Join(slices.Compact(places), " or ")
	}
	return suggest.DidYouMean(name, names)
}
