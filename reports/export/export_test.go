package export_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	gojunit "github.com/joshdk/go-junit"
	"golang.org/x/perf/benchfmt"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/export"
)

var started = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// samples are of two workers and four iterations, of which each takes so long and a bit.
func samples(system string, ms int64) (out []result.Sample) {
	for w := range 2 {
		at := units.Time(0)
		for i := range 4 {
			end := at.Add(units.Duration(ms+int64(i)) * units.Millisecond)
			out = append(out, result.Sample{System: system, Worker: w, Iteration: i, Start: at, End: end})
			at = end
		}
	}
	return out
}

// cell is a run of a system whose name and sweep need care.
func cell(system, value, fidelity string, ms int64) result.Cell {
	return result.Cell{
		System: system, Topology: "rack", Clock: "live", Seed: 7, Scale: 10, Workers: 2, Iterations: 4, Samples: samples(system, ms),
		Point: result.Point{Keys: []result.Swept{{Key: "topology.name", Value: value}}}, Checked: 100,
		Fidelity: result.Fidelity{Verdict: fidelity, Reasons: []string{"timers were <late>"}},
	}
}

// results makes a results directory and returns its path.
func results(t *testing.T, m archive.Manifest, fill func(*archive.Dir) error) string {
	t.Helper()
	dir, err := archive.Create(archive.Options{Root: t.TempDir(), Scenario: m.Scenario, ID: "1", Started: started})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fill(dir), dir.Finish(m)); err != nil {
		t.Fatal(err)
	}
	m.SchemaVersion, m.Started, m.Ended = archive.SchemaVersion, started, started.Add(90*time.Second)
	text, err := json.Marshal(m)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir.Path(), "manifest.json"), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir.Path()
}

func manifest(scenario string, exit int) archive.Manifest {
	return archive.Manifest{
		Command: []string{"inalab", "run", "a b", "<c>"}, Version: "v1.2.3", Commit: "0123456789abcdef", Scenario: scenario, Clock: "live",
		Seed: 7, Scale: 10, ExitCode: exit,
	}
}

// aRun has everything once: a run to believe, one not to, a wrong sum, expectations of every outcome.
func aRun(t *testing.T) string {
	t.Helper()
	cells := []result.Cell{cell("ring", "two words", "trusted", 10), cell("ps<b>", "a/b-16|c", "invalid", 20), cell("atp", "a/b-16|c", "busy", 30)}
	cells[2].Wrong = 3
	m := manifest("loss", 1)
	for _, c := range cells {
		m.Verdicts = append(m.Verdicts, archive.Verdict{
			System: c.System, Seed: c.Seed, Swept: c.Point, Fidelity: c.Fidelity.Verdict, Reasons: c.Fidelity.Reasons, Checked: c.Checked, Wrong: c.Wrong,
		})
	}
	return results(t, m, func(d *archive.Dir) error {
		return d.WriteRecord(&archive.Record{Scenario: "loss", Cells: cells, Expected: []archive.Outcome{
			{Check: "iter_ms, 12 at most", Text: "as expected: iter_ms, 12 at most (1 rows)", Met: true},
			{Text: "not as expected: drops, 0 at most: <i>ring</i> has 4"},
			{Check: "marks, 1 at least", Text: "not judged: marks, 1 at least", Met: true, Unjudged: true},
		}})
	})
}

const claimsText = `{"schema_version": 1, "claims": [
 {"id": "trio.a", "paper": "trio", "where": "§6, Fig 13", "paper_value": 1.8, "measured": 1.9, "unit": "x", "tolerance": "<2",
  "verdict": "reproduced", "reason": "it holds", "expected": true, "evidence": "simulated", "seconds": 1.5},
 {"id": "trio.b", "paper": "trio", "verdict": "known-failure", "reason": "of old", "expected": true, "paper_value": null, "measured": null},
 {"id": "atp.c", "paper": "atp", "verdict": "not-reproduced", "reason": "3 is not <2", "expected": false, "paper_value": 2, "measured": 3},
 {"id": "atp.d", "paper": "atp", "verdict": "needs-root", "reason": "live", "expected": true, "paper_value": 2, "measured": null}
]}`

func aCheck(t *testing.T) string {
	t.Helper()
	return results(t, manifest("reproduce", 1), func(d *archive.Dir) error {
		return d.Write("report.json", func(w io.Writer) error { _, err := io.WriteString(w, claimsText); return err })
	})
}

// all reads one source of every kind, with paths that do not depend on the test's directory.
func all(t *testing.T) []*export.Report {
	t.Helper()
	var out []*export.Report
	for _, source := range []struct{ path, as string }{
		{aRun(t), "results/run"}, {aCheck(t), "results/check"},
		{"../bench/testdata/allreduce.json", ""}, {"../bench/testdata/aggregator.json", ""}, {"../bench/testdata/sim.json", ""},
		{"../bench/testdata/topology.json", ""}, {"testdata/chip.json", ""},
	} {
		r := export.Read(source.path)
		if r.Broken != nil {
			t.Fatal(r.Broken)
		}
		if source.as != "" {
			r.Path = source.as
		}
		out = append(out, r)
	}
	return out
}

