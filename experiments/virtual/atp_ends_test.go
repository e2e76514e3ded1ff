package virtual

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
)

// withReading is a quick run with a reading that is not the default.
func withReading(t *testing.T, set ...string) *experiment.Env {
	e := experimenttest.NewEnv(t)
	readings, err := experimenttest.Ledger(t).Readings(set)
	if err != nil {
		t.Fatal(err)
	}
	e.Readings = readings
	return e
}

// Fig 10 has each end of a reading but the one that is taken, and a run without loss to hold each
// system against.
func TestEndsOfFig10(t *testing.T) {
	all := []string{"resend: expected", "resend: passed", "resend: gaps", "timeout-resend: window", "timeout-resend: expected", "timeouts of 200 us", "2 threads", "1 thread", "window of 200", "window of 660"}
	for reading, taken := range map[string][]string{
		"":                            {"resend: expected", "timeout-resend: window", "window of 200"},
		"atp.loss-resend=gaps":        {"resend: gaps", "timeout-resend: window", "window of 200"},
		"atp.timeout-resend=expected": {"resend: expected", "timeout-resend: expected", "window of 200"},
		"atp.threads=two":             {"resend: expected", "timeout-resend: window", "2 threads", "window of 200"},
		"atp.no-cc-window=share":      {"resend: expected", "timeout-resend: window", "window of 660"},
	} {
		f := newFig10(withReading(t, strings.Fields(reading)...))
		var want []string
		for _, name := range all {
			if !slices.Contains(taken, name) {
				want = append(want, "ATP, "+name)
			}
		}
		var got []string
		for _, s := range f.ends {
			got = append(got, s.name)
			if window := strings.Contains(s.name, "window of"); window != (s.other != nil) {
				t.Errorf("%q, %s: held against SwitchML of another window: %v", reading, s.name, s.other != nil)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: ends are %q, want %q", reading, got, want)
		}
		for _, s := range f.list {
			if alone := slices.Contains(s.rates, 0); alone == (s.like != nil) || s.like != nil && !slices.Contains(s.like.rates, 0) {
				t.Errorf("%q, %s: runs at %v, and is like %v without loss", reading, s.name, s.rates, s.like)
			}
		}
	}
}

// Fig 15 is judged by the window that is taken, and shows the other one.
func TestKindsOfFig15(t *testing.T) {
	for reading, want := range map[string][3]string{
		"atp.no-cc-window=start": {"on", "off, window of 200", "off, window of 444"},
		"atp.no-cc-window=share": {"on", "off, window of 444", "off, window of 200"},
	} {
		kinds := fig15Kinds(withReading(t, reading), 444)
		for i, name := range want {
			if k := &kinds[i]; k.name != name || k.off != (i > 0) || k.sys.Fixed != k.off {
				t.Errorf("%s: run %d is %q, off: %v; want %q", reading, i, k.name, k.off, name)
			}
		}
		names := map[string]bool{}
		for i := range kinds {
			names[kinds[i].name] = true
		}
		if len(names) != len(kinds) || len(kinds) != 11 {
			t.Errorf("%s: %d kinds, %d names", reading, len(kinds), len(names))
		}
	}
}
