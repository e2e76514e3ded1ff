package runreport

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/page"
)

// runOf is one run of a scenario of 20 iterations and 2 workers. Iterations of odd numbers take a little longer, by as
// much as wobble says.
func runOf(system string, p, ms, wobble float64) result.Cell {
	c := result.Cell{
		System: system, Topology: "rack", Model: "m", Clock: "virtual", StraggleP: p, Seed: 1, Scale: 10, Workers: 2, Iterations: 20,
		Checked: 100, Compute: units.Duration(50 * float64(units.Millisecond)), Fidelity: result.Fidelity{Verdict: result.Exact, Reasons: []string{}},
	}
	at := units.Time(0)
	for i := range c.Iterations {
		took := units.Duration((ms + wobble*float64(i%2)) * float64(units.Millisecond))
		for w := range c.Workers {
			s := result.Sample{System: system, StraggleP: p, Worker: w, Iteration: i, Start: at, End: at.Add(took)}
			if w == 0 && p > 0 {
				s.Delay = 10 * units.Millisecond
			}
			c.Samples = append(c.Samples, s)
		}
		at = at.Add(took)
	}
	return c
}

func sourceOf(cells ...result.Cell) *Source {
	return &Source{
		Name: "dir", Manifest: archive.Manifest{
			SchemaVersion: 1, Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Ended: time.Date(2026, 1, 2, 3, 5, 5, 0, time.UTC),
			Command: []string{"/usr/bin/inalab", "run", "a b"}, Version: "v1", Clock: "virtual", Seed: 1, Scale: 10,
		},
		Record: &archive.Record{
			Scenario: "small", Description: "slow workers", Cells: cells, Baseline: result.Baseline{System: "switchml", Key: "switchml", Word: "SwitchML"},
		},
	}
}

// three systems at two points; trioml is the fastest at the second.
func three() []result.Cell {
	return []result.Cell{
		runOf("ring", 0, 100, 1), runOf("switchml", 0, 98, 1), runOf("trioml", 0, 99, 1),
		runOf("ring", 0.16, 200, 10), runOf("switchml", 0.16, 190, 10), runOf("trioml", 0.16, 150, 5),
	}
}

// answerOf is the answer in one line.
func answerOf(cells ...result.Cell) string {
	return strings.Join(newRun(sourceOf(cells...), "").answer(), " ")
}

func TestAnswer(t *testing.T) {
	got := answerOf(three()...)
	want := "At p=16%, where iterations took longest, trioml was fastest with 152.5 ±1.2 ms an iteration; switchml took 1.28 ±0.01 times as long, " +
		"ring took 1.34 ±0.01 times as long (95% intervals, paired over 20 iterations)."
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Intervals of a ratio that hold 1 name no winner.
func TestAnswerOfEqualSystems(t *testing.T) {
	a, b := runOf("a", 0, 100, 1), runOf("b", 0, 100, 1)
	for i := range b.Samples { // now longer, now shorter
		b.Samples[i].End = b.Samples[i].End.Add(units.Duration(i/2%3-1) * units.Millisecond)
	}
	if got := answerOf(a, b); !strings.Contains(got, "cannot be told apart: their ratio is 1.00 ±0.0") || strings.Contains(got, "fastest") {
		t.Errorf("got %s", got)
	}
}

// An answer says no more than the fidelity of the rows that it rests on.
func TestAnswerWithinFidelity(t *testing.T) {
	for verdict, want := range map[string][2]string{ // what is said, and who is fastest
		result.Invalid: {"Nothing is said of trioml: the machine was not up to the run, and its rows are invalid.", "switchml was fastest"},
		result.Busy:    {"The machine was at its limit with trioml (busy): small differences mean nothing there.", "trioml was fastest"},
		result.Caution: {"Something that was not asked for moved the times of trioml (caution)", "trioml was fastest"},
	} {
		cells := three()
		cells[5].Fidelity.Verdict = verdict
		if got := answerOf(cells...); !strings.Contains(got, want[0]) || !strings.Contains(got, want[1]) {
			t.Errorf("%s: got %s", verdict, got)
		}
	}
	cells := three()
	cells[5].Wrong = 1
	if got := answerOf(cells...); !strings.Contains(got, "Nothing is said of trioml: sums were wrong.") || !strings.Contains(got, "switchml was fastest") {
		t.Errorf("wrong sums: got %s", got)
	}
	for i := range cells {
		cells[i].Fidelity.Verdict = result.Invalid
	}
	if got := answerOf(cells...); got != "There is no answer: no row can be believed." {
		t.Errorf("all invalid: got %s", got)
	}
	if got := answerOf(); got != "There is no answer: no row can be believed." {
		t.Errorf("nothing ran: got %s", got)
	}
}

// Jobs of a lab are answered for one by one; a seed that has another winner is named.
func TestAnswerOfJobsAndSeeds(t *testing.T) {
	var jobs []result.Cell
	for i, name := range []string{"a", "b"} {
		x, y := runOf("x", 0, 100+10*float64(i), 1), runOf("y", 0, 120, 1)
		x.Job, y.Job = name, name
		jobs = append(jobs, x, y)
	}
	if got := answerOf(jobs...); !strings.Contains(got, "of job a those with x (100.5 ±0.2 ms); of job b those with x (110.5 ±0.2 ms).") {
		t.Errorf("got %s", got)
	}
	x, y, x2, y2 := runOf("x", 0, 100, 1), runOf("y", 0, 120, 1), runOf("x", 0, 130, 1), runOf("y", 0, 125, 1)
	x2.Seed, y2.Seed = 2, 2
	if got := answerOf(x, y, x2, y2); !strings.Contains(got, "These are the numbers of seed 1; x was fastest with 1 of 2 seeds.") {
		t.Errorf("got %s", got)
	}
}

// The banner is as bad as the worst that came of the run.
func TestBanner(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Source)
		level  page.Level
		text   string
	}{
		"good":     {func(*Source) {}, page.Good, "All 6 runs are exact, and no sum is wrong."},
		"met":      {func(s *Source) { s.Record.Expected = []archive.Outcome{{Text: "e", Met: true}} }, page.Good, "All 6 runs are exact, no sum is wrong, and every expectation is met."},
		"failed":   {func(s *Source) { s.Record.Expected = []archive.Outcome{{Text: "e"}} }, page.Bad, "and 1 of 1 expectation failed."},
		"busy":     {func(s *Source) { s.Record.Cells[1].Fidelity.Verdict = result.Busy }, page.Doubt, "Of 6 runs, 5 are exact, 1 busy, and no sum is wrong."},
		"invalid":  {func(s *Source) { s.Record.Cells[1].Fidelity.Verdict = result.Invalid }, page.Bad, "5 are exact, 1 invalid"},
		"wrong":    {func(s *Source) { s.Record.Cells[1].Wrong = 7 }, page.Bad, "7 of 600 checked sums are wrong."},
		"one left": {func(s *Source) { s.Record.Cells[1].Checked = 0 }, page.Doubt, "no sum is wrong, but of 1 run none was checked."},
		"nothing":  {func(s *Source) { s.Record.Cells = nil }, page.Bad, "Nothing ran: there are no rows."},
	} {
		s := sourceOf(three()...)
		c.change(s)
		if got := newRun(s, "").banner(); got.Level != c.level || !strings.Contains(got.Text, c.text) {
			t.Errorf("%s: got %s: %s", name, got.Level.Name(), got.Text)
		}
	}
}

