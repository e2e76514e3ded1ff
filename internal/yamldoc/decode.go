package yamldoc

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Decode fills the struct that into points to, and says of all keys that it lacks. Keys that the file lacks
// keep what the struct holds. A whole number may be written as a fraction, which is
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
	errs := d.unknownKeys(reflect.TypeOf(into).Elem())
	if err := yaml.NodeToValue(d.file.Docs[0].Body, into); err != nil {
		errs = append(errs, d.badValues(err, reflect.TypeOf(into).Elem())...)
	}
	if n := len(errs) - MaxFaults; n > 0 {
		errs = append(slices.Clone(errs[:MaxFaults]), fmt.Errorf("%s: and %d more", d.Name, n))
	}
	return errors.Join(errs...)
}

// badValues returns an error for each key of the top level whose value cannot be decoded, or else the one that there is.
func (d *Document) badValues(first error, file reflect.Type) (out []error) {
	fields := levelOf(file)
	for _, p := range (Node{Node: d.file.Docs[0].Body}).pairs() {
		i := slices.IndexFunc(fields, func(f level) bool { return f.name == p.Key.GetToken().Value })
		if i < 0 {
			continue
		}
		if err := yaml.NodeToValue(p.Value, reflect.New(fields[i].of).Interface()); err != nil {
			out = append(out, d.place(err))
		}
	}
	if len(out) == 0 {
		return []error{d.place(first)}
	}
	return out
}

// key is a key that a file may have, and the key that it stands under.
type key struct{ name, under string }

// keysOf lists the keys of a type of files.
func keysOf(t reflect.Type, under string) (out []key) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		inner := t.Field(i).Type
		if options == "inline" {
			out = append(out, keysOf(inner, under)...)
			continue
		}
		if name == "" {
			continue
		}
		out = append(out, key{name, under})
		for slices.Contains([]reflect.Kind{reflect.Slice, reflect.Map, reflect.Pointer}, inner.Kind()) {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			out = append(out, keysOf(inner, name)...)
		}
	}
	return out
}
