package yamldoc

import (
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/suggest"
)

// unknownKeys returns an error for each key of the file that its type lacks, in the order of the file.
func (d *Document) unknownKeys(file reflect.Type) []error {
	w := keyWalk{doc: d, file: file}
	w.visit(d.file.Docs[0].Body, file)
	return w.errs
}

// keyWalk holds a file against its type.
type keyWalk struct {
	doc  *Document
	file reflect.Type
	errs []error
}

func (w *keyWalk) visit(n ast.Node, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch list, isList := n.(*ast.SequenceNode); {
	case isList && t.Kind() == reflect.Slice:
		for _, item := range list.Values {
			w.visit(item, t.Elem())
		}
	case t.Kind() == reflect.Map:
		for _, p := range (Node{Node: n}).pairs() {
			w.visit(p.Value, t.Elem())
		}
	default:
		w.mapping(Node{Node: n}, levelOf(t))
	}
}

// mapping looks at the keys of one mapping; without fields it may have any.
func (w *keyWalk) mapping(n Node, fields []level) {
	if len(fields) == 0 {
		return
	}
	for _, p := range n.pairs() {
		name := p.Key.GetToken().Value
		i := slices.IndexFunc(fields, func(f level) bool { return f.name == name })
		if i < 0 {
			w.errs = append(w.errs, w.doc.errorAt(p.Key.GetToken().Position, unknown(name, fields, keysOf(w.file, ""))))
			continue
		}
		w.visit(p.Value, fields[i].of)
	}
}

// level is a key of one mapping, and the type of its value.
type level struct {
	name string
	of   reflect.Type
}

// levelOf lists the keys of a mapping, those of embedded ones among them.
func levelOf(t reflect.Type) (out []level) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			out = append(out, levelOf(f.Type)...)
		case name != "" && name != "-":
			out = append(out, level{name, f.Type})
		}
	}
	return out
}

// unknown says what may have been meant by a key: one of the same mapping but for a slip of the hand; the same
// word where it belongs; else what is near, in the same mapping first.
func unknown(name string, fields []level, all []key) string {
	var here []string
	for _, f := range fields {
		here = append(here, f.name)
	}
	said := `unknown key "` + name + `"`
	if near, ok := suggest.Slip(name, here); ok {
		return said + `; did you mean "` + near + `"?`
	}
	if places := placesOf(name, all); len(places) > 0 {
		return said + ": it belongs " + strings.Join(places, " or ")
	}
	if hint := suggest.DidYouMean(name, here); hint != "" {
		return said + hint
	}
	if near, ok := suggest.Nearest(name, namesOf(all)); ok {
		return said + `; did you mean "` + near + `", ` + strings.Join(placesOf(near, all), " or ") + "?"
	}
	return said + ": allowed are " + strings.Join(here[:min(len(here), maxAllowed)], ", ") + more(len(here)-maxAllowed)
}

// maxAllowed bounds the keys that an error lists (assumed: two lines).
const maxAllowed = 12

// more says that a list goes on.
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return ", ..."
}

// placesOf says where a key stands, each place once.
func placesOf(name string, all []key) (out []string) {
	for _, k := range all {
		place := "under " + k.under
		if k.under == "" {
			place = "at the top level"
		}
		if k.name == name && !slices.Contains(out, place) {
			out = append(out, place)
		}
	}
	return out
}

func namesOf(all []key) (out []string) {
	for _, k := range all {
		out = append(out, k.name)
	}
	return out
}
