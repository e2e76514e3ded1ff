package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/capacity"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/scenarios"
)

// carrier is a machine whose load at each scale is known.
type carrier struct {
	full  float64 // load at scale 1
	fast  int     // the least scale at which iterations are as short as expected
	asked []int
}

func (m *carrier) run(_ context.Context, sets []*job.Set) (out []capacity.Trial, err error) {
	scale := sets[0].First().Scale
	m.asked = append(m.asked, scale)
	for _, s := range sets {
		t := capacity.Trial{Name: capacity.Name(s), Node: "tor", Line: 10 * units.Millisecond}
		t.Thread = t.Line.Scale(0.8 * m.full / float64(scale))
		if scale < m.fast {
			t.Iteration, t.Expected = 120*units.Millisecond, 100*units.Millisecond
		}
		out = append(out, t)
	}
	return out, nil
}

// settling prepares a live run on a machine.
func settling(t *testing.T, m *carrier, set ...string) (*recording, string, error) {
	t.Helper()
	f := runFlags{clock: "live", repeat: 2}
	s, sets, err := prepareNamed("straggler", set, f)
	if err != nil {
		return nil, "", err
	}
	var stderr bytes.Buffer
	r := &recording{flags: f, scenario: s, sets: sets, stderr: &stderr, trials: m.run}
	r.at = func(scale int) (*scenarios.Scenario, []*job.Set, error) {
		return prepareNamed("straggler", append(set, fmt.Sprintf("scale=%d", scale)), f)
	}
	err = r.settle(t.Context(), journal.Caller{})
	return r, stderr.String(), err
}

// All runs have the scale that the self-test finds, which tries each system once a scale.
func TestScaleIsFound(t *testing.T) {
	m := carrier{full: 300}
	r, stderr, err := settling(t, &m)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{200, 300}; !slices.Equal(m.asked, want) || r.scenario.Scale != 300 || r.scaled.By != archive.ScaleSelfTest || !strings.Contains(stderr, "self-test: scale 300, found in ") {
		t.Errorf("tried %v, want %v; scale %d, %+v, %q", m.asked, want, r.scenario.Scale, r.scaled, stderr)
	}
	if n := len(r.sets); n != 2*4*3 {
		t.Errorf("%d runs of two seeds, four probabilities and three systems", n)
	}
	for _, s := range r.sets {
		if s.First().Scale != 300 {
			t.Errorf("%s has scale %d", s.Name(), s.First().Scale)
		}
	}
	if text, err := r.scenario.MarshalYAML(); err != nil || !strings.Contains(string(text), "\nscale: 300\n") {
		t.Errorf("%v, the scenario is kept as\n%s", err, text)
	}
}

func TestScaleThatIsSet(t *testing.T) {
	for _, c := range []struct {
		set   string
		asked []int
		code  int
		want  string
	}{
		{"scale=300", []int{300}, exitOK, ""},
		{"scale=280", []int{280}, exitOK, ""}, // within what two trials differ by
		{"scale=150", []int{150}, exitPreflight, "scale 150: this machine does not carry it: the packet thread of tor with ring on rack: 2.0 times what the machine has for it: set scale=300 or more, or scale=auto"},
		{"scale=5", nil, exitFailed, "scale 5: the lines of the hosts of rack carry 120Gbit/s together, and a switch in software 100Gbit/s at most: set scale=6 or more"},
		{"scale=2400", nil, exitOK, ""}, // little enough for every machine
		{"link.rate=unlimited", nil, exitOK, ""},
	} {
		m := carrier{full: 300}
		r, _, err := settling(t, &m, c.set)
		if exitCode(err) != c.code || err != nil && !strings.HasPrefix(err.Error(), c.want) || !slices.Equal(m.asked, c.asked) {
			t.Errorf("%s: tried %v, %v; want %v, %q", c.set, m.asked, err, c.asked, c.want)
		}
		if err == nil && r.scaled.By != archive.ScaleSet && c.set != "link.rate=unlimited" {
			t.Errorf("%s: %+v", c.set, r.scaled)
		}
	}
	if _, _, err := settling(t, &carrier{full: 1e9}); exitCode(err) != exitPreflight || !strings.Contains(err.Error(), "at no scale up to ") {
		t.Errorf("a machine that carries nothing: %v", err)
	}
}

