package claimreport

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/page"
)

// ledger has a claim of each sort that a page shows in its own way.
func ledger() *claims.Ledger {
	claim := func(id claims.ID, where string) *claims.Claim {
		return &claims.Claim{
			ID: id, Paper: "trio", Where: where, Statement: "It is twice as fast.", Value: claims.NumberValue(2), Unit: "x", Method: claims.Virtual, Evidence: claims.EvidenceSimulated,
			Check: claims.Within{Of: 2, Margin: 0.15, Relative: true}, PassMeans: claims.MeansNumber, Tolerance: claims.Tolerance{Accept: "+/-15%", Why: "noise"},
		}
	}
	fails, open, sum, parts := claim("trio.fails", "§2, Fig 3"), claim("trio.open", "§2"), claim("trio.sum", "§3"), claim("trio.parts", "Table 1")
	open.Headline = true
	fails.KnownFailure = &claims.KnownFailure{Measured: claims.NumberValue(1), Reason: "every block ages by itself"}
	open.Undetermined = &claims.Declared{Measured: claims.NumberValue(2), Reason: "the latency is not printed"}
	sum.Method, sum.Evidence, sum.PassMeans = claims.Unit, claims.EvidenceArithmetic, claims.MeansArithmetic
	parts.Check = claims.Parts{Parts: claims.PartList{{Name: "comm_pct", Check: claims.Max{Value: 10}}, {Name: "batch_ms", Check: claims.Min{Value: 3}}}}
	return &claims.Ledger{
		Claims: []*claims.Claim{claim("trio.holds", "§2, Fig 3"), fails, open, sum, parts},
		Unseen: []*claims.Unseen{{ID: "trio.unseen", Paper: "trio", Where: "§2, Fig 14", Statement: "The time of recovery.", Unit: "ms", Evidence: claims.EvidenceSimulated}},
	}
}

// record is what a check of the ledger keeps.
func record(t *testing.T) *Record {
	t.Helper()
	l := ledger()
	r := &Record{Asked: []string{}, Notes: []string{"a note on all"}}
	measured := []claims.Measured{
		claims.Estimate(2.1, 0.25, 9).On("a model"), claims.Number(1),
		claims.Number(2.2).Over(claims.End{At: "1 us", Measured: claims.Number(2)}, claims.End{At: "9 us", Measured: claims.Number(7)}),
		claims.Number(2), claims.NumberParts(map[string]float64{"comm_pct": 9, "batch_ms": 4}),
	}
	for i, c := range l.Claims {
		res := c.Result(c.Judge(measured[i]), claims.Run{Seed: 1, Seconds: 2, Switch: []claims.Switch{claims.SwitchPipeline}})
		k := NewClaim(&res, l)
		k.Experiment = "trio.fig3"
		r.Claims = append(r.Claims, k)
	}
	res, err := l.Unseen[0].Result(claims.Prediction{Low: 1, High: 4, Constants: []string{"link.delay"}}, claims.Run{})
	if err != nil {
		t.Fatal(err)
	}
	r.Claims = append(r.Claims, NewClaim(&res, l))
	r.Claims[0].Influences = []Influence{{Constant: "link.delay", Range: "0.4..0.6 us", Low: "2", High: "9", Effect: "+300.0%", Verdicts: [2]claims.Verdict{claims.Reproduced, claims.NotReproduced}}}
	r.Experiments = []Experiment{{ID: "trio.fig3", Figures: []Figure{drawing("trio.fig3", 2), drawing("trio.fig3.more", 3)}, Tables: []Table{{File: "trio.fig3/trio.fig3", Title: "t"}}}}
	r.Constants = []Constant{{Name: "link.delay", Value: "0.5 us", Assumed: true, Range: "0.4 to 0.6 us", Source: "a guess", UsedBy: "trio.fig3"}, {Name: "idle.constant", Value: "1"}}
	r.Readings = []Reading{{ID: "trio.wake", Where: "§5", Issue: "what it does", Reading: "It skips.", Choice: "skip", Default: "skip", UsedBy: "trio.fig3"}, {ID: "trio.silent", Where: "§1", Issue: "nothing"}}
	return r
}

func drawing(id string, y float64) Figure {
	return Figure{File: "trio.fig3/" + id, Data: &figure.Figure{ID: id, Title: "Drawn " + id, Panels: []figure.Panel{{
		X: figure.Axis{Label: "x"}, Y: figure.Axis{Label: "y"}, Series: []figure.Series{{Name: "ours", Points: []figure.Point{{X: 1, Y: y, Below: 1, Above: 1}}}},
		Marks: []figure.Mark{{X: figure.At(1), Y: figure.At(2)}},
	}}}}
}

