package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
)

// fakeLedger has two claims of the number 2, and a value that is predicted and not compared.
func fakeLedger() *claims.Ledger {
	about := func(id claims.ID) *claims.Claim {
		return &claims.Claim{
			ID: id, Paper: "trio", Where: "§1", Value: claims.NumberValue(2), Unit: "x", Method: claims.Virtual,
			Check: claims.Within{Of: 2, Margin: 0.15, Relative: true}, PassMeans: claims.MeansNumber,
		}
	}
	return &claims.Ledger{
		Claims: []*claims.Claim{about("trio.one"), about("trio.two")},
		Unseen: []*claims.Unseen{{ID: "trio.three", Paper: "trio", Where: "§2", Unit: "ms"}},
		Ambiguities: []*claims.Ambiguity{
			{ID: "trio.open", Where: "§1", Severity: claims.SeverityHigh, Reading: "It is open.", Choices: []string{"open", "shut"}, Default: "open"},
			{ID: "trio.idle", Where: "§1", Severity: claims.SeverityLow, Reading: "It is idle.", Choices: []string{"a", "b"}, Default: "a"},
			{ID: "trio.silent", Where: "§2", Severity: claims.SeverityLow},
		},
	}
}

// fakeList measures two claims from a constant, with two tables and two figures of
// one id, and predicts the third without a table. before runs first.
func fakeList(x float64, before func()) []experiment.Experiment {
	point := claims.Table{ID: "trio.table", Title: "Every point", Columns: []claims.Column{{Name: "y", Unit: "ms"}}, Rows: [][]render.Cell{{render.Exact(x)}}}
	drawn := figure.Figure{ID: "trio.table", Title: "Every point", Panels: []figure.Panel{{
		X: figure.Axis{Label: "x"}, Y: figure.Axis{Label: "y", Unit: "ms"}, Series: []figure.Series{{Name: "measured", Points: []figure.Point{{Y: x}}}},
	}}}
	return []experiment.Experiment{
		{
			ID: "trio.both", Title: "both", Claims: []claims.ID{"trio.one", "trio.two"}, Quick: "half",
			Run: func(_ context.Context, e *experiment.Env) (f experiment.Findings, _ error) {
				v := x * e.Constants.Get("tofino.latency") / 0.6
				f.Set("trio.one", claims.Number(v))
				f.Set("trio.two", claims.Number(2))
				f.Tables = []claims.Table{point, point}
				f.Figures = []figure.Figure{drawn, drawn}
				return f, nil
			},
		},
		{
			ID: "trio.guess", Title: "a guess", Predicts: []claims.ID{"trio.three"},
			Run: func(_ context.Context, e *experiment.Env) (f experiment.Findings, _ error) {
				before()
				e.Note("open: %s", e.Reading("trio.open"))
				f.Predict("trio.three", claims.Prediction{Low: 1, High: 2, Constants: []string{"link.delay"}})
				return f, nil
			},
		},
	}
}

// fakeReproduction is a check of the whole fake ledger.
type fakeReproduction struct {
	reproduction
	out, err bytes.Buffer
}

func newFake(t *testing.T, f reproduceFlags, x float64, before func()) *fakeReproduction {
	t.Helper()
	f.all, f.seed, f.out = true, 1, filepath.Join(t.TempDir(), "results")
	if f.format == "" {
		f.format = "table"
	}
	r := &fakeReproduction{reproduction: reproduction{flags: f, ledger: fakeLedger(), list: fakeList(x, before)}}
	r.stdout, r.stderr = &r.out, &r.err
	if err := r.prepare(); err != nil {
		t.Fatal(err)
	}
	return r
}

// file reads a file of the results.
func (r *fakeReproduction) file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir.Path(), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func nothing() {}

