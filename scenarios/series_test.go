package scenarios

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/units"
)

// An interval is a time above zero, and all jobs of a lab have it.
func TestInterval(t *testing.T) {
	text := "apiVersion: inalab/v1\nkind: Scenario\nname: s\nsystems: [{system: switchml256}]\n"
	load := func(more string) (*Scenario, error) {
		return Load(Source{Name: "s.yaml", Text: []byte(text + more)}, system.All())
	}
	s, err := load("interval: 20ms\njobs: [{hosts: [h0, h1]}, {hosts: [h2, h3]}]\n")
	if err != nil {
		t.Fatal(err)
	}
	sets, err := s.Sets(true)
	if err != nil || len(sets) != 1 || sets[0].Interval() != 20*units.Millisecond {
		t.Errorf("%v: %+v", err, sets)
	}
	for more, want := range map[string]string{
		"interval: 0s\n":  "write a time above 0, as in 10ms",
		"interval: 20\n":  "has no unit",
		"interval: -1s\n": "is negative",
		"interval: 1us\n": "an interval of 1us: the run should take 1.6",
	} {
		s, err := load(more)
		if err == nil {
			_, err = s.Sets(true)
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "s.yaml:") > 1 {
			t.Errorf("%q: error %v, want %q", more, err, want)
		}
	}
	if s, err = load(""); err != nil {
		t.Fatal(err)
	}
	if text, err := s.MarshalYAML(); err != nil || strings.Contains(string(text), "interval") {
		t.Errorf("%v: a file without an interval is written with one:\n%s", err, text)
	}
}