// htmlOf writes a page, which must not fail.
func htmlOf(t *testing.T, p *page.Page) string {
	t.Helper()
	var out bytes.Buffer
	err := p.WriteHTML(&out)
	if err == nil {
		err = p.WriteMarkdown(&bytes.Buffer{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A run of which nothing came has a report all the same.
func TestEmptyRun(t *testing.T) {
	p := New(sourceOf())
	text := htmlOf(t, p)
	for _, want := range []string{"Nothing ran: there are no rows.", "Provenance", "inalab run scenario.yaml --clock virtual"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

// Names and reasons from outside stay words.
func TestNamesAreEscaped(t *testing.T) {
	const evil = `<script>alert(1)</script>`
	s := sourceOf(three()...)
	s.Name, s.Record.Scenario, s.Record.Description, s.Scenario, s.Life = evil, "a "+evil, evil, evil, evil
	s.Record.Notes, s.Missing = []string{evil}, []string{evil}
	s.Record.Expected = []archive.Outcome{{Text: evil}}
	for i := range s.Record.Cells {
		c := &s.Record.Cells[i]
		c.System, c.Fidelity.Reasons, c.Notes = c.System+evil, []string{evil}, []string{evil}
	}
	p := New(s)
	if text := htmlOf(t, p); strings.Contains(text, "<script") {
		t.Error("a name became an element")
	}
	p = Many([]*Source{s}, []Refused{{evil, fmt.Errorf("%s", evil)}})
	if text := htmlOf(t, p); strings.Contains(text, "<script") {
		t.Error("a name became an element in a report of several runs")
	}
}

// Runs that cannot be held against each other are named, and so is what could not be read.
func TestMany(t *testing.T) {
	a, b := sourceOf(three()...), sourceOf(three()...)
	b.Manifest.Version, b.Manifest.Scale, b.Manifest.Clock = "v2", 20, "live"
	b.Record.Cells[0].Wrong = 1
	p := Many([]*Source{a, b}, []Refused{{"c", fmt.Errorf("c has no manifest")}})
	text := htmlOf(t, p)
	for _, want := range []string{
		"1 of 2 runs as they should be", "1 directory could not be reported", "Not reported: c has no manifest",
		"different versions of inalab: v1 and v2", "different scales: 10 and 20", "different clocks: virtual and live", `id="run2-fidelity"`, "6 exact",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if p.Verdict.Level != page.Bad {
		t.Errorf("the verdict is %s", p.Verdict.Level.Name())
	}
}
