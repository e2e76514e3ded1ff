package scenarios

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/harness/job"
)

// schema is what files may hold: the keys of raw, and a section for each that a
// system reads knobs from. The systems tell which ones by reading knobs once
// without a file. File is a struct type made of both, so that one strict decoder
// reads a file as a whole.
type schema struct {
	file   reflect.Type
	fields []reflect.StructField // of file: those of raw, then the sections
	knobs  []knob                // in the order in which they were read first
	err    error                 // of the first knob that cannot be
}

// knob is how systems read one.
type knob struct {
	path, kind, allowed, missing string   // as in [Field]
	value                        string   // what may be written where it is left out; empty: what defaults.yaml says
	systems                      []string // that read it
}

// note takes down how a system reads a knob.
func (s *schema) note(k knob, system string) {
	i := slices.IndexFunc(s.knobs, func(o knob) bool { return o.path == k.path })
	if i < 0 {
		i = len(s.knobs)
		s.knobs = append(s.knobs, k)
	}
	if at := &s.knobs[i]; !slices.Contains(at.systems, system) {
		at.systems = append(at.systems, system)
	}
}

func newSchema(systems []job.System) (*schema, error) {
	s := &schema{fields: reflect.VisibleFields(reflect.TypeFor[raw]())}
	for i, sys := range systems {
		if slices.Contains(job.Names(systems[:i]), sys.Name()) {
			return nil, fmt.Errorf("two systems are called %q: give each in the list a name of its own", sys.Name())
		}
		if job.Configure(sys, &knobs{schema: s, system: sys.Name()}); s.err != nil {
			return nil, fmt.Errorf("system %s: %w", sys.Name(), s.err)
		}
	}
	s.file = reflect.StructOf(s.fields)
	return s, nil
}

// field returns a field whose key in files is key. Its own name is the key's in
// camel case.
func field(key string, t reflect.Type, options string) reflect.StructField {
	var name strings.Builder
	for _, word := range strings.Split(key, "-") {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return reflect.StructField{Name: name.String(), Type: t, Tag: reflect.StructTag(fmt.Sprintf("yaml:%q", key+options))}
}

// knobName is what sections and keys are called.
var knobName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$`)

// add takes down that a knob is read as a type.
func (s *schema) add(path string, t reflect.Type) {
	section, key, _ := strings.Cut(path, ".")
	at := fieldOf(s.fields, section)
	switch {
	case !knobName.MatchString(section) || !knobName.MatchString(key):
		s.err = fmt.Errorf("knob %q: write section.key, words of a-z and 0-9 joined by -", path)
		return
	case at >= 0 && at < reflect.TypeFor[raw]().NumField():
		s.err = fmt.Errorf("knob %q: %s is a key of all scenarios", path, section)
		return
	case at < 0:
		at = len(s.fields)
		f := field(section, reflect.TypeFor[struct{}](), ",omitempty")
		f.Tag += ` json:",omitzero"`
		s.fields = append(s.fields, f)
	}
	keys := reflect.VisibleFields(s.fields[at].Type)
	if i := fieldOf(keys, key); i < 0 {
		options := ""
		if t == reflect.TypeFor[*int]() { // it may be missing
			options = ",omitempty"
		}
		s.fields[at].Type = reflect.StructOf(append(keys, field(key, t, options)))
	} else if keys[i].Type != t {
		s.err = fmt.Errorf("knob %q: another system reads it as %v, not %v", path, keys[i].Type, t)
	}
}

// fieldOf returns the number of the field of a key, or -1.
func fieldOf(fields []reflect.StructField, key string) int {
	return slices.IndexFunc(fields, func(f reflect.StructField) bool {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		return name == key
	})
}

// only returns what of a file the schema has keys for: a program may have other systems.
func (s *schema) only(text []byte) ([]byte, error) {
	var all yaml.MapSlice
	if err := yaml.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	return yaml.Marshal(slices.DeleteFunc(all, func(item yaml.MapItem) bool {
		key, ok := item.Key.(string)
		return !ok || fieldOf(s.fields, key) < 0
	}))
}
