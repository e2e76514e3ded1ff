package history_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/history"
	"github.com/inalab/inalab/reports/render"
)

var epoch = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// add makes a results directory whose runs took so many ms an iteration, days after the first.
func add(t *testing.T, root string, days int, ms int64, edit func(*archive.Manifest, *result.Cell)) string {
	t.Helper()
	m := archive.Manifest{Version: fmt.Sprintf("v%d", days), Scenario: "loss", Clock: "live", Scale: 10, Machine: archive.Machine{CPU: "fast", CPUs: 2, Arch: "amd64"},
		Options: map[string]any{"Iterations": 4}}
	c := result.Cell{System: "ring", Topology: "rack", Model: "vgg11", Clock: "live", Seed: 1, Scale: 10, Workers: 1, Checked: 10, Fidelity: result.Fidelity{Verdict: result.Trusted}}
	for i := range int64(4) {
		c.Samples = append(c.Samples, result.Sample{Iteration: int(i), Start: units.Time(i * ms * int64(units.Millisecond)), End: units.Time((i + 1) * ms * int64(units.Millisecond))})
	}
	if edit != nil {
		edit(&m, &c)
	}
	d, err := archive.Create(archive.Options{Root: root, Scenario: m.Scenario, Started: epoch.AddDate(0, 0, days)})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.WriteRecord(&archive.Record{Scenario: m.Scenario, Cells: []result.Cell{c}}), d.Finish(m)); err != nil {
		t.Fatal(err)
	}
	return d.Path()
}

// open brings the index of a directory up to date.
func open(t *testing.T, root string, rebuild bool) (runs []*history.Run, refused, notes []string) {
	t.Helper()
	x, err := history.Open(root, rebuild)
	if err != nil {
		t.Fatal(err)
	}
	if err = x.Update(); err == nil {
		runs, refused, err = x.Runs()
	}
	if err = errors.Join(err, x.Close()); err != nil {
		t.Fatal(err)
	}
	return runs, refused, x.Notes
}

