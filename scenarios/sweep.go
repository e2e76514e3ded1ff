package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
)

// MaxPoints bounds a sweep.
const MaxPoints = 1000

// axis is one entry of a sweep: keys whose values go in step.
type axis struct {
	keys   []string
	values [][]string // by key, as they are written
	at     string     // where it stands
}

// Points returns the points of the sweep, or the scenario itself where nothing is swept.
func (s *Scenario) Points() []*Scenario {
	if s.points == nil {
		return []*Scenario{s}
	}
	return s.points
}

// Axes returns the keys of each entry of the sweep.
func (s *Scenario) Axes() (out [][]string) {
	for _, a := range s.axes {
		out = append(out, a.keys)
	}
	return out
}

// loadSweep loads a scenario once for each point, with the values of the point as
// overrides. The scenario that it returns is the first point, and holds all.
func loadSweep(src Source, d *document, f *raw, systems []job.System) (*Scenario, error) {
	axes, err := readAxes(d, f.Sweep)
	if err == nil {
		err = refuseFixed(d, axes, src)
	}
	if err != nil {
		return nil, err
	}
	schema, err := newSchema(systems)
	if err != nil {
		return nil, err
	}
	var points []*Scenario
	for i, swept := range combine(axes) {
		p, err := loadPoint(src, schema, result.Point{Index: i, Keys: swept}, systems)
		if err != nil {
			return nil, err
		}
		points = append(points, p)
	}
	all := *points[0]
	all.Point, all.points, all.axes = result.Point{}, points, axes
	all.systems, all.file = f.Systems, d.file.Interface() // without the values of a point
	embedSources(d, points)
	leaveHosts(d, points)
	return &all, nil
}

// leaveHosts has a file that leaves the number of workers to its topology files say the one that all points have, or
// none.
func leaveHosts(d *document, points []*Scenario) {
	onFile := func(s System) bool { return s.Topology.File != nil }
	if slices.ContainsFunc(points, func(p *Scenario) bool { return p.hostsSaid || !slices.ContainsFunc(p.Systems, onFile) }) {
		return
	}
	hosts := points[0].Hosts
	if slices.ContainsFunc(points, func(p *Scenario) bool { return p.Hosts != hosts }) {
		hosts = 0
	}
	byKey(d.file.Elem(), "hosts").SetInt(int64(hosts))
}

// embedSources has the file of a sweep keep the texts of the topology files that its points name.
func embedSources(d *document, points []*Scenario) {
	keep := func(into *rawShape, from rawShape) {
		if into.Sources == nil && len(from.Sources) > 0 {
			into.Sources = map[string]string{}
		}
		maps.Copy(into.Sources, from.Sources)
	}
	shape := byKey(d.file.Elem(), "topology").Addr().Interface().(*rawShape)
	systems := d.raw().Systems
	for _, p := range points {
		keep(shape, byKey(reflect.ValueOf(p.file).Elem(), "topology").Interface().(rawShape))
		for i := range min(len(systems), len(p.systems)) {
			if a, b := systems[i].Topology, p.systems[i].Topology; a != nil && b != nil && a.File == b.File {
				keep(a, *b)
			}
		}
	}
}

func loadPoint(src Source, schema *schema, point result.Point, systems []job.System) (*Scenario, error) {
	d, err := decode(src, schema, point.Keys...)
	if err != nil {
		return nil, err
	}
	f := d.raw()
	s, err := resolve(d, &f, systems)
	s.Point = point
	return s, err
}

// readAxes reads the entries of a sweep and refuses those that make too many points.
func readAxes(d *document, list []yaml.MapSlice) (axes []axis, err error) {
	points := 1
	for i, entry := range list {
		a := axis{at: fmt.Sprintf("sweep[%d]", i)}
		for _, item := range entry {
			if err := a.add(item); err != nil {
				return nil, d.Wrong(a.at, err)
			}
			if slices.ContainsFunc(axes, func(b axis) bool { return slices.Contains(b.keys, a.keys[len(a.keys)-1]) }) {
				return nil, d.Wrong(a.at, fmt.Errorf("%v is swept twice", item.Key))
			}
		}
		if len(a.keys) == 0 {
			return nil, d.Wrong(a.at, errors.New("write a key and its values, as in link.loss: [0%, 1%]"))
		}
		if twice := a.twice(); twice != "" {
			return nil, d.Wrong(a.at, fmt.Errorf("%s is given twice", twice))
		}
		if points *= len(a.values[0]); points > MaxPoints {
			return nil, d.Wrong(a.at, fmt.Errorf("a sweep of more than %d points: leave out values, or put keys into one entry, so that they go in step", MaxPoints))
		}
		axes = append(axes, a)
	}
	return axes, nil
}

// add takes a key and its values.
func (a *axis) add(item yaml.MapItem) error {
	key := fmt.Sprint(item.Key)
	list, ok := item.Value.([]any)
	switch {
	case !ok || len(list) == 0:
		return fmt.Errorf("%s: write a list of values, as in %s: [0%%, 1%%]", key, key)
	case key == "sweep" || strings.HasPrefix(key, "sweep"):
		return errors.New("a sweep cannot be swept")
	case strings.ContainsAny(key, "[]"):
		return fmt.Errorf("%s: a list is swept as a whole: give %s lists as values", key, key[:strings.IndexAny(key, "[]")])
	case len(a.keys) > 0 && len(list) != len(a.values[0]):
		return fmt.Errorf("%s has %d values and %s %d: keys of one entry go in step; for all combinations give each an entry of its own", a.keys[0], len(a.values[0]), key, len(list))
	}
	var values []string
	for _, v := range list {
		text, err := yaml.MarshalWithOptions(v, yaml.Flow(true))
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		values = append(values, strings.Trim(strings.TrimSpace(string(text)), `"`))
	}
	a.keys, a.values = append(a.keys, key), append(a.values, values)
	return nil
}

// twice returns the values that an entry repeats.
func (a *axis) twice() string {
	seen := map[string]bool{}
	for i := range a.values[0] {
		var words []string
		for k, key := range a.keys {
			words = append(words, key+"="+a.values[k][i])
		}
		point := strings.Join(words, " ")
		if seen[point] {
			return point
		}
		seen[point] = true
	}
	return ""
}

// refuseFixed refuses overrides of what is swept: the sweep would undo them.
func refuseFixed(d *document, axes []axis, src Source) error {
	for _, a := range axes {
		for _, key := range a.keys {
			for _, s := range src.Set {
				path, _, _ := strings.Cut(s, "=")
				if path == key && slices.ContainsFunc(src.Sweep, func(g string) bool { return strings.HasPrefix(g, key+"=") }) {
					return fmt.Errorf("--set %s: --sweep sweeps %s: leave one of the two out", s, key)
				}
				if path == key {
					return fmt.Errorf("--set %s: %s sweeps it: set the values, as in --set 'sweep=[{%s: [...]}]'", s, d.name, key)
				}
			}
		}
	}
	return nil
}

// combine returns all combinations of the entries; the last one changes fastest.
func combine(axes []axis) [][]result.Swept {
	out := [][]result.Swept{nil}
	for _, a := range axes {
		var next [][]result.Swept
		for _, before := range out {
			for i := range a.values[0] {
				point := slices.Clone(before)
				for k, key := range a.keys {
					point = append(point, result.Swept{Key: key, Value: a.values[k][i]})
				}
				next = append(next, point)
			}
		}
		out = next
	}
	return out
}