// fixed is a runner whose iterations take a known time.
type fixed units.Duration

func (f fixed) RunSet(_ context.Context, s *job.Set, _ func([]result.Sample)) ([]result.Cell, error) {
	c := s.First().Cell()
	c.Expected, c.Fidelity.Verdict = 100*units.Millisecond, result.Trusted
	c.Samples = []result.Sample{{End: units.Time(f)}, {Start: units.Time(f), End: 2 * units.Time(f)}}
	return []result.Cell{c}, nil
}

// A run below the scale that the machine carries is invalid, where it is slow in the run as it was in the test.
func TestScaleThatIsTooSlow(t *testing.T) {
	r, _, err := settling(t, &carrier{full: 100, fast: 400}, "scale=200")
	if err != nil {
		t.Fatal(err)
	}
	for ms, want := range map[int64]string{104: result.Trusted, 106: result.Invalid} {
		cells, err := doubted{fixed(units.Duration(ms) * units.Millisecond), r.slow}.RunSet(t.Context(), r.sets[0], nil)
		if err != nil || cells[0].Fidelity.Verdict != want || (len(cells[0].Fidelity.Reasons) > 0) != (want == result.Invalid) {
			t.Errorf("iterations of %d ms: %+v, %v; want %s", ms, cells[0].Fidelity, err, want)
		}
	}
	cells, _ := doubted{fixed(200 * units.Millisecond), nil}.RunSet(t.Context(), r.sets[0], nil)
	if cells[0].Fidelity.Verdict != result.Trusted {
		t.Errorf("slow in the run alone: %+v", cells[0].Fidelity)
	}
}

// The whole of it on real packets: what is found depends on this machine, and is the scale of every row.
func TestScaleIsFoundLive(t *testing.T) {
	needRoot(t)
	out := t.TempDir()
	cmd := inalab(t.TempDir(), "run", "straggler", "--out", out, "--set", "hosts=2", "--set", "iterations=2",
		"--set", "stragglers.p=[0%]", "--set", "systems=[{system: ring, topology: rack}]")
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() == exitPreflight && bytes.Contains(text, []byte("this machine carries the run at no scale")) {
		t.Skipf("nothing is to be found while this machine is so busy:\n%s", text)
	}
	if code := cmd.ProcessState.ExitCode(); code != exitOK && code != exitInvalid { // times do not count here
		t.Fatalf("%v\n%s", err, text)
	}
	var m struct {
		Scale  int
		Scaled struct {
			By    string
			Tried []struct{ Scale int }
		}
	}
	dir := filepath.Join(out, "latest")
	readJSON(t, &m, dir, "manifest.json")
	if m.Scaled.By != archive.ScaleSelfTest || !slices.ContainsFunc(m.Scaled.Tried, func(e struct{ Scale int }) bool { return e.Scale == m.Scale }) {
		t.Errorf("the manifest says %+v\n%s", m, text)
	}
	file, err := os.Open(filepath.Join(dir, "summary.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows := csv.NewReader(file)
	head, err := rows.Read()
	if err != nil {
		t.Fatal(err)
	}
	at, n := slices.Index(head, "scale"), 0
	for row, err := rows.Read(); err != io.EOF; row, err = rows.Read() {
		if n++; err != nil || row[at] != fmt.Sprint(m.Scale) {
			t.Fatalf("%q, %v: want scale %d", row, err, m.Scale)
		}
	}
	if n != 2 { // with the ideal
		t.Errorf("%d rows", n)
	}
}

// prepareNamed lays out a scenario by its name.
func prepareNamed(name string, set []string, f runFlags) (*scenarios.Scenario, []*job.Set, error) {
	src, err := f.source(name, nil)
	if err != nil {
		return nil, nil, err
	}
	return prepare(src, set, f)
}
