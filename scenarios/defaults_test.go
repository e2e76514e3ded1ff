package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system"
)

// minimal is a file of two lines for each system.
func minimal() map[string]string {
	out := map[string]string{}
	for _, sys := range system.All() {
		text := "systems: [" + sys.Name() + "]\niterations: 2\n"
		if job.Servers(sys, 6) == 0 && sys.Name() == "tcpagg" {
			text += "hosts: 4\n"
		}
		out[sys.Name()+".scenario.yaml"] = text
	}
	return out
}

// filesWithDefaults returns the minimal files, and others that say more.
func filesWithDefaults(t *testing.T) map[string]string {
	t.Helper()
	out := minimal()
	for _, name := range []string{"straggler", "hetero", "xagg-fig1"} {
		text, err := Embedded(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(text)
	}
	out["changed"] = "systems: [{system: ring, topology: {generator: leaf-spine, leaves: 2}}, trioml]\nmodel: {bytes: 1MB}\n" +
		"link: {rate: 10Gbit/s, loss: 1%, burst: 4}\nvariants: {a: {trio: {window: 64}}, b: {hosts: 4}}\nsweep: [{variant: [a, b]}, {link.delay: [1us, 2us]}]\n"
	out["chain"] = "systems: [ring]\nlink: {gilbert-elliott: {enter: 1%, leave: 50%, bad: 50%}}\n"
	return out
}

func mustLoad(t *testing.T, name, text string, set ...string) *Scenario {
	t.Helper()
	s, err := Load(Source{Name: name, Text: []byte(text), Set: set}, system.All())
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	return s
}

// bare is a scenario without what says where its values stand.
func bare(s *Scenario) []Scenario {
	var out []Scenario
	for _, p := range s.Points() {
		one := *p
		one.doc, one.known, one.systems, one.file, one.hostsSaid = nil, nil, nil, nil, false
		one.Expect = nil // whose positions differ
		v := reflect.ValueOf(&one).Elem()
		for i := range v.NumField() { // an empty list is none
			if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() == 0 && f.CanSet() {
				f.SetZero()
			}
		}
		out = append(out, one)
	}
	return out
}

// differs names what differs between scenarios, and how.
func differs(a, b []Scenario) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d points and %d", len(a), len(b))
	}
	for i := range a {
		x, y := reflect.ValueOf(a[i]), reflect.ValueOf(b[i])
		for k := range x.NumField() {
			if name := x.Type().Field(k).Name; x.Type().Field(k).IsExported() && !reflect.DeepEqual(x.Field(k).Interface(), y.Field(k).Interface()) &&
				fmt.Sprint(x.Field(k)) != fmt.Sprint(y.Field(k)) { // where a value stands may differ
				return fmt.Sprintf("point %d: %s: %.300v became %.300v", i, name, x.Field(k), y.Field(k))
			}
		}
	}
	return ""
}

// writtenOut is a file with more values, at their paths.
func writtenOut(t *testing.T, text string, list []Default) string {
	t.Helper()
	all := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		var value any
		if err := yaml.Unmarshal([]byte(d.Value), &value); err != nil {
			t.Fatalf("%v: %v", d, err)
		}
		at := all
		path := strings.Split(d.Key, ".")
		for _, key := range path[:len(path)-1] {
			below, ok := at[key].(map[string]any)
			if !ok {
				below = map[string]any{}
				at[key] = below
			}
			at = below
		}
		at[path[len(path)-1]] = value
	}
	out, err := yaml.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// The defaults that are printed are those that hold: a file that says them all is the same scenario.
func TestDefaultsAreTrue(t *testing.T) {
	for name, text := range filesWithDefaults(t) {
		s := mustLoad(t, name, text)
		list, err := s.Defaults()
		if err != nil || len(list) < 20 {
			t.Fatalf("%s: %d defaults, %v", name, len(list), err)
		}
		var set []string
		for _, d := range list {
			set = append(set, d.Key+"="+d.Value)
			if d.Text == "" {
				t.Errorf("%s: %s has no text", name, d.Key)
			}
		}
		full := writtenOut(t, text, list)
		ways := map[string]*Scenario{"written out": mustLoad(t, name, full)}
		if len(s.Points()) == 1 { // each point takes all of them
			ways["set"] = mustLoad(t, name, text, set...)
		}
		for how, again := range ways {
			if field := differs(bare(s), bare(again)); field != "" {
				t.Errorf("%s, %s: %s\n%.3000s", name, how, field, full)
			}
		}
		left, err := mustLoad(t, name, full).Defaults()
		if err != nil || len(left) > 0 {
			t.Errorf("%s: written out, it still leaves out %v, %v", name, left, err)
		}
	}
}

