package scenarios

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/internal/units"
)

// reader is a system that is nothing but its knobs.
type reader struct {
	ring.System
	name string
	read func(job.Knobs) settings
	got  settings
}

// settings are a knob of each kind.
type settings struct {
	n, m int
	d    units.Duration
	rate units.Rate
	word string
	a, b bool
}

func (r reader) Name() string { return r.name }

func (r reader) Configure(k job.Knobs) job.System {
	r.got = r.read(k)
	return r
}

func readAll(k job.Knobs) settings {
	return settings{
		n: k.Int("own.n", 1, 9), m: k.IntOr("own.most", 1, 9, 5), d: k.Duration("own.wait-time", "never"), rate: k.Rate("own.copy", "none", ""), word: k.OneOf("own.word", "yes", "no"),
		a: k.Bool("own.a"), b: k.Flag("own.b"),
	}
}

const ownSection = "own:\n  n: 3\n  wait-time: 2ms\n  word: no\n  a: true\n"

// loadOwn loads a scenario with a section of its own, or without, for a system
// that reads it.
func loadOwn(t *testing.T, section string, set ...string) (*Scenario, error) {
	t.Helper()
	systems := append(system.All(), reader{name: "own", read: readAll})
	return Load(Source{Name: "f", Text: []byte(embedded(t) + section), Set: set}, systems)
}

const runOwn = "systems=[{system: own, topology: rack}]"

// A further system has a section by reading it, as strict as the others.
func TestSectionOfAFurtherSystem(t *testing.T) {
	for _, c := range []struct {
		set  []string
		want settings
	}{
		{nil, settings{3, 5, 2 * units.Millisecond, 0, "no", true, false}},
		{[]string{"own.n=9", "own.wait-time=never", "own.b=true"}, settings{9, 5, 0, 0, "no", true, true}},
		{[]string{"own={n: 1, word: yes, most: 7}", "own.copy=60Gbit/s"}, settings{1, 7, 2 * units.Millisecond, 60 * units.GbitPerSecond, "yes", true, false}},
	} {
		s, err := loadOwn(t, ownSection, append(c.set, runOwn)...)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Systems[0].System.(reader).got; got != c.want {
			t.Errorf("%q: got %+v, want %+v", c.set, got, c.want)
		}
		options, err := json.Marshal(s.Options())
		if err != nil || !strings.Contains(string(options), `"Own":{"N":`) || !strings.Contains(string(options), `"WaitTime":"`) {
			t.Errorf("options %s, %v", options, err)
		}
		text, err := s.MarshalYAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Load(Source{Name: "again", Text: text}, append(system.All(), reader{name: "own", read: readAll}))
		if err != nil {
			t.Fatal(err)
		}
		if got := again.Systems[0].System.(reader).got; got != c.want || !reflect.DeepEqual(again.P, s.P) {
			t.Errorf("read again: %+v, want %+v, from\n%s", got, c.want, text)
		}
	}
}

func TestBadSections(t *testing.T) {
	for _, c := range []struct{ section, set, want string }{
		{"", runOwn, "f: own.n is missing: allowed are 1 to 9\nf: own.wait-time is missing: write a time, as in 10ms\nf: own.word is missing: allowed are yes, no\nf: own.a: true or false is needed"},
		{"", "seed=1", ""},
		{ownSection, "own.n=10", "--set own.n=10: 10: allowed are 1 to 9"}, // said although nobody runs it
		{ownSection, "own.most=0", "--set own.most=0: 0: allowed are 1 to 9"},
		{ownSection, "own.word=oh", `--set own.word=oh: "oh": allowed are yes, no`},
		{ownSection, "own.wait-time=5", `--set own.wait-time=5: time "5" has no unit: write s, ms, us, ns or ps, as in "5ms"`},
		{ownSection, "own.copy=60", `--set own.copy=60: rate "60" has no unit: write bit/s, Kbit/s, Mbit/s, Gbit/s or Tbit/s, as in "60Gbit/s"`},
		{ownSection, "own.a=7", "--set own.a=7: true or false is needed here"},
		{ownSection, "own.m=7", `--set own.m=7: unknown key "m": allowed are n, most, wait-time, copy, word, a, b`},
		{ownSection, "wait-time=7ms", `--set wait-time=7ms: unknown key "wait-time": it belongs under own`},
	} {
		_, err := loadOwn(t, c.section, c.set)
		if got := errText(err); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.set, got, c.want)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// What is wrong with a system is told before any file is read.
func TestSystemsThatCannotBeConfigured(t *testing.T) {
	for path, want := range map[string]string{
		"window":     `system own: knob "window": write section.key, words of a-z and 0-9 joined by -`,
		"Own.window": `system own: knob "Own.window": write section.key, words of a-z and 0-9 joined by -`,
		"link.burst": `system own: knob "link.burst": link is a key of all scenarios`,
		"trio.aging": `system own: knob "trio.aging": another system reads it as *bool, not int`,
	} {
		own := reader{name: "own", read: func(k job.Knobs) settings { return settings{n: k.Int(path, 0, 1)} }}
		_, err := Load(Source{Name: "f", Text: []byte(embedded(t))}, append(system.All(), own))
		if got := errText(err); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestSystemsOfOneName(t *testing.T) {
	_, err := Load(Source{Name: "f", Text: []byte(embedded(t))}, append(system.All(), reader{name: "ring", read: readAll}))
	if got := errText(err); got != `two systems are called "ring": give each in the list a name of its own` {
		t.Errorf("got %s", got)
	}
}