func written(t *testing.T, reports []*export.Report, f export.Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := export.Write(&b, reports, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrite(t *testing.T) {
	names := map[export.Format]string{
		export.Summary: "summary.md", export.JUnit: "junit.xml", export.Benchmarks: "bench.txt",
		export.GABSmaller: "smaller.json", export.GABBigger: "bigger.json",
	}
	if len(names) != len(export.Formats) {
		t.Fatalf("%d formats are tested, of %d", len(names), len(export.Formats))
	}
	for _, f := range export.Formats {
		t.Run(string(f), func(t *testing.T) { golden.Equal(t, names[f], written(t, all(t), f)) })
	}
}

// What failed in the source fails in the tests that another program reads, and nothing else does.
func TestJUnitIsRead(t *testing.T) {
	suites, err := gojunit.Ingest([]byte(written(t, all(t), export.JUnit)))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]gojunit.Totals{}
	for _, s := range suites {
		s.Totals.Duration = 0
		got[s.Name] = s.Totals
	}
	for name, want := range map[string]gojunit.Totals{
		"loss (live)":      {Tests: 10, Passed: 5, Failed: 3, Error: 1, Skipped: 1},
		"reproduce (live)": {Tests: 5, Passed: 2, Failed: 2, Skipped: 1},
	} {
		if got[name] != want {
			t.Errorf("%s: %+v, want %+v", name, got[name], want)
		}
	}
}

// Go's own reader of benchmarks finds every value under a name of one word.
func TestBenchmarksAreRead(t *testing.T) {
	reports := all(t)
	want := 0
	for _, r := range reports {
		want += len(r.Values)
	}
	got := 0
	in := benchfmt.NewReader(strings.NewReader(written(t, reports, export.Benchmarks)), "test")
	for in.Scan() {
		switch rec := in.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			got += len(rec.Values)
			if base, parts := rec.Name.Parts(); strings.Contains(string(base), "-") || len(parts) == 0 {
				t.Errorf("name %s", rec.Name)
			}
		}
	}
	if err := in.Err(); err != nil || got != want || want == 0 {
		t.Errorf("read %d values of %d, %v", got, want, err)
	}
}

// The lists of both directions together hold each value once.
func TestGABIsRead(t *testing.T) {
	reports := all(t)
	want, got := 0, 0
	for _, r := range reports {
		want += len(r.Values)
	}
	for _, f := range []export.Format{export.GABSmaller, export.GABBigger} {
		var list []struct {
			Name, Unit string
			Value      *float64
		}
		text := written(t, reports, f)
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			if e.Name == "" || e.Unit == "" || e.Value == nil {
				t.Errorf("%s: %+v", f, e)
			}
		}
		if strings.Contains(text, "<") {
			t.Errorf("%s holds HTML: %s", f, text)
		}
		got += len(list)
	}
	if got != want {
		t.Errorf("%d values of %d", got, want)
	}
	if text := written(t, nil, export.GABSmaller); strings.TrimSpace(text) != "[]" {
		t.Errorf("nothing is %q, want an empty list", text)
	}
}

// What cannot be read is named, is a test in error, and leaves the others as they are.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := results(t, manifest("new", 0), func(d *archive.Dir) error {
		return d.Write("report.json", func(w io.Writer) error { _, err := io.WriteString(w, `{"schema_version": 99}`); return err })
	})
	damaged := results(t, manifest("torn", 0), func(d *archive.Dir) error {
		return d.Write(archive.RecordName, func(w io.Writer) error { _, err := io.WriteString(w, "no gzip"); return err })
	})
	for path, want := range map[string]string{
		dir:                         "has no manifest.json",
		filepath.Join(dir, "none"):  "there is no file or directory",
		file("words.json", "words"): "invalid character",
		file("other.json", `{"schema_version":1}`):                 "there are no rows of a benchmark",
		file("rows.json", `{"schema_version":1,"rows":[{"x":1}]}`): "a row has none of the keys of a benchmark: it has x",
		file("newer.json", `{"schema_version":2,"rows":[]}`):       "its schema_version is 2, and this version of inalab reads 1",
		newer:   "its schema_version is 99",
		damaged: archive.RecordName,
	} {
		r := export.Read(path)
		if r.Broken == nil || !strings.Contains(r.Broken.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", path, r.Broken, want)
		}
		both := []*export.Report{r, export.Read("../bench/testdata/sim.json")}
		suites, err := gojunit.Ingest([]byte(written(t, both, export.JUnit)))
		if err != nil || len(suites) != 2 || suites[0].Totals.Error != 1 || suites[1].Totals.Passed == 0 {
			t.Errorf("%s: read %+v, %v", path, suites, err)
		}
	}
}
