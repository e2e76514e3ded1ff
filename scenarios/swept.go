package scenarios

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/internal/yamldoc"
)

// sweepPart is the sweep of a document with axes of the command line, "key=value,value": each takes the place of the
// axis of its key, or stands behind all others.
func (d *document) sweepPart(given []string) (part, error) {
	all := slices.Clone(d.raw().Sweep)
	for _, g := range given {
		entry, err := d.axisOf(g)
		if err != nil {
			return part{}, err
		}
		i := slices.IndexFunc(all, func(o yaml.MapSlice) bool {
			return slices.ContainsFunc(o, func(item yaml.MapItem) bool { return item.Key == entry[0].Key })
		})
		switch {
		case i < 0:
			all = append(all, entry)
		case len(all[i]) > 1:
			return part{}, fmt.Errorf("--sweep %s: %s sweeps it in step with other keys: change the sweep there, or leave it out", g, d.name)
		default:
			all[i] = entry
		}
	}
	text, err := yaml.MarshalWithOptions(map[string]any{"sweep": all}, yaml.Flow(true))
	if err != nil {
		return part{}, err
	}
	doc := &yamldoc.Document{Name: "--sweep " + strings.Join(given, " --sweep "), Inline: true}
	return part{Document: doc, set: "sweep"}, doc.Parse(text)
}

// axisOf reads "key=value,value". A key that holds a list has one value in each point, unless lists are written.
func (d *document) axisOf(given string) (yaml.MapSlice, error) {
	key, text, ok := strings.Cut(given, "=")
	if !ok || key == "" || strings.TrimSpace(text) == "" || strings.ContainsAny(given, "\r\n") {
		return nil, fmt.Errorf("--sweep %q: write key=values, as in --sweep trio.window=16,64,256", given)
	}
	list := &yamldoc.Document{Name: "--sweep " + given, Inline: true}
	if err := list.Parse([]byte("values: [" + text + "]\n")); err != nil {
		return nil, err
	}
	var read struct {
		Values []any `yaml:"values"`
	}
	if err := list.Decode(&read); err != nil {
		return nil, err
	}
	if len(read.Values) == 0 {
		return nil, errors.New("--sweep " + given + ": it has no values")
	}
	if t := typeAt(d.file.Elem().Type(), strings.Split(key, ".")); t != nil && t.Kind() == reflect.Slice {
		for i, v := range read.Values {
			if _, isList := v.([]any); !isList {
				read.Values[i] = []any{v}
			}
		}
	}
	return yaml.MapSlice{{Key: key, Value: read.Values}}, nil
}

// typeAt returns the type of the value at a path of a file, or nil.
func typeAt(t reflect.Type, path []string) reflect.Type {
	for _, key := range path {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return nil
		}
		fields := reflect.VisibleFields(t)
		i := fieldOf(fields, key)
		if i < 0 {
			return nil
		}
		t = fields[i].Type
	}
	return t
}
