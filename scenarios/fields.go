package scenarios

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/harness/job"
)

// Field is a key of scenario files, for people.
type Field struct {
	Key     string
	Kind    string   // type or unit
	Missing string   // what holds where it is left out; empty: it is needed
	Allowed string   // empty: any of its kind
	Text    string   // empty: nobody has said anything
	Systems []string // that read it; empty: all files have it
}

// Section is a mapping of scenario files, and where it may stand.
type Section struct {
	Name   string
	Places []string
	Fields []Field
}

// Fields lists every key of scenario files that may run the systems: those of all files, then
// the sections of the systems.
func Fields(systems []job.System) ([]Section, error) {
	schema, err := newSchema(systems)
	if err != nil {
		return nil, err
	}
	w := fieldWalk{defaults: map[string]any{}}
	if err := yaml.Unmarshal(defaults, &w.defaults); err != nil {
		return nil, err
	}
	w.visit("scenario", "", reflect.TypeFor[raw]())
	for i := 0; i < len(w.types); i++ { // which grows
		w.fields(i)
	}
	return append(w.sections, w.knobs(schema, systems)...), nil
}

// fieldWalk meets each type of a file once.
type fieldWalk struct {
	defaults map[string]any
	types    []reflect.Type
	sections []Section // of types
}

// visit notes that a type stands at a place.
func (w *fieldWalk) visit(name, place string, t reflect.Type) {
	i := slices.Index(w.types, t)
	if i < 0 {
		i = len(w.types)
		w.types = append(w.types, t)
		w.sections = append(w.sections, Section{Name: name})
	}
	if s := &w.sections[i]; place != "" && !slices.Contains(s.Places, place) {
		s.Places = append(s.Places, place)
	}
}

// fields lists the keys of a type.
func (w *fieldWalk) fields(i int) {
	t, place := w.types[i], ""
	if places := w.sections[i].Places; len(places) > 0 {
		place = places[0] + "."
	}
	for _, f := range reflect.VisibleFields(t) {
		key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			w.visit(f.Name, strings.TrimSuffix(place, "."), f.Type)
			continue
		case key == "" || len(f.Index) > 1:
			continue
		}
		w.sections[i].Fields = append(w.sections[i].Fields, w.field(t, key, place, f.Type))
		if inner, list := innerOf(f.Type); inner != nil {
			name := key
			if fieldTexts[inner] != nil {
				w.visit(name, place+key+list, inner)
			}
		}
	}
}

// innerOf returns the mapping that a key holds, or a list of which it holds.
func innerOf(t reflect.Type) (inner reflect.Type, list string) {
	if t.Kind() == reflect.Slice {
		t, list = t.Elem(), "[]"
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil, ""
	}
	return t, list
}

func (w *fieldWalk) field(t reflect.Type, key, place string, of reflect.Type) Field {
	x := fieldTexts[t][key]
	return Field{
		Key: key, Kind: cmp.Or(x.kind, kindOf(of)), Text: x.text, Allowed: x.allowed,
		Missing: cmp.Or(x.missing, w.missing(place+key)),
	}
}

// missing is what defaults.yaml says at a path.
func (w *fieldWalk) missing(path string) string {
	var at any = w.defaults
	for _, key := range strings.Split(path, ".") {
		m, ok := at.(map[string]any)
		if !ok || m[key] == nil {
			return ""
		}
		at = m[key]
	}
	text, err := yaml.MarshalWithOptions(at, yaml.Flow(true))
	if err != nil {
		return ""
	}
	return "`" + strings.TrimSpace(string(text)) + "`"
}

// kindOf names the type of a value.
func kindOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "`true`, `false`"
	case reflect.Int, reflect.Uint64:
		return "number"
	case reflect.Float64:
		return "number, also a fraction"
	}
	return "text"
}

// knobs lists the sections of systems.
func (w *fieldWalk) knobs(s *schema, systems []job.System) (out []Section) {
	texts := map[string]string{}
	for _, sys := range systems {
		for path, text := range knobTexts(sys) {
			texts[path] = text
		}
	}
	for _, k := range s.knobs {
		section, key, _ := strings.Cut(k.path, ".")
		i := slices.IndexFunc(out, func(o Section) bool { return o.Name == section })
		if i < 0 {
			i = len(out)
			out = append(out, Section{Name: section, Places: []string{section}})
		}
		out[i].Fields = append(out[i].Fields, Field{
			Key: key, Kind: k.kind, Allowed: k.allowed, Text: texts[k.path], Systems: k.systems,
			Missing: cmp.Or(w.missing(k.path), k.missing),
		})
	}
	return out
}

// String names a section by where it stands.
func (s Section) String() string {
	if len(s.Places) == 0 {
		return s.Name
	}
	return fmt.Sprintf("%s (%s)", s.Name, strings.Join(s.Places, ", "))
}
