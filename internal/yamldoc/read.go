package yamldoc

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/suggest"
)

// Reader is a type that reads itself from a value, and records its faults.
type Reader interface{ ReadYAML(n Node) }

// Hinter is a type that says what to write where its value is missing.
type Hinter interface{ Wanted() string }

// Worded is a text type that takes certain words only.
type Worded interface{ Words() []string }

// Read fills the struct that into points to from a mapping, and reports whether
// all went well. The keys of its fields must be there, but for those with
// "omitempty". Fields without a tag are left alone. Lists are lists of text, or
// of [Node]. Other keys are unknown, but for those that others names.
func (n Node) Read(into any, others ...string) bool {
	before := len(n.Doc.faults)
	if n.Type() != ast.MappingType {
		n.Fault("keys with values are needed here")
		return false
	}
	known := append(n.fill(reflect.ValueOf(into).Elem()), others...)
	for _, p := range n.pairs() {
		if key := p.Key.GetToken().Value; !slices.Contains(known, key) {
			Node{p.Key, n.What, n.Doc}.Fault("unknown key %q%s", key, suggest.DidYouMean(key, known))
		}
	}
	return len(n.Doc.faults) == before
}

// fill fills a struct and those embedded in it, and returns the keys of both.
func (n Node) fill(into reflect.Value) (keys []string) {
	for i := range into.NumField() {
		field := into.Type().Field(i)
		key, optional := strings.CutSuffix(field.Tag.Get("yaml"), ",omitempty")
		switch value, ok := n.Get(key); {
		case field.Anonymous:
			keys = append(keys, n.fill(into.Field(i))...)
			continue
		case key == "":
			continue
		case ok:
			value.read(into.Field(i))
		case !optional:
			n.Fault("%s is missing: %s", key, wanted(field.Type))
		}
		keys = append(keys, key)
	}
	return keys
}

// wanted says what to write for a value of a type.
func wanted(t reflect.Type) string {
	switch zero := reflect.New(t).Interface().(type) {
	case Hinter:
		return zero.Wanted()
	case Worded:
		return "allowed are " + strings.Join(zero.Words(), ", ")
	}
	switch t.Kind() {
	case reflect.String:
		return "write text"
	case reflect.Slice:
		return "write a list"
	case reflect.Struct:
		var keys []string
		for _, k := range keysOf(t, "") {
			keys = append(keys, k.name+": ...")
		}
		return "write {" + strings.Join(keys, ", ") + "}"
	}
	return "write " + needed(t)
}

// read fills one field.
func (n Node) read(into reflect.Value) {
	switch into := into.Addr().Interface().(type) {
	case Reader:
		into.ReadYAML(n)
		return
	case *[]Node:
		*into = n.List()
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		n.read(into.Elem())
	case reflect.Struct:
		n.Read(into.Addr().Interface())
	case reflect.Slice:
		n.readTexts(into)
	case reflect.String:
		n.readText(into)
	default:
		n.readScalar(into)
	}
}

// readTexts reads a list of one or more texts, each there once.
func (n Node) readTexts(into reflect.Value) {
	var seen []string
	for _, item := range n.List() {
		s, _ := item.Text()
		text := reflect.New(into.Type().Elem()).Elem()
		switch w, worded := text.Interface().(Worded); {
		case s == "":
			item.Fault("text is needed here")
		case slices.Contains(seen, s):
			item.Fault("%q is there twice", s)
		case worded && !slices.Contains(w.Words(), s):
			n.Fault("%q: allowed are %s", s, strings.Join(w.Words(), ", "))
		}
		seen = append(seen, s)
		text.SetString(s)
		into.Set(reflect.Append(into, text))
	}
	if n.Type() == ast.SequenceType && len(seen) == 0 {
		n.Fault("the list is empty")
	}
}

func (n Node) readText(into reflect.Value) {
	s, ok := n.Text()
	switch w, worded := into.Interface().(Worded); {
	case worded:
		s = n.Word(w.Words())
	case !ok:
		n.Fault("text is needed here; a number or yes as text stands in quotes")
	case strings.TrimSpace(s) == "":
		n.Fault("the text is empty")
	}
	into.SetString(s)
}

// readScalar reads a number, or true or false.
func (n Node) readScalar(into reflect.Value) {
	x, number := n.Number()
	flag, isFlag := n.Node.(*ast.BoolNode)
	switch kind := into.Kind(); {
	case kind == reflect.Bool && isFlag:
		into.SetBool(flag.Value)
	case kind == reflect.Float64 && number:
		into.SetFloat(x)
	case kind == reflect.Int && n.Type() == ast.IntegerType && math.Abs(x) < 1<<53:
		into.SetInt(int64(x))
	case kind == reflect.Float64:
		n.Fault("a number is needed here%s", n.exponentHint())
	default:
		n.Fault("%s is needed here", needed(into.Type()))
	}
}

// exponentHint helps with "1e8", which is text in YAML 1.1 and to the parser.
func (n Node) exponentHint() string {
	s, _ := n.Text()
	mantissa, power, found := strings.Cut(s, "e")
	if !found || strings.Trim(mantissa+power, "0123456789+-") != "" {
		return ""
	}
	return ": write a point before the exponent, as in 1.0e+8"
}