// Every key of a file, and every knob of the systems that run, is said, has a default, or is known to have none that
// could be written.
func TestEveryKeyHasADefault(t *testing.T) {
	none := []string{"systems", "model.bytes", "model.size"}
	for name, text := range minimal() {
		s := mustLoad(t, name, text)
		list, err := s.Defaults()
		if err != nil {
			t.Fatal(err)
		}
		has := func(path string) bool {
			return slices.Contains(none, path) || slices.ContainsFunc(list, func(d Default) bool {
				return d.Key == path || strings.HasPrefix(d.Key, path+".")
			})
		}
		for _, f := range reflect.VisibleFields(reflect.TypeFor[raw]()) {
			key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if _, said := s.doc.parts[1].find(key); !said && !has(key) {
				t.Errorf("%s: %s has no default", name, key)
			}
		}
		schema, err := newSchema(system.All())
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range schema.knobs {
			if slices.Contains(k.systems, s.Systems[0].Name()) && !has(k.path) {
				t.Errorf("%s: the knob %s has no default", name, k.path)
			}
		}
	}
}

// A name is that of the file, if the file says none.
func TestNamesOfFiles(t *testing.T) {
	for file, want := range map[string]string{
		"mine.scenario.yaml": "mine", "/tmp/My Lab_2.yaml": "my-lab-2", "standard input": "standard-input", strings.Repeat("a", 90) + ".yaml": strings.Repeat("a", 64),
	} {
		if s := mustLoad(t, file, "systems: [ring]\n"); s.Name != want {
			t.Errorf("%s: scenario %q, want %q", file, s.Name, want)
		}
	}
	if _, err := Load(Source{Name: "--.yaml", Text: []byte("systems: [ring]\n")}, system.All()); err == nil || !strings.Contains(err.Error(), `name: "": a scenario needs a name`) {
		t.Errorf("a file without a name: %v", err)
	}
}

// Axes of the command line take the place of those of the file, or stand behind them.
func TestSweepsOfTheCommandLine(t *testing.T) {
	const file = "systems: [trioml]\nsweep: [{hosts: [2, 3]}, {link.loss: [0%, 1%], link.burst: [1, 8]}]\n"
	points := func(text string, sweep ...string) (string, error) {
		s, err := Load(Source{Name: "f.yaml", Text: []byte(text), Sweep: sweep}, system.All())
		if err != nil {
			return "", err
		}
		var out []string
		for _, p := range s.Points() {
			out = append(out, p.Point.String())
		}
		written, err := s.MarshalYAML()
		if err != nil {
			t.Fatal(err)
		}
		if again := mustLoad(t, "f.yaml", string(written)); len(again.Points()) != len(out) {
			t.Errorf("%v: %d points when it is read again, %d before", sweep, len(again.Points()), len(out))
		}
		return strings.Join(out, "; "), nil
	}
	for _, c := range []struct {
		text, want string
		sweep      []string
	}{
		{"systems: [trioml]\n", "trio.window=16; trio.window=64; trio.window=256", []string{"trio.window=16,64,256"}},
		{"systems: [ring]\n", "hosts=2 mtu=1500; hosts=2 mtu=9000; hosts=3 mtu=1500; hosts=3 mtu=9000", []string{"hosts=2,3", "mtu=1500, 9000"}},
		{file, "hosts=4 link.loss=0% link.burst=1; hosts=4 link.loss=1% link.burst=8", []string{"hosts=4"}},
		{"systems: [ring]\n", "stragglers.p=[0%]; stragglers.p=[16%]", []string{"stragglers.p=0%,16%"}},
		{"systems: [ring]\n", "systems=[ring]; systems=[{system: trioml}, ring]", []string{"systems=ring,[{system: trioml}, ring]"}},
		{"systems: [ring]\n", "model={bytes: 1MiB}; model=resnet50", []string{"model={bytes: 1MiB},resnet50"}},
	} {
		if got, err := points(c.text, c.sweep...); err != nil || got != c.want {
			t.Errorf("%v: got %s, %v\nwant %s", c.sweep, got, err, c.want)
		}
	}
	for sweep, want := range map[string]string{
		"hosts":            `--sweep "hosts": write key=values, as in --sweep trio.window=16,64,256`,
		"=1":               `--sweep "=1": write key=values`,
		"hosts=":           `--sweep "hosts=": write key=values`,
		"hosts=[":          `--sweep hosts=[: the list that begins here lacks its ]`,
		"link.loss=0%":     `--sweep link.loss=0%: f.yaml sweeps it in step with other keys`,
		"trio.widow=1,2":   `sweep trio.widow=1: unknown key "widow"; did you mean "window"?`,
		"hosts=2,2":        `hosts=2 is given twice`,
		"sweep=1":          `a sweep cannot be swept`,
		"systems[0]=ring":  `a list is swept as a whole`,
		"trio.window=0,16": `sweep trio.window=0: 0: allowed are 1 to`,
	} {
		if _, err := points(file, sweep); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", sweep, err, want)
		}
	}
	if _, err := Load(Source{Name: "f", Text: []byte("systems: [ring]"), Set: []string{"hosts=3"}, Sweep: []string{"hosts=2,3"}}, system.All()); fmt.Sprint(err) != "--set hosts=3: --sweep sweeps hosts: leave one of the two out" {
		t.Errorf("set and swept: %v", err)
	}
}
