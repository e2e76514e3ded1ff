package scenarios

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/units"
)

// raw returns what the document says but for the sections of systems.
func (d *document) raw() (f raw) {
	v := reflect.ValueOf(&f).Elem()
	for i := range v.NumField() { // they come first in schema.file, in this order
		v.Field(i).Set(d.file.Elem().Field(i))
	}
	return f
}

// knobs reads one system's knobs. It meets job.Knobs.
type knobs struct {
	schema *schema   // takes the knobs down
	system string    // with it
	r      *resolver // nil: there is no file yet
	run    bool      // the scenario runs this system
}

// value returns a knob as it was decoded; ok is false where its section may be,
// and is, left out, and where there is no file.
func (k *knobs) value(of knob, t reflect.Type) (v reflect.Value, ok bool) {
	if k.r == nil {
		k.schema.add(of.path, t)
		k.schema.note(of, k.system)
		return reflect.Value{}, false
	}
	section, key, _ := strings.Cut(of.path, ".")
	_, _, found := k.r.doc.find(section)
	return byKey(byKey(k.r.doc.file.Elem(), section), key), found || k.run
}

// byKey returns the field of a key.
func byKey(v reflect.Value, key string) reflect.Value {
	i := fieldOf(reflect.VisibleFields(v.Type()), key)
	if i < 0 {
		panic("reading the key " + key + " of a scenario: the schema lacks it: a system reads other knobs than before")
	}
	return v.Field(i)
}

// quantity is a knob that may be one of some words, the first of which holds where it is left out.
func quantity(path, kind string, zero []string) knob {
	k := knob{path: path, kind: kind}
	if len(zero) > 0 {
		k.missing = "that of the system"
	}
	zero = slices.DeleteFunc(slices.Clone(zero), func(s string) bool { return s == "" })
	if len(zero) > 0 {
		k.missing, k.allowed, k.value = words(zero[:1]), "also "+words(zero), zero[0]
	}
	return k
}

// zeroKnob is the value of a number that nobody has written, where it may be that.
func zeroKnob(lo int) string {
	if lo > 0 {
		return ""
	}
	return "0"
}

// Int reads a whole number.
func (k *knobs) Int(path string, lo, hi int) int {
	v, ok := k.value(knob{path: path, kind: "number", allowed: upTo(lo, hi), missing: strconv.Itoa(lo), value: zeroKnob(lo)}, reflect.TypeFor[int]())
	if !ok {
		return lo
	}
	return k.r.between(path, int(v.Int()), lo, hi)
}

// IntOr reads a whole number that may be left out.
func (k *knobs) IntOr(path string, lo, hi, missing int) int {
	v, ok := k.value(knob{path: path, kind: "number", allowed: upTo(lo, hi), missing: strconv.Itoa(missing), value: strconv.Itoa(missing)}, reflect.TypeFor[*int]())
	if !ok || v.IsNil() || int(v.Elem().Int()) == missing && k.r.whole(path) {
		return missing
	}
	return k.r.between(path, int(v.Elem().Int()), lo, hi)
}

// Duration reads a time.
func (k *knobs) Duration(path string, zero ...string) units.Duration {
	v, ok := k.value(quantity(path, kindTime, zero), reflect.TypeFor[string]())
	if !ok || slices.Contains(zero, v.String()) {
		return 0
	}
	return k.r.duration(path, v.String())
}

// Rate reads a rate.
func (k *knobs) Rate(path string, zero ...string) units.Rate {
	v, ok := k.value(quantity(path, kindRate, zero), reflect.TypeFor[string]())
	if !ok || slices.Contains(zero, v.String()) {
		return 0
	}
	return k.r.rate(path, v.String())
}

// OneOf reads a word.
func (k *knobs) OneOf(path string, allowed ...string) string {
	v, ok := k.value(knob{path: path, kind: kindWord, allowed: words(allowed)}, reflect.TypeFor[string]())
	if !ok {
		return allowed[0]
	}
	k.r.oneOf(path, v.String(), allowed...)
	return v.String()
}

// Choice reads a word that may be left out.
func (k *knobs) Choice(path string, allowed ...string) string {
	one := knob{path: path, kind: kindWord, allowed: words(allowed), missing: words(allowed[:1]), value: allowed[0]}
	if v, ok := k.value(one, reflect.TypeFor[string]()); !ok || v.String() == "" {
		return allowed[0]
	}
	return k.OneOf(path, allowed...)
}

// Bool reads a switch that must be set, so that its absence can be seen.
func (k *knobs) Bool(path string) bool {
	v, ok := k.value(knob{path: path, kind: kindOf(reflect.TypeFor[bool]())}, reflect.TypeFor[*bool]())
	switch {
	case !ok:
		return false
	case v.IsNil():
		k.r.wrong(path, errors.New("true or false is needed"))
		return false
	}
	return v.Elem().Bool()
}

// Flag reads a switch.
func (k *knobs) Flag(path string) bool {
	v, ok := k.value(knob{path: path, kind: kindOf(reflect.TypeFor[bool]()), missing: "`false`", value: "false"}, reflect.TypeFor[bool]())
	return ok && v.Bool()
}