func TestReproduceWritesEverything(t *testing.T) {
	r := newFake(t, reproduceFlags{quick: true, readings: []string{"trio.open=shut", "trio.idle=b"}}, 2, nothing)
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	root, err := filepath.EvalSymlinks(filepath.Join(r.flags.out, "latest"))
	if err != nil {
		t.Fatal(err)
	}
	if err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			got = append(got, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"COLUMNS.md", "claims.json.gz", "constants.csv", "manifest.json", "readings.csv", "report.html",
		"trio.both/trio.table.pdf", "trio.both/trio.table.svg", "trio.both/trio.table-2.pdf", "trio.both/trio.table-2.svg",
	}
	for _, name := range []string{"report", "trio.both/trio.table", "trio.both/trio.table-2"} {
		for _, suffix := range []string{".txt", ".md", ".csv", ".json"} {
			want = append(want, name+suffix)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("files\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if text := r.file(t, "trio.both/trio.table-2.csv"); text != "y_ms\n2\n" {
		t.Errorf("table %q", text)
	}
	if text := r.file(t, "trio.both/trio.table-2.svg"); !strings.HasPrefix(text, "<svg ") || !strings.Contains(text, ">y (ms)</text>") {
		t.Errorf("figure %q", text)
	}
	if text := r.file(t, "constants.csv"); !strings.Contains(text, "\ntofino.latency,0.6,us,true,0.48,0.72,trio.both,") || !strings.Contains(text, "\nlink.delay,0.5,us,true,0.4,0.6,,") {
		t.Errorf("constants\n%s", text)
	}
	if text := r.file(t, "readings.csv"); !strings.Contains(text, "\ntrio.open,§1,high,shut,open,open shut,trio.guess,It is open.,\n") || !strings.Contains(text, "\ntrio.silent,") {
		t.Errorf("readings\n%s", text)
	}
	if out := r.out.String(); out != r.file(t, "report.txt") || !strings.Contains(out, "3 claims: reproduced 2, predicted 1") {
		t.Errorf("output\n%s", out)
	}
	if out := r.out.String(); strings.Contains(out, "--reading trio.open") || !strings.Contains(out, "without effect: --reading trio.idle=b: no experiment") {
		t.Errorf("notes on readings in\n%s", out)
	}
	if progress := r.err.String(); !strings.HasPrefix(progress, "seed 1\nclaims 3, quick\nresults in ") || !strings.Contains(progress, "\n[2/2] trio.guess ") {
		t.Errorf("progress\n%s", progress)
	}
	manifest := struct {
		archive.Manifest
		Options reproduceOptions `json:"options"`
	}{}
	if err := json.Unmarshal([]byte(r.file(t, "manifest.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	if o := manifest.Options; manifest.ExitCode != 0 || len(o.Claims) != 3 || !o.Quick || !slices.Equal(o.Readings, []string{"trio.open=shut", "trio.idle=b"}) {
		t.Errorf("manifest %+v", manifest)
	}
}

// Where a result's tables are: in the directory of its experiment, if it has any.
func TestRunDirs(t *testing.T) {
	r := newFake(t, reproduceFlags{format: "json"}, 2, nothing)
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Claims []struct {
			ID     string `json:"id"`
			RunDir string `json:"run_dir"`
		} `json:"claims"`
	}
	if err := json.Unmarshal(r.out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range doc.Claims {
		if want := map[string]string{"trio.one": "/trio.both", "trio.two": "/trio.both", "trio.three": ""}[c.ID]; c.RunDir != r.dir.Path()+want {
			t.Errorf("%s in %s", c.ID, c.RunDir)
		}
	}
}

func TestUnexpectedFailure(t *testing.T) {
	r := newFake(t, reproduceFlags{quiet: true}, 3, nothing)
	err := r.run(t.Context())
	if exitCode(err) != exitFailed || err.Error() != "not as the ledger expects: trio.one" {
		t.Errorf("code %d, %v", exitCode(err), err)
	}
	if text := r.file(t, "manifest.json"); !strings.Contains(text, `"exit_code": 1`) {
		t.Errorf("manifest\n%s", text)
	}
	if text := r.err.String(); strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "results: ") {
		t.Errorf("quiet, it says\n%s", text)
	}
}

func TestSome(t *testing.T) {
	ids := []string{"a", "b", "c", "d", "e", "f", "g"}
	if got := some(ids[:5]); got != "a, b, c, d, e" {
		t.Error(got)
	}
	if got := some(ids); got != "a, b, c, d, e, and 2 more" || ids[5] != "f" {
		t.Error(got, ids)
	}
}

// A figure that cannot be drawn does not end the check, but makes it incomplete.
func TestFigureThatCannotBeDrawn(t *testing.T) {
	r := newFake(t, reproduceFlags{}, math.Inf(1), nothing)
	if err := r.run(t.Context()); err == nil || !strings.Contains(err.Error(), "the check is incomplete: write result trio.both/trio.table.svg: figure trio.table, panel 1") {
		t.Errorf("%v", err)
	}
	if out := r.out.String(); !strings.Contains(out, "trio.three") {
		t.Errorf("output\n%s", out)
	}
	page := r.file(t, "report.html")
	for _, want := range []string{"Not drawn: trio.both/trio.table-2: write result", "The check is incomplete: write result", `id="trio.three"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The page has each claim with what came of it, and is written where --html says as well; the record makes it again.
func TestReproducePage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	r := newFake(t, reproduceFlags{sensitivity: true, html: file}, 2, nothing)
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	page := r.file(t, "report.html")
	for _, want := range []string{
		"Of 3 claims: 2 reproduced and 1 counted as neither (arithmetic, inputs, others). All came out as the ledger expects.", `id="trio.one"`, "predicted, not compared", "Every point</title>",
		"tofino.latency moves it most, by ", "tofino.latency at the lower end of 0.48..0.72 us makes it not-reproduced", "trio.open = open", "0.6 us",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != page {
		t.Errorf("--html: %v, %d bytes", err, len(text))
	}
	again := filepath.Join(t.TempDir(), "again.html")
	var out, said bytes.Buffer
	newApp(&out, &said, os.Environ()).execute([]string{"report", r.dir.Path(), "-o", again})
	if text, err := os.ReadFile(again); err != nil || untimed(string(text)) != untimed(page) {
		t.Errorf("the page made again is another one: %v, %s", err, said.String())
	}
}

// untimed is a page without how long the check took: the manifest is written after the page.
func untimed(page string) string {
	return regexp.MustCompile(`<dt>Took</dt><dd>[^<]*`).ReplaceAllString(page, "")
}

// On standard output the page stands in place of the claims.
func TestReproducePageOnStandardOutput(t *testing.T) {
	r := newFake(t, reproduceFlags{html: "-"}, 2, nothing)
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out := r.out.String(); out != r.file(t, "report.html") {
		t.Errorf("output\n%s", out)
	}
}

// A check that is cut short shows what it has, and leaves no manifest.
func TestReproduceInterrupted(t *testing.T) {
	for cause, code := range map[error]int{errInterrupted: exitInterrupted, errTimeout: exitTimeout} {
		ctx, cancel := context.WithCancelCause(t.Context())
		r := newFake(t, reproduceFlags{}, 2, func() { cancel(cause) })
		err := r.run(ctx)
		if exitCode(err) != code || !strings.HasPrefix(err.Error(), "the check is incomplete: ") {
			t.Errorf("code %d, %v", exitCode(err), err)
		}
		if out := r.out.String(); !strings.Contains(out, "trio.one") || strings.Contains(out, "trio.three") || !strings.Contains(out, "incomplete: 1 claims") {
			t.Errorf("output\n%s", out)
		}
		if _, err := os.Stat(filepath.Join(r.dir.Path(), "manifest.json")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("there is a manifest: %v", err)
		}
		if r.file(t, "report.csv") == "" {
			t.Error("no report")
		}
		if page := r.file(t, "report.html"); !strings.Contains(page, "The check is incomplete: ") || !strings.Contains(page, `id="trio.one"`) {
			t.Errorf("page\n%s", page)
		}
	}
}

func TestReproduceSensitivity(t *testing.T) {
	r := newFake(t, reproduceFlags{sensitivity: true, format: "json"}, 2, nothing)
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err) // what a changed constant does to a verdict is no failure
	}
	var doc struct {
		Claims []any `json:"claims"`
		Tables []struct {
			ID   string           `json:"id"`
			Rows []map[string]any `json:"rows"`
		} `json:"tables"`
	}
	if err := json.Unmarshal(r.out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Claims) != 3 || len(doc.Tables) != 1 || doc.Tables[0].ID != "sensitivity" || len(doc.Tables[0].Rows) != 2 {
		t.Fatalf("document %+v", doc)
	}
	one, two := doc.Tables[0].Rows[0], doc.Tables[0].Rows[1]
	if one["constant"] != "tofino.latency" || one["flips"] != true || one["verdict_low"] != "not-reproduced" || two["flips"] != false {
		t.Errorf("rows %v, %v", one, two)
	}
	if text := r.file(t, "sensitivity.csv"); strings.Count(text, "\n") != 3 {
		t.Errorf("sensitivity.csv\n%s", text)
	}
	if text := r.err.String(); !strings.Contains(text, "\nsensitivity: 2 runs with changed constants, about ") {
		t.Errorf("progress\n%s", text)
	}
}

// COLUMNS.md describes every key of every file.
func TestReproduceColumns(t *testing.T) {
	r := newFake(t, reproduceFlags{sensitivity: true}, 2, nothing)
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	doc := r.file(t, "COLUMNS.md")
	for _, name := range []string{"report.csv", "constants.csv", "readings.csv", "sensitivity.csv"} {
		keys, err := csv.NewReader(strings.NewReader(r.file(t, name))).Read()
		if err != nil {
			t.Fatal(err)
		}
		_, part, found := strings.Cut(doc, "\n## "+name+"\n")
		part, _, _ = strings.Cut(part, "\n## ")
		if !found {
			t.Errorf("%s is not described", name)
		}
		for _, key := range keys {
			if !strings.Contains(part, "\n| "+key+" ") {
				t.Errorf("%s: %s is not described", name, key)
			}
		}
	}
	if strings.Contains(doc, "scenario.yaml") {
		t.Error("COLUMNS.md is that of a scenario")
	}
}

func TestReproduceRefuses(t *testing.T) {
	for _, c := range []struct {
		f    reproduceFlags
		ids  []string
		want string
	}{
		{reproduceFlags{}, nil, "which claims?"},
		{reproduceFlags{sensitivity: true}, nil, "which claims?"},
		{reproduceFlags{all: true}, []string{"trio"}, `--all is every claim: leave it or "trio" away`},
		{reproduceFlags{list: true, sensitivity: true}, nil, "--list runs nothing"},
		{reproduceFlags{list: true, html: "a.html"}, nil, "--list runs nothing: leave --html away"},
		{reproduceFlags{all: true, html: "no/such/a.html"}, nil, "--html no/such/a.html: there is no directory no/such"},
		{reproduceFlags{all: true, html: t.TempDir()}, nil, "it is a directory: name a file in it"},
		{reproduceFlags{all: true, timeout: -1}, nil, "--timeout -1ns: a time above zero is needed"},
		{reproduceFlags{all: true, format: "xml"}, nil, `unknown format "xml"`},
		{reproduceFlags{}, []string{"trio.on"}, `did you mean "trio.one"?`},
		{reproduceFlags{all: true, readings: []string{"trio.opn=shut"}}, nil, `did you mean "trio.open"?`},
		{reproduceFlags{all: true, readings: []string{"trio.open=closed"}}, nil, "allowed are open, shut"},
		{reproduceFlags{all: true, readings: []string{"trio.silent=x"}}, nil, "trio.silent has no choices"},
	} {
		if c.f.format == "" {
			c.f.format = "table"
		}
		c.f.seed = 1
		r := reproduction{flags: c.f, ids: c.ids, ledger: fakeLedger()}
		if err := r.prepare(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v %q: %v", c.f, c.ids, err)
		}
	}
}

// Without root live claims answer needs-root, which is no failure.
func TestReproduceWithoutRoot(t *testing.T) {
	out := t.TempDir()
	cmd := inalab(t.TempDir(), "reproduce", "trio.s4.hier-equals-flat", "trio.s4.header-12B", "--out", out, "--format", "json")
	if os.Geteuid() == 0 {
		if err := os.Chmod(out, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Dir(out), 0o755); err != nil {
			t.Fatal(err)
		}
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	cmd.Dir = out
	text, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("%v\n%s", err, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Summary map[string]int `json:"summary"`
		Claims  []struct {
			Verdict, Reason string
			Expected        bool
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Summary["needs-root"] != 1 || doc.Summary["reproduced"] != 1 {
		t.Errorf("summary %v", doc.Summary)
	}
	for _, c := range doc.Claims {
		if c.Verdict == "needs-root" && (!c.Expected || !strings.Contains(c.Reason, "run as root")) {
			t.Errorf("%+v", c)
		}
	}
}

// docs/claims.md lists every knob with its choices, the default first and bold,
// and every verdict.
func TestClaimsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, a := range l.Ambiguities {
		if a.Default != "" {
			others := slices.DeleteFunc(slices.Clone(a.Choices), func(c string) bool { return c == a.Default })
			want = append(want, fmt.Sprintf("| `%s` | **%s**, %s |", a.ID, a.Default, strings.Join(others, ", ")))
		}
	}
	_, knobs, _ := strings.Cut(string(text), "\n## Readings\n")
	knobs, _, _ = strings.Cut(knobs, "\n## ")
	var got []string
	for line := range strings.Lines(knobs) {
		if cells := strings.SplitN(line, "|", 4); strings.HasPrefix(line, "| `") {
			got = append(got, strings.Join(cells[:3], "|")+"|")
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("knobs in docs/claims.md\n%s\nof the ledger\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, v := range claims.Verdicts {
		if !strings.Contains(string(text), "\n| `"+string(v)+"` |") {
			t.Errorf("docs/claims.md does not explain %s", v)
		}
	}
}
