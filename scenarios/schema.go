package scenarios

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/inalab/inalab/harness/job"
)

// schema is what files may hold: the keys of raw, and a section for each that a
// system reads knobs from. The systems tell which ones by reading knobs once
// without a file. File is a struct type made of both, so that one strict decoder
// reads a file as a whole.
type schema struct {
	file     reflect.Type
	sections []rawSection
	err      error // of the first knob that cannot be
}

// rawSection is a section as it is written.
type rawSection struct {
	name string
	keys []reflect.StructField
}

func newSchema(systems []job.System) (*schema, error) {
	s := &schema{}
	for _, sys := range systems {
		if job.Configure(sys, &knobs{schema: s}); s.err != nil {
			return nil, fmt.Errorf("system %s: %w", sys.Name(), s.err)
		}
	}
	fields := reflect.VisibleFields(reflect.TypeFor[raw]())
	for _, sec := range s.sections {
		f := field(sec.name, reflect.StructOf(sec.keys), ",omitempty")
		f.Tag += ` json:",omitzero"`
		fields = append(fields, f)
	}
	s.file = reflect.StructOf(fields)
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
	switch {
	case !knobName.MatchString(section) || !knobName.MatchString(key):
		s.err = fmt.Errorf("knob %q: write section.key, words of a-z and 0-9 joined by -", path)
		return
	case fieldOf(reflect.TypeFor[raw](), section) >= 0:
		s.err = fmt.Errorf("knob %q: %s is a key of all scenarios", path, section)
		return
	}
	sec := s.section(section)
	for _, k := range sec.keys {
		if k.Tag == field(key, t, "").Tag {
			if k.Type != t {
				s.err = fmt.Errorf("knob %q: another system reads it as %v, not %v", path, k.Type, t)
			}
			return
		}
	}
	sec.keys = append(sec.keys, field(key, t, ""))
}

func (s *schema) section(name string) *rawSection {
	for i := range s.sections {
		if s.sections[i].name == name {
			return &s.sections[i]
		}
	}
	s.sections = append(s.sections, rawSection{name: name})
	return &s.sections[len(s.sections)-1]
}

// fieldOf returns the number of the field of a key, or -1.
func fieldOf(t reflect.Type, key string) int {
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name == key {
			return i
		}
	}
	return -1
}
