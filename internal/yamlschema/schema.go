package yamlschema

import (
	"encoding/json"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/invopop/jsonschema"
)

// Form is what text of a key looks like.
type Form int

// The forms.
const (
	Any Form = iota // text, or a number as text
	Time
	Rate
	Bytes
	Share
)

var forms = map[string]Form{"time": Time, "rate": Rate, "bytes": Bytes, "share": Share}

// FormOf returns the form of a kind of text, as pages of fields name it.
func FormOf(kind string) Form {
	word, _, _ := strings.Cut(kind, " (")
	return forms[word] // Any, where it is none of them
}

// Key is what a schema says of a key beside its type.
type Key struct {
	Text  string
	Form  Form
	Words []string // the only ones; nil: any
}

// Maker makes schemas.
type Maker struct {
	Title    string
	Required bool                                 // keys without omitempty must be there
	Key      func(t reflect.Type, key string) Key // of a type of files
	Or       map[reflect.Type]string              // JSON types that stand for a whole mapping, as a word or a number
}

// number with a unit, of the units of package units.
const number = `^\+?[0-9]*\.?[0-9]+ ?`

var patterns = map[Form]string{
	Time:  number + `(s|ms|us|ns|ps)$`,
	Rate:  `^unlimited$|` + number + `[KMGT]?(bit/s|bps)$`,
	Bytes: number + `(B|K|M|G|KiB|MiB|GiB|KB|MB|GB)$`,
	Share: `^[0-9]*\.?[0-9]+%?$`,
}

// Of returns the schema of a type, indented.
func (m Maker) Of(t reflect.Type) ([]byte, error) {
	r := jsonschema.Reflector{
		FieldNameTag: "yaml", Anonymous: true, RequiredFromJSONSchemaTags: !m.Required, ExpandedStruct: true,
		Namer: name, Mapper: m.special,
	}
	s := r.ReflectFromType(t)
	s.Title = m.Title
	m.fill(s, t, s.Definitions, map[reflect.Type]bool{})
	return json.MarshalIndent(s, "", "  ")
}

// name names a type by its package too: two packages have a Link.
func name(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	return path.Base(t.PkgPath()) + "." + strings.TrimPrefix(t.Name(), "raw")
}

// special are types whose keys nobody knows, and text.
func (m Maker) special(t reflect.Type) *jsonschema.Schema {
	switch {
	case t == reflect.TypeFor[yaml.MapSlice]():
		return &jsonschema.Schema{Type: "object"}
	case t.Kind() == reflect.String:
		return either("string", "number")
	case t.Kind() == reflect.Struct && m.Or[t] == "integer":
		return either("string", "integer")
	}
	return nil
}

func either(types ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, t := range types {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: t})
	}
	return s
}

// fill completes the schema of a struct, and those of what its keys hold.
func (m Maker) fill(s *jsonschema.Schema, t reflect.Type, defs jsonschema.Definitions, done map[reflect.Type]bool) {
	if done[t] {
		return
	}
	done[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if options == "inline" {
			m.fillKeys(s, f.Type)
			m.inner(f.Type, s, defs, done)
			continue
		}
		if property, ok := s.Properties.Get(key); ok && key != "" {
			m.complete(property, m.Key(t, key))
			m.hold(property, f.Type, defs, done)
		}
	}
}

// fillKeys completes the keys of a struct that stands inline in another.
func (m Maker) fillKeys(s *jsonschema.Schema, t reflect.Type) {
	for i := range t.NumField() {
		key, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if property, ok := s.Properties.Get(key); ok && key != "" {
			m.complete(property, m.Key(t, key))
		}
	}
}

// inner completes what the keys of an inline struct hold.
func (m Maker) inner(t reflect.Type, s *jsonschema.Schema, defs jsonschema.Definitions, done map[reflect.Type]bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if property, ok := s.Properties.Get(key); ok && key != "" {
			m.hold(property, f.Type, defs, done)
		}
	}
}

// hold completes the schema of what a key holds.
func (m Maker) hold(property *jsonschema.Schema, t reflect.Type, defs jsonschema.Definitions, done map[reflect.Type]bool) {
	for slices.Contains([]reflect.Kind{reflect.Slice, reflect.Map, reflect.Pointer}, t.Kind()) {
		switch t.Kind() {
		case reflect.Slice:
			property = property.Items
		case reflect.Map:
			property = property.AdditionalProperties
		}
		if t = t.Elem(); property == nil {
			return
		}
	}
	if t.Kind() != reflect.Struct {
		return
	}
	s := property
	if def := defs[name(t)]; def != nil {
		s = def
	}
	if s.Properties == nil {
		return
	}
	m.fill(s, t, defs, done)
	if word := m.Or[t]; word != "" && len(s.AnyOf) == 0 {
		whole := *s
		*s = jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: word}, &whole}}
	}
}

// link is a link of Markdown, whose text is its first group.
var link = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)

// complete says what is known of a key.
func (m Maker) complete(s *jsonschema.Schema, k Key) {
	s.Description = link.ReplaceAllString(k.Text, "$1")
	switch {
	case len(k.Words) > 0:
		s.AnyOf, s.Type = nil, "string"
		for _, w := range k.Words {
			s.Enum = append(s.Enum, w)
		}
	case patterns[k.Form] != "" && len(s.AnyOf) == 2:
		text := &jsonschema.Schema{Type: "string", Pattern: patterns[k.Form]}
		if k.Form == Share { // also a number
			s.AnyOf = []*jsonschema.Schema{text, {Type: "number", Minimum: "0", Maximum: "1"}}
			return
		}
		s.AnyOf, s.Type, s.Pattern = nil, text.Type, text.Pattern
	}
}