func TestChangesAgainstTheMedian(t *testing.T) {
	root := t.TempDir()
	for i, ms := range []int64{100, 120, 110, 220} {
		add(t, root, i, ms, nil)
	}
	add(t, root, 9, 300, func(m *archive.Manifest, c *result.Cell) { c.Fidelity.Verdict = result.Invalid })
	add(t, root, 10, 55, nil)
	runs, _, _ := open(t, root, false)
	var got []string
	for _, e := range history.Entries(runs, nil) {
		got = append(got, fmt.Sprintf("%.0f %.3f %d", e.IterMS, e.Change, e.Before))
	}
	want := []string{"100 NaN 0", "120 0.200 1", "110 0.000 2", "220 1.000 3", "300 NaN 4", "55 -0.522 4"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A run is held against none of another scenario, value, clock, scale, machine or seed.
func TestWhatIsHeldApart(t *testing.T) {
	for name, edit := range map[string]func(*archive.Manifest, *result.Cell){
		"scenario": func(m *archive.Manifest, _ *result.Cell) { m.Scenario = "straggler" },
		"value":    func(m *archive.Manifest, _ *result.Cell) { m.Options = map[string]any{"Iterations": 5} },
		"clock":    func(m *archive.Manifest, _ *result.Cell) { m.Clock = "virtual" },
		"scale":    func(m *archive.Manifest, _ *result.Cell) { m.Scale = 20 },
		"machine":  func(m *archive.Manifest, _ *result.Cell) { m.Machine.CPU = "slow" },
		"seed":     func(_ *archive.Manifest, c *result.Cell) { c.Seed = 2 },
		"system":   func(_ *archive.Manifest, c *result.Cell) { c.System = "atp" },
		"point": func(_ *archive.Manifest, c *result.Cell) {
			c.Point = result.Point{Keys: []result.Swept{{Key: "hosts", Value: "8"}}}
		},
	} {
		root := t.TempDir()
		add(t, root, 0, 100, nil)
		add(t, root, 1, 100, edit)
		runs, _, _ := open(t, root, false)
		if list := history.Entries(runs, nil); len(list) != 2 || !math.IsNaN(list[1].Change) {
			t.Errorf("%s: held against each other", name)
		}
	}
	root := t.TempDir()
	add(t, root, 0, 100, nil)
	add(t, root, 1, 110, func(m *archive.Manifest, _ *result.Cell) { m.Options = map[string]any{"Iterations": 4, "New": "x"} })
	runs, _, _ := open(t, root, false)
	if list := history.Entries(runs, nil); math.Abs(list[1].Change-0.1) > 1e-9 {
		t.Error("a key that only a newer build has keeps runs apart")
	}
}

// The index follows the directories: new ones, those that are gone, and those written anew.
func TestIndexFollows(t *testing.T) {
	root := t.TempDir()
	first := add(t, root, 0, 100, nil)
	add(t, root, 1, 110, nil)
	if runs, _, _ := open(t, root, false); len(runs) != 2 {
		t.Fatalf("%d runs", len(runs))
	}
	dir := filepath.Join(root, "a <b> & c")
	if err := errors.Join(os.RemoveAll(first), os.Mkdir(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	runs, refused, notes := open(t, root, false)
	if len(runs) != 1 || runs[0].Rows[0].IterMS != 110 || len(notes) > 0 || len(refused) != 1 || !strings.Contains(refused[0], "a <b> & c has no manifest.json") {
		t.Errorf("%d runs, refused %q, notes %q", len(runs), refused, notes)
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(`{"schema_version": 9}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, refused, _ := open(t, root, false); !strings.Contains(strings.Join(refused, ""), "schema_version is 9, and this version of inalab reads up to 1") {
		t.Errorf("refused %q", refused)
	}
}

// An index that cannot be used is made again, and that is said.
func TestIndexIsMadeAgain(t *testing.T) {
	for name, c := range map[string]struct {
		spoil   func(t *testing.T, path string)
		rebuild bool
		want    string
	}{
		"damaged": {func(t *testing.T, path string) { write(t, path, []byte("no data base at all")) }, false, "file is not a database"},
		"cut": {func(t *testing.T, path string) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, text[:len(text)/2])
		}, false, "is made again"},
		"version": {func(t *testing.T, path string) { execute(t, path, "PRAGMA user_version = 7") }, false, "its version is 7, and this build has 1"},
		"tables":  {func(t *testing.T, path string) { execute(t, path, "DROP TABLE refused") }, false, "no such table: refused"},
		"asked":   {func(*testing.T, string) {}, true, "as asked for"},
	} {
		root := t.TempDir()
		add(t, root, 0, 100, nil)
		open(t, root, false)
		c.spoil(t, filepath.Join(root, history.FileName))
		runs, _, notes := open(t, root, c.rebuild)
		if len(runs) != 1 || !strings.Contains(strings.Join(notes, ""), c.want) {
			t.Errorf("%s: %d runs, notes %q", name, len(runs), notes)
		}
		if _, _, notes = open(t, root, false); len(notes) > 0 {
			t.Errorf("%s: made again once more: %q", name, notes)
		}
	}
	if _, err := history.Open(filepath.Join(t.TempDir(), "none"), false); err == nil {
		t.Error("an index of no directory")
	}
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = db.Exec(statement)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSelection(t *testing.T) {
	root := t.TempDir()
	add(t, root, 0, 100, nil)
	add(t, root, 1, 100, func(m *archive.Manifest, c *result.Cell) { m.Scenario, c.System = "straggler", "atp" })
	runs, _, _ := open(t, root, false)
	for words, want := range map[string]int{"": 2, "loss": 1, "system=atp": 1, "loss system=atp": 0, "clock=live straggle_p=0% scale=10": 2} {
		s, err := history.ParseSelection(strings.Fields(words))
		if got := len(history.Entries(runs, s)); err != nil || got != want {
			t.Errorf("%q: %d entries, %v, want %d", words, got, err, want)
		}
	}
	_, err := history.ParseSelection([]string{"sistem=ring"})
	if err == nil || !strings.Contains(err.Error(), `"sistem=ring": sistem is nothing to select by: there are clock, job, `) || !strings.Contains(err.Error(), "system") {
		t.Errorf("got %v", err)
	}
}

func TestTableAndFigure(t *testing.T) {
	root := t.TempDir()
	for i, ms := range []int64{100, 101, 99, 120, 121} {
		add(t, root, i, ms, nil)
		add(t, root, 20+i, 200, func(m *archive.Manifest, c *result.Cell) { m.Clock, c.System = "virtual", "a <b>" })
	}
	add(t, root, 9, 300, func(m *archive.Manifest, c *result.Cell) { c.Wrong = 1 })
	runs, _, _ := open(t, root, false)
	for _, r := range runs {
		r.Dir = "RUN" // with a random name
	}
	list := history.Entries(runs, nil)
	for _, f := range []render.Format{render.FormatTable, render.FormatCSV} {
		var b bytes.Buffer
		if err := render.Write(&b, history.Table(list), render.Options{Format: f}); err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, "history."+string(f), b.String())
	}
	drawn, ok := history.Figure(list)
	var svg bytes.Buffer
	if err := figure.Write(&svg, drawn); !ok || err != nil {
		t.Fatalf("drawn %v, %v", ok, err)
	}
	golden.Equal(t, "history.svg", svg.String())
	if _, ok := history.Figure(nil); ok {
		t.Error("nothing is drawn")
	}
}

// What is more than a figure holds is left out, and counted.
func TestFigureIsBounded(t *testing.T) {
	root := t.TempDir()
	for i := range 40 {
		add(t, root, i, 100, func(m *archive.Manifest, c *result.Cell) { m.Scale, c.System = 1+i%20, fmt.Sprintf("s%d", i) })
	}
	runs, _, _ := open(t, root, false)
	drawn, _ := history.Figure(history.Entries(runs, nil))
	if err := figure.Write(&bytes.Buffer{}, drawn); err != nil || len(drawn.Panels) != 12 || !strings.Contains(strings.Join(drawn.Notes, ""), "24 series more are not drawn") {
		t.Errorf("%d panels, notes %q, %v", len(drawn.Panels), drawn.Notes, err)
	}
}
