package scenarios

import (
	"reflect"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
)

// key is a key that a file may have, and the key that it stands under.
type key struct{ name, under string }

// keysOf lists the keys of a type of files.
func keysOf(t reflect.Type, under string) (out []key) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		out = append(out, key{name, under})
		inner := t.Field(i).Type
		if inner.Kind() == reflect.Slice {
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
