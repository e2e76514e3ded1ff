package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/topo/linktext"
)

// Default is a key that a scenario leaves out, and what holds then. The value can be written, and changes nothing.
type Default struct {
	Key   string `json:"key"` // path, as --set has it
	Value string `json:"value"`
	Text  string `json:"text"` // what the key means
}

// String is a line of a file that says the same.
func (d Default) String() string { return d.Key + ": " + d.Value }

// Defaults lists what the scenario leaves out, in the order of docs/scenario-fields.md: keys of all files, then those
// of the systems that it runs. The values are those that [Load] applies. Keys that are swept, or that a variant has,
// are no defaults.
func (s *Scenario) Defaults() ([]Default, error) {
	schema, err := newSchema(s.known)
	if err != nil {
		return nil, err
	}
	l := defaultList{scenario: s, base: map[string]any{}}
	if err := yaml.Unmarshal(defaults, &l.base); err != nil {
		return nil, err
	}
	l.general()
	for _, k := range schema.knobs {
		if slices.ContainsFunc(s.ranSystems(), func(name string) bool { return slices.Contains(k.systems, name) }) {
			l.add(k.path, l.valueOr(k.path, k.value), l.textOf(k))
		}
	}
	return l.out, nil
}

// ranSystems names the systems of all runs.
func (s *Scenario) ranSystems() (out []string) {
	for _, p := range s.Points() {
		for _, sys := range p.Systems {
			if sys.System != nil {
				out = append(out, sys.Name())
			}
		}
		for _, t := range p.Tenants {
			if t.System != nil {
				out = append(out, t.System.Name())
			}
		}
	}
	return out
}

// defaultList collects what a scenario leaves out.
type defaultList struct {
	scenario *Scenario
	base     map[string]any // defaults.yaml
	out      []Default
}

// add takes a key with its value, unless the file says it, or there is no value that can be written.
func (l *defaultList) add(path, value, text string) {
	if value != "" && !l.said(path) {
		l.out = append(l.out, Default{path, value, text})
	}
}

// said reports whether the file, its sweep or one of its variants has a key, or a part of it.
func (l *defaultList) said(path string) bool {
	s := l.scenario
	if _, ok := s.doc.parts[1].find(path); ok {
		return true
	}
	overlaps := func(key string) bool {
		return key == path || strings.HasPrefix(key, path+".") || strings.HasPrefix(path, key+".")
	}
	for _, a := range s.axes {
		if slices.ContainsFunc(a.keys, overlaps) {
			return true
		}
	}
	for _, v := range s.doc.raw().Variants {
		values, _ := v.Value.(map[string]any)
		if hasPath(values, strings.Split(path, ".")) {
			return true
		}
	}
	return false
}

// find looks for a value in one part.
func (p part) find(path string) (text string, ok bool) {
	n, ok := p.Find(p.under + path)
	if !ok {
		return "", false
	}
	return n.GetToken().Value, true
}

// hasPath reports whether a value stands at a path, or at a mapping above it that is a word there.
func hasPath(values map[string]any, path []string) bool {
	v, ok := values[path[0]]
	if !ok || len(path) == 1 {
		return ok
	}
	below, isMap := v.(map[string]any)
	return !isMap || hasPath(below, path[1:])
}

// general takes the keys of all files.
func (l *defaultList) general() {
	t := reflect.TypeFor[raw]()
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		text := fieldTexts[t][key].text
		switch key {
		case "systems": // it is needed, or those of jobs hold
		case "name":
			l.add(key, l.scenario.Name, text)
		case "link", "fabric":
			l.link(key, nil)
		case "uplink":
			l.link(key, []string{"link"})
		case "stragglers":
			l.add("stragglers.p", l.valueOr("stragglers.p", ""), fieldTexts[reflect.TypeFor[rawStragglers]()]["p"].text)
			l.add("stragglers.semantics", l.valueOr("stragglers.semantics", ""), fieldTexts[reflect.TypeFor[rawStragglers]()]["semantics"].text)
			l.add("stragglers.outages", "[]", fieldTexts[reflect.TypeFor[rawStragglers]()]["outages"].text)
		case "hosts":
			l.add(key, fmt.Sprint(l.scenario.Hosts), text)
		case "model":
			l.model(text)
		default:
			l.add(key, l.valueOr(key, zeroOf(f.Type)), text)
		}
	}
}

// model takes the compute time of a model that has a size.
func (l *defaultList) model(text string) {
	_, bytes := l.scenario.doc.parts[1].find("model.bytes")
	_, size := l.scenario.doc.parts[1].find("model.size")
	if bytes || size {
		l.add("model.compute", "0s", fieldTexts[reflect.TypeFor[rawModel]()]["compute"].text)
		return
	}
	l.add("model", l.valueOr("model", ""), text)
}

// linkZero is what a link is where nothing says otherwise, by key.
var linkZero = map[string]string{
	"rate": "unlimited", "delay": "0s", "jitter": "0s", "loss": "0%", "loss-every": "0", "burst": "none", "queue": "0B",
}

// link takes the keys of a link. What the links that it stands over say holds where it says nothing.
func (l *defaultList) link(path string, over []string) {
	t := reflect.TypeFor[linktext.Link]()
	for _, f := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		at := path + "." + key
		value := l.valueOr(at, linkZero[key])
		for _, other := range over {
			if l.chain(other) || l.sweeps(other+"."+key) {
				value = ""
				continue
			}
			value = l.valueOr(other+"."+key, value)
			if text, ok := l.scenario.doc.parts[1].find(other + "." + key); ok {
				value = text
			}
		}
		if f.Type.Kind() == reflect.Pointer && key != "loss-every" || l.chain(path) && (key == "loss" || key == "burst") {
			continue // mappings, and what they exclude
		}
		l.add(at, value, fieldTexts[t][key].text)
	}
}

// chain reports whether a link loses by a chain of states.
func (l *defaultList) chain(path string) bool {
	_, ok := l.scenario.doc.parts[1].find(path + ".gilbert-elliott")
	return ok || l.sweeps(path+".gilbert-elliott")
}

// sweeps reports whether a key has several values in the runs of the scenario.
func (l *defaultList) sweeps(path string) bool {
	_, file := l.scenario.doc.parts[1].find(path)
	return !file && l.said(path)
}

// valueOr is what defaults.yaml says at a path, or else another value.
func (l *defaultList) valueOr(path, other string) string {
	var at any = l.base
	for _, key := range strings.Split(path, ".") {
		m, ok := at.(map[string]any)
		if !ok || m[key] == nil {
			return other
		}
		at = m[key]
	}
	text, err := yaml.MarshalWithOptions(at, yaml.Flow(true))
	if err != nil {
		return other
	}
	return strings.TrimSpace(string(text))
}

// zeroOf writes the value of a key that nobody has written, or "" where that cannot be.
func zeroOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[yaml.MapSlice]():
		return "{}"
	case t.Kind() == reflect.Slice:
		return "[]"
	case t.Kind() == reflect.String:
		return `""`
	case t.Kind() == reflect.Int:
		return "0"
	}
	return ""
}

// textOf returns what a system says of a knob.
func (l *defaultList) textOf(k knob) string {
	for _, name := range k.systems {
		if sys, err := job.Find(l.scenario.known, name); err == nil && knobTexts(sys)[k.path] != "" {
			return knobTexts(sys)[k.path]
		}
	}
	return ""
}
