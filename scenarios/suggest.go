package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// key is a key that a file may have, and the key that it stands under.
type key struct{ name, under string }

// keysOf lists the keys of a raw type.
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
func keyHint(name string) string {
	keys := keysOf(reflect.TypeFor[raw](), "")
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
	return didYouMean(name, names)
}

// maxWord bounds the words that are compared; a longer one is no typing error.
const maxWord = 64

// didYouMean returns a suggestion, or nothing where no candidate is near.
func didYouMean(word string, candidates []string) string {
	if len(word) > maxWord {
		return ""
	}
	best, distance := "", 2+len(word)/3
	for _, c := range candidates {
		if d := edits(word, c); d < distance && d < max(len(word), len(c)) {
			best, distance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
