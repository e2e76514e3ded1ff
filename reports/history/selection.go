package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
)

// Selection is what of the history is wanted: all of it holds.
type Selection []condition

type condition struct{ key, value string }

// fields are what can be selected by.
var fields = map[string]func(*Run, *Row) string{ // looked up
	"scenario":   func(r *Run, _ *Row) string { return r.Scenario },
	"clock":      func(r *Run, _ *Row) string { return r.Clock },
	"scale":      func(r *Run, _ *Row) string { return strconv.Itoa(r.Scale) },
	"version":    func(r *Run, _ *Row) string { return r.Version },
	"run":        func(r *Run, _ *Row) string { return r.Dir },
	"system":     func(_ *Run, w *Row) string { return w.System },
	"topology":   func(_ *Run, w *Row) string { return w.Topology },
	"model":      func(_ *Run, w *Row) string { return w.Model },
	"job":        func(_ *Run, w *Row) string { return w.Job },
	"straggle_p": func(_ *Run, w *Row) string { return fmt.Sprintf("%g%%", 100*w.StraggleP) },
	"point":      func(_ *Run, w *Row) string { return w.Point },
	"seed":       func(_ *Run, w *Row) string { return strconv.FormatUint(w.Seed, 10) },
}

// Fields lists the keys of a selection.
func Fields() (keys []string) {
	for k := range fields {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// ParseSelection reads words such as straggler or system=ring. A word alone is a scenario.
func ParseSelection(words []string) (s Selection, err error) {
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			key, value = "scenario", w
		}
		if fields[key] == nil {
			return nil, fmt.Errorf("%q: %s is nothing to select by: there are %s%s", w, key, strings.Join(Fields(), ", "), suggest.DidYouMean(key, Fields()))
		}
		s = append(s, condition{key, value})
	}
	return s, nil
}

func (s Selection) takes(r *Run, row *Row) bool {
	return !slices.ContainsFunc(s, func(c condition) bool { return fields[c.key](r, row) != c.value })
}
