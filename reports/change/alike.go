package change

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// aside are keys of a scenario that move no time: what it is called, expects and takes. Seeds and scales are held against
// each other apart.
var aside = []string{"apiversion", "kind", "name", "description", "expect", "takes", "seed", "scale"}

// Alike refuses runs that cannot be held against each other, and notes what else differs. Differences in the allowed
// keys are what the user wants to see.
func Alike(runs []*Run, allowed []string) (notes []string, err error) {
	first := runs[0]
	for _, r := range runs[1:] {
		for _, f := range []struct{ what, a, b, fix string }{
			{"scenarios", first.Manifest.Scenario, r.Manifest.Scenario, "compare runs of one scenario"},
			{"clocks", first.Manifest.Clock, r.Manifest.Clock, "compare live runs with live ones, virtual with virtual"},
			{"scales", fmt.Sprint(first.Manifest.Scale), fmt.Sprint(r.Manifest.Scale), "run both at one scale, as with --set scale=" + fmt.Sprint(max(first.Manifest.Scale, r.Manifest.Scale))},
		} {
			if f.a != f.b {
				return nil, fmt.Errorf("runs of different %s: %s is of %s, %s of %s: %s", f.what, first.Name, f.a, r.Name, f.b, f.fix)
			}
		}
		more, err := SameSetup(first.Setup(), r.Setup(), allowed)
		if err != nil {
			return nil, err
		}
		notes = append(notes, more...)
	}
	slices.Sort(notes)
	return append(slices.Compact(notes), differences(runs)...), nil
}

// Setup is what a run was set up as: which build, and what of the resolved scenario may move times.
type Setup struct {
	Name, Build string
	Options     map[string]string // by key; looked up
}

// Setup returns that of a run.
func (r *Run) Setup() Setup { return Setup{r.Name, r.Build(), options(r.Manifest.Options)} }

// SameSetup refuses runs whose resolved scenarios differ. A key that one build does not know is noted: it was
// added or taken away between the two.
func SameSetup(a, b Setup, allowed []string) (notes []string, err error) {
	keys := append(slices.Collect(maps.Keys(a.Options)), slices.Collect(maps.Keys(b.Options))...)
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		v, inA := a.Options[k]
		w, inB := b.Options[k]
		switch {
		case v == w && inA == inB:
		case covers(allowed, k):
			notes = append(notes, fmt.Sprintf("allowed to differ: %s, %s and %s", k, cmp.Or(v, unset), cmp.Or(w, unset)))
		case inA != inB && a.Build != b.Build:
			notes = append(notes, fmt.Sprintf("%s is a key of one build only", k))
		default:
			return nil, fmt.Errorf("runs of different scenarios: %s is %s in %s and %s in %s: compare runs of one scenario, or allow the difference with --allow %s",
				k, cmp.Or(v, unset), a.Name, cmp.Or(w, unset), b.Name, k)
		}
	}
	return notes, nil
}

// unset stands for the value of a key that is not there.
const unset = "not set"

// covers reports whether a key, or one above it, is in a list.
func covers(list []string, key string) bool {
	return slices.ContainsFunc(list, func(l string) bool { return l == key || strings.HasPrefix(key, l+".") || strings.HasPrefix(key, l+"[") })
}

// options returns what of a resolved scenario may move times: each key of the manifest's options, as --set writes
// it, with its value.
func options(resolved any) map[string]string {
	out := map[string]string{}
	flatten("", resolved, out)
	for k := range out {
		if covers(aside, k) {
			delete(out, k)
		}
	}
	return out
}

func flatten(at string, v any, out map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			flatten(strings.TrimPrefix(at+"."+knob(k), "."), inner, out)
		}
	case []any:
		for i, inner := range v {
			flatten(fmt.Sprintf("%s[%d]", at, i), inner, out)
		}
	case nil:
	default:
		if text := fmt.Sprint(v); text != "" {
			out[at] = text
		}
	}
}

// knob returns a key as scenario files have it: UnscaledPool is unscaled-pool, MTU is mtu.
func knob(name string) string {
	var b strings.Builder
	lower := false // the letter before is a small one
	for _, r := range name {
		if lower && unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// differences notes what differs between runs that are compared all the same.
func differences(runs []*Run) (notes []string) {
	for _, f := range []struct {
		what, live string
		of         func(*Run) string
	}{
		{"machines", "live", func(r *Run) string { return Machine(&r.Manifest) }},
		{"kernels", "live", func(r *Run) string { return r.Manifest.Machine.Kernel }},
		{"packet paths", "live", func(r *Run) string { return strings.Join(r.Manifest.Offloads, ", ") }},
		{"releases of Go", "", func(r *Run) string { return r.Manifest.Machine.Go }},
		{"versions of the manifest", "", func(r *Run) string { return fmt.Sprint(r.Manifest.SchemaVersion) }},
	} {
		var have []string
		for _, r := range runs {
			if v := f.of(r); !slices.Contains(have, v) {
				have = append(have, v)
			}
		}
		if len(have) > 1 && (f.live == "" || f.live == runs[0].Manifest.Clock) {
			notes = append(notes, fmt.Sprintf("the runs are of different %s, from which a change may come: %s", f.what, strings.Join(have, "; ")))
		}
	}
	return notes
}