func source(r *Record) *Source {
	m := archive.Manifest{Version: "v1", Seed: 5, Command: []string{"/x/inalab", "reproduce", "--all"}, Started: time.Unix(0, 0), Ended: time.Unix(60, 0)}
	return &Source{Name: "20260102T150405Z-reproduce-1", Manifest: m, Record: r}
}

func written(t *testing.T, r *Record) string {
	t.Helper()
	var out bytes.Buffer
	if err := New(source(r)).WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The page has for each claim what it prints, what came out, on what that rests, and why.
func TestPageSaysEverything(t *testing.T) {
	text := strings.ReplaceAll(written(t, record(t)), "&#43;", "+")
	for _, want := range []string{
		"Of 6 claims: 2 reproduced, 1 failed for a known reason, 1 undetermined and 2 counted as neither (arithmetic, inputs, others). All came out as the ledger expects.",
		`id="trio.holds"`, "<dd>2.1 ±0.25 x</dd>", "<dd>2 ±15%</dd>", "a model", "Every block ages by itself.", "1 is too low for 2 ±15%.",
		"evidence: simulated", "switch: pipeline", "The latency is not printed.", "<td class=\"w\">9 us</td>", "fails",
		"predicted, not compared", "<dd>1..4 ms</dd>", "link.delay moves it most, by +300.0% over 0.4..0.6 us; link.delay at the upper end of 0.4..0.6 us makes it not-reproduced.",
		"comm_pct", "Every point is in trio.fig3/trio.fig3.csv.", ">Drawn trio.fig3.more</text>", "trio.wake = skip", "a guess", "inalab reproduce --all", "A note on all.",
		"<dt>Asked for</dt><dd>every claim</dd>", `value="headline"> headline <small>1</small>`,
		`data-tags="verdict:known-failure`, `<a href="#trio-fig-14">Fig 14</a>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"idle.constant", "withh", "kept back", "hidden value", "at 9 us 7 is too high"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

// What no paper says is counted apart.
func TestOwnClaimsAreCountedApart(t *testing.T) {
	r := record(t)
	r.Claims[0].Origin = claims.Own
	text := written(t, r)
	for _, want := range []string{"Of 5 claims: 1 reproduced, 1 failed", "Counted apart: 1 of this project, which no paper makes.", `value="of this project"> of this project <small>1</small>`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(text, ">of this project</th>"); n != 3 {
		t.Errorf("%d tables of totals have a column for it, want 3: by paper, by evidence, and of the paper", n)
	}
}

// Figures and claims of a place stand together, in the order of the paper's numbers.
func TestOrder(t *testing.T) {
	text := written(t, record(t))
	at := 0
	for _, part := range []string{`id="totals"`, `id="trio"`, `id="trio-fig-3"`, ">Drawn trio.fig3</text>", `id="trio.holds"`, `id="trio.fails"`, `id="trio-fig-14"`, `id="trio.unseen"`, `id="trio-table-1"`, `id="trio-section-2"`, `id="trio-section-3"`, `id="provenance"`} {
		i := strings.Index(text[at:], part)
		if i < 0 {
			t.Fatalf("%s is not there, or stands before what was found so far", part)
		}
		at += i
	}
}

// What arithmetic gives is no reproduction, in any total.
func TestTotals(t *testing.T) {
	c := newCheck(source(record(t)))
	var out bytes.Buffer
	p := &page.Page{Title: "t", Sections: []page.Section{{ID: "t", Title: "t", Blocks: c.totals()}}}
	if err := p.WriteMarkdown(&out); err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		lines[strings.Join(strings.Fields(line), " ")] = true
	}
	for _, want := range []string{"| reproduced | 2 | 2 |", "| arithmetic | 1 | 1 |", "| all | 6 | 6 |", "| reproduced | 2 | 0 | 0 | 0 | 0 |", "| arithmetic | 0 | 0 | 0 | 1 | 0 |"} {
		if !lines[want] {
			t.Errorf("the totals lack %q in\n%s", want, out.String())
		}
	}
}

// A check of nothing, and one that was ended, say so.
func TestEmptyAndIncomplete(t *testing.T) {
	if text := written(t, &Record{}); !strings.Contains(text, "Nothing was checked: there are no claims here.") || !strings.Contains(text, "<h1>No claims</h1>") {
		t.Errorf("an empty check\n%s", text)
	}
	r := record(t)
	r.Incomplete = "interrupted"
	r.Claims[0].Expected = false
	r.Experiments[0].Failed = "no route"
	text := written(t, r)
	for _, want := range []string{`class="verdict bad"`, "1 did not come out as the ledger expects. The check is incomplete: interrupted.", `<li><a href="#trio.holds">trio.holds</a></li>`, "trio.fig3: no route"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// A figure that cannot be drawn is named, and the rest stands.
func TestFigureThatCannotBeDrawn(t *testing.T) {
	r := record(t)
	r.Experiments[0].Figures[0].Data.Panels[0].Series[0].Points[0].Y = math.NaN()
	r.Experiments[0].Figures = append(r.Experiments[0].Figures, Figure{File: "trio.fig3/a", Undrawn: "no axis"}, Figure{File: "trio.fig3/b"})
	text := written(t, r)
	for _, want := range []string{"Not drawn: trio.fig3/trio.fig3: figure trio.fig3, panel 1", "Not drawn: trio.fig3/a: no axis", "Not drawn: trio.fig3/b: its data are missing", ">Drawn trio.fig3.more</text>", `id="trio.holds"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Ids and texts with HTML in them are escaped, and ids that would be one address are two.
func TestTextIsEscaped(t *testing.T) {
	const evil = `<script>alert(1)</script>"'&`
	r := record(t)
	for i := range 3 {
		c := &r.Claims[i]
		c.ID, c.Statement, c.Reason, c.Declared, c.Where, c.Unit, c.Switch, c.Note, c.Printed = evil, evil, evil, "", evil, evil, evil, evil, "1 "+evil
	}
	r.Claims[1].Paper = evil
	r.Notes, r.Incomplete, r.Experiments[0].Figures[1].Undrawn, r.Experiments[0].Figures[1].Data = []string{evil}, evil, evil, nil
	text := written(t, r)
	if n := strings.Count(text, "<script>"); n != 1 || strings.Contains(text, "alert(1)<") && strings.Contains(text, "<script>alert") {
		t.Errorf("%d scripts", n)
	}
	if strings.Count(text, "&lt;script&gt;alert(1)&lt;/script&gt;") < 20 {
		t.Error("the reader does not see the text")
	}
}

// What is written is read again, and makes the same page; what is missing, newer or broken is refused.
func TestRecordIsReadAgain(t *testing.T) {
	r := record(t)
	d, err := archive.Create(archive.Options{Root: t.TempDir(), Scenario: "reproduce", Started: time.Unix(1, 0)})
	if err == nil {
		err = errors.Join(r.Write(d), d.Finish(archive.Manifest{Version: "v1"}))
	}
	if err != nil {
		t.Fatal(err)
	}
	past, err := archive.Open(d.Path())
	if err != nil || !Is(past) {
		t.Fatal(err, Is(past))
	}
	s, err := Read(past)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := written(t, s.Record), written(t, r); got != want {
		t.Errorf("the page is another one:\n%s\nwant\n%s", got, want)
	}
}

func TestRecordRefused(t *testing.T) {
	for want, v := range map[string]any{
		"its schema_version is 9, and this version of inalab reads up to 1": &struct {
			V int `json:"schema_version"`
		}{9},
		"it has no schema_version": &struct{}{},
		"cannot unmarshal": &struct {
			V int `json:"schema_version"`
			C int `json:"claims"`
		}{1, 3},
	} {
		d, err := archive.Create(archive.Options{Root: t.TempDir(), Scenario: "reproduce", Started: time.Unix(1, 0)})
		if err == nil {
			err = d.WriteZipped(RecordName, v)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(d.Past(archive.Manifest{})); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := Read(&archive.Past{Path: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "has no claims.json.gz: it is a check of an earlier version of inalab; run it again") {
		t.Errorf("got %v", err)
	}
}

// Parts that are printed, measured or fed in stand beside each other, in the order of the check.
func TestParts(t *testing.T) {
	l := ledger()
	c := l.Claims[4]
	c.Value = claims.Value{}
	res := c.Result(c.Judge(claims.NumberParts(map[string]float64{"batch_ms": 4, "more": 1})), claims.Run{})
	got := NewClaim(&res, l).Parts
	want := []Part{{Name: "comm_pct", Tolerance: "≤10"}, {Name: "batch_ms", Measured: "4", Tolerance: "≥3"}, {Name: "more", Measured: "1"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	c.PassMeans = claims.MeansInput
	res = c.Result(c.Judge(claims.NumberParts(map[string]float64{"comm_pct": 9, "batch_ms": 4})), claims.Run{})
	for _, p := range NewClaim(&res, l).Parts {
		if p.Measured != "(input)" {
			t.Errorf("%+v shows what was fed in", p)
		}
	}
}

// A page of the whole ledger can be made, and has an address for each claim.
func TestWholeLedger(t *testing.T) {
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	r := &Record{}
	for _, c := range l.Claims {
		res := c.Result(claims.NotRun(claims.NotYet, "nothing ran"), claims.Run{})
		r.Claims = append(r.Claims, NewClaim(&res, l))
	}
	text := written(t, r)
	for _, c := range l.Claims {
		if !strings.Contains(text, `id="`+string(c.ID)+`"`) {
			t.Errorf("there is no address %s", c.ID)
		}
	}
}
