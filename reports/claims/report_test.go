package claims

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/reports/render"
)

// sample is a report with every verdict, an unexpected failure and an
// unexpected pass.
func sample(t *testing.T) Report {
	t.Helper()
	l := small(t)
	judged := func(id ID, m Measured, run Run) Result {
		c := claimOf(t, l, id)
		return c.Result(c.Judge(m), run)
	}
	pfe := Estimate(1.7241, 0.0512, 100)
	pfe.Model, pfe.Reading, pfe.Constants = "PFE: one server of 6e9 adds a second", "wake: skip", []string{"a", "b"}
	pfe.Note = "three points an iteration"
	live := claimOf(t, l, "trio.fig1.live")
	prediction, err := l.Unseen[0].Result(Prediction{
		Low: 1.55, High: 1.9, Model: pfe.Model, Constants: []string{"compute time of the profile", "timer spacing of 100 us", "rate of a PFE"},
	}, Run{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return Report{
		Results: []Result{
			judged("trio.fig1.goodput", Number(77.11), Run{}),
			judged("trio.fig1.speedup", pfe, Run{Seed: 1, Seconds: 12.34, Dir: "results/x", Quick: "10 of 100 iterations", Switch: []Switch{SwitchPFE}}),
			live.Result(NotRun(NeedsRoot, "no user namespaces"), Run{}),
			judged("trio.fig2.grows", points(1, 1.15, 1.3, 1.45, 1.6).RanOn(SwitchPipeline), Run{Seed: 1, Seconds: 3, Switch: []Switch{SwitchReference, SwitchPipeline}}),
			judged("trio.tab1.size", Number(98), Run{}),
			judged("trio.s1.hardware", Measured{}, Run{}),
			judged("switchml.tab1.bert", Group(map[string]Measured{"comm_pct": Estimate(66.2, 0.4, 20), "batch_ms": Number(1677)}), Run{Seed: 1}),
			judged("switchml.s3.order", rank(3, 2, 2.5, 4), Run{Seed: 1}),
			judged("switchml.s3.bound", Number(2.05), Run{}),
			judged("switchml.s3.stuck", Number(1.21), Run{Seed: 1, Switch: []Switch{SwitchReference, SwitchPipeline}}),
			judged("switchml.s3.depends", Number(9).Over(End{At: "2 ns an instruction", Measured: Number(5.2)}, End{At: "230 ns", Measured: Number(130)}), Run{Seed: 1}),
			judged("atp.s1.sum", numbers(58, 248), Run{}),
			claimOf(t, l, "xagg.s1.yes").Result(NotRun(NotYet, "system xagg"), Run{}),
			prediction,
		},
		Notes: []string{"Trio-ML: a PFE is one server of 6e9 adds a second and its links"},
	}
}

func TestReportGoldens(t *testing.T) {
	r := sample(t)
	for _, c := range []struct {
		name string
		o    render.Options
	}{
		{"report.txt", render.Options{}},
		{"report-80.txt", render.Options{Width: 80}},
		{"report-unicode.txt", render.Options{Unicode: true}},
		{"report-wide.txt", render.Options{Format: render.FormatWide, Width: 400}},
		{"report.md", render.Options{Format: render.FormatMarkdown}},
		{"report.csv", render.Options{Format: render.FormatCSV}},
		{"report.json", render.Options{Format: render.FormatJSON}},
	} {
		golden.Equal(t, c.name, written(t, r.Write, c.o))
	}
	for _, f := range []render.Format{render.FormatTable, render.FormatCSV, render.FormatJSON} {
		golden.Equal(t, "report-empty."+string(f), written(t, Report{}.Write, render.Options{Format: f}))
	}
}

func written(t *testing.T, write func(io.Writer, render.Options) error, o render.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A claim takes one line of the table, so that grep and the eye find it.
func TestOneLineAClaim(t *testing.T) {
	text := written(t, sample(t).Write, render.Options{})
	for _, id := range []string{"switchml.tab1.bert", "switchml.s3.order", "trio.fig2.grows"} {
		for line := range strings.Lines(text) {
			if strings.Contains(line, "| "+id) && !strings.HasSuffix(strings.TrimSpace(line), "|") {
				t.Errorf("line %q", line)
			}
		}
	}
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 120 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}

// The longest id of the ledger leaves room for every column but those that --format wide has room for.
func TestWidthOfALine(t *testing.T) {
	r := Result{
		ID: ID(strings.Repeat("x", 37)), Verdict: NotReproduced, Quick: "cut", Unit: strings.Repeat("u", 20),
		Tolerance: strings.Repeat("≤", 20), people: strings.Repeat("m", 40), PaperValue: WordValue(strings.Repeat("p", 40)),
	}
	text := written(t, Report{Results: []Result{r}}.Write, render.Options{})
	if left := "left out to fit 120 columns: switch, evidence;"; strings.Count(text, "left out to fit") != strings.Count(text, left) {
		t.Error(text)
	}
}

// CSV has the keys and the values of JSON, in its order.
func TestFormatsAgree(t *testing.T) {
	r := sample(t)
	records, err := csv.NewReader(strings.NewReader(written(t, r.Write, render.Options{Format: render.FormatCSV}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		SchemaVersion int            `json:"schema_version"`
		Summary       map[string]int `json:"summary"`
		Evidence      map[string]map[string]int
		Unexpected    int `json:"unexpected"`
		Claims        []map[string]any
	}
	if err := json.Unmarshal([]byte(written(t, r.Write, render.Options{Format: render.FormatJSON})), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.SchemaVersion != SchemaVersion || len(doc.Summary) != len(Verdicts) || doc.Unexpected != 1 || len(doc.Claims) != len(r.Results) {
		t.Errorf("schema %d, summary %v, %d unexpected, %d claims", doc.SchemaVersion, doc.Summary, doc.Unexpected, len(doc.Claims))
	}
	if of := doc.Evidence["simulated"]; len(doc.Evidence) != len(Evidences) || of["within-band"] != 1 || of["known-failure"] != 1 || doc.Evidence["arithmetic"]["reproduced"] != 0 {
		t.Errorf("by evidence %v", doc.Evidence)
	}
	for i, object := range doc.Claims {
		for j, key := range records[0] {
			if text, isText := object[key].(string); isText && text != records[i+1][j] {
				t.Errorf("claim %d: %s is %q, in CSV %q", i, key, text, records[i+1][j])
			}
		}
	}
	order := []string{
		"id", "paper", "where", "paper_value", "measured", "unit", "ci95", "n", "tolerance", "verdict", "reason", "reading",
		"expected", "pass_means", "method", "evidence", "switch", "seed", "seconds", "run_dir",
	}
	if got := strings.Join(records[0][:len(order)], " "); got != strings.Join(order, " ") {
		t.Errorf("columns %s", got)
	}
	for _, key := range order {
		if _, ok := doc.Claims[0][key]; !ok {
			t.Errorf("JSON has no %s", key)
		}
	}
}

func TestSummary(t *testing.T) {
	l := small(t)
	stuck, order := claimOf(t, l, "switchml.s3.stuck"), claimOf(t, l, "switchml.s3.order")
	weak := claimOf(t, l, "trio.fig2.grows")
	live := claimOf(t, l, "trio.fig1.live")
	for _, c := range []struct {
		name       string
		results    []Result
		unexpected int
		weak       int
		restated   int
	}{
		{"nothing", nil, 0, 0, 0},
		{"known failure", []Result{stuck.Result(stuck.Judge(Number(1)), Run{})}, 0, 0, 0},
		{"unexpected pass", []Result{stuck.Result(stuck.Judge(Number(1.8)), Run{})}, 1, 0, 0},
		{"unexpected failure", []Result{order.Result(order.Judge(rank(4, 3, 2, 1)), Run{})}, 1, 0, 0},
		{"broken", []Result{order.Result(Broken(errors.New("x")), Run{}), stuck.Result(Broken(errors.New("x")), Run{})}, 2, 0, 0},
		{"weak pass", []Result{weak.Result(weak.Judge(points(1, 2, 3)), Run{})}, 0, 1, 0},
		{"weak claim that fails", []Result{weak.Result(weak.Judge(points(3, 2, 1)), Run{})}, 1, 0, 0},
		{"restated", []Result{live.Result(live.Judge(Number(2)), Run{})}, 0, 0, 1},
	} {
		r := Report{Results: c.results}
		s := r.Summary()
		var total int
		for _, n := range s.Verdicts {
			total += n
		}
		if s.Unexpected != c.unexpected || s.Weak != c.weak || s.Restated != c.restated || total != len(c.results) {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
}

func TestReportRefuses(t *testing.T) {
	if err := sample(t).Write(&bytes.Buffer{}, render.Options{Format: "yaml"}); err == nil || !strings.HasPrefix(err.Error(), "unknown format") {
		t.Error(err)
	}
	for _, f := range render.Formats {
		if err := sample(t).Write(broken{}, render.Options{Format: f}); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", f, err)
		}
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestListGoldens(t *testing.T) {
	list := small(t).All().Table()
	for name, o := range map[string]render.Options{
		"list.txt": {}, "list-wide.txt": {Format: render.FormatWide, Width: 300}, "list.csv": {Format: render.FormatCSV},
		"list.json": {Format: render.FormatJSON},
	} {
		var b strings.Builder
		if err := render.Write(&b, list, o); err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, name, b.String())
	}
}

// Further tables follow the summary where people read, are under their ids in
// JSON, and are no part of CSV.
func TestFurtherTables(t *testing.T) {
	r := sample(t)
	plain := written(t, r.Write, render.Options{})
	r.Tables = []render.Table{{
		ID: "extra", Title: "What else there is", Columns: []render.Column{{Key: "x", Name: "x"}}, Rows: [][]render.Cell{{render.Exact(5)}},
	}}
	if rest, ok := strings.CutPrefix(written(t, r.Write, render.Options{}), plain); !ok || !strings.HasPrefix(rest, "\nWhat else there is\n") {
		t.Errorf("behind the report stands %q", rest)
	}
	var doc struct {
		Tables []struct {
			ID   string           `json:"id"`
			Rows []map[string]int `json:"rows"`
		} `json:"tables"`
	}
	if err := json.Unmarshal([]byte(written(t, r.Write, render.Options{Format: render.FormatJSON})), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Tables) != 1 || doc.Tables[0].ID != "extra" || doc.Tables[0].Rows[0]["x"] != 5 {
		t.Errorf("tables %+v", doc.Tables)
	}
	if written(t, r.Write, render.Options{Format: render.FormatCSV}) != written(t, sample(t).Write, render.Options{Format: render.FormatCSV}) {
		t.Error("a further table changes the CSV")
	}
}
