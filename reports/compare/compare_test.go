package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

const ms = units.Millisecond

// reference is the system of the baseline.
const reference = "switchml256"

var baseline = result.Baseline{System: reference, Key: "switchml", Word: "SwitchML"}

// ranks are those of the systems here; all others come behind them.
var ranks = map[string]int{"ring": 100, reference: 200, "switchml64": 210, "trioml": 290}

// cell returns a run whose worker w took times[w][i] ms for iteration i.
func cell(system string, p float64, times ...[]float64) result.Cell {
	c := result.Cell{
		System: system, Rank: rankOf(system), Model: "resnet50", Clock: "virtual", StraggleP: p, Seed: 1, Scale: 100,
		Workers: len(times), Iterations: len(times[0]), Checked: 1000, Fidelity: result.Fidelity{Verdict: result.Exact},
	}
	for w, series := range times {
		var now units.Time
		for i, t := range series {
			end := now.Add(ms.Scale(t))
			c.Samples = append(c.Samples, result.Sample{System: system, StraggleP: p, Worker: w, Iteration: i, Start: now, End: end})
			now = end
		}
	}
	return c
}

func rankOf(system string) int {
	if rank, ok := ranks[system]; ok {
		return rank
	}
	return 1000
}

func ideal(time units.Duration, workers int) result.Cell {
	return result.Cell{System: Ideal, Model: "resnet50", Clock: "virtual", Seed: 1, Scale: 100, Workers: workers, Computed: time}
}

func find1(t *testing.T, rows []Row, system string, p float64) Row {
	t.Helper()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.System == system && r.StraggleP == p })
	if i < 0 {
		t.Fatalf("no row of %s at %v", system, p)
	}
	return rows[i]
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestRowByHand(t *testing.T) {
	accuracy, early := 0.71, 0.3
	c := cell("trioml", 0.16, []float64{100, 110, 120}, []float64{300, 110, 140}) // means 200, 110, 130
	c.Expected, c.ExpectedIsBound, c.Wrong = 150*ms, true, 2
	c.Resent = result.Resent{Packets: 30, Bytes: 3333}
	c.Notes = []string{"window of 8"}
	for i := range c.Samples {
		s := &c.Samples[i]
		s.Degraded = 1 + s.Worker
		if s.Iteration == 0 {
			s.Accuracy = &early
		}
		if s.Worker == 0 && s.Iteration == 1 {
			s.Accuracy = &accuracy
		}
	}
	slices.Reverse(c.Samples) // the order of recording must not matter
	r := Rows([]result.Cell{c}, baseline)[0]
	near(t, "mean", r.Iter.Value, 440.0/3)
	near(t, "half-width", r.Iter.Half, 4.302652729911275*math.Sqrt(2233+1.0/3)/math.Sqrt(3)) // squares sum to 4466.67
	if r.Iter.N != 3 || *r.Expected != 150 || !r.ExpectedIsBound {
		t.Errorf("n %d, expected %v, bound %v", r.Iter.N, *r.Expected, r.ExpectedIsBound)
	}
	if *r.DegradedBlocks != 6 || *r.Resent != c.Resent || *r.Accuracy != accuracy || *r.Wrong != 2 || *r.Checked != 1000 {
		t.Errorf("degraded %d, sent again %+v, accuracy %v, wrong %d of %d", *r.DegradedBlocks, *r.Resent, *r.Accuracy, *r.Wrong, *r.Checked)
	}
	if r.RatioIdeal != nil || r.Speedup.Known() {
		t.Errorf("ratios %v and %v to rows that are not there", r.RatioIdeal, r.Speedup)
	}
	want := []string{
		"iteration time: only 3 values: the interval assumes that they are normally distributed",
		"the sums are wrong: the times are those of a broken run",
	}
	if diff := cmp.Diff(want, r.Warnings); diff != "" {
		t.Errorf("warnings -want +got:\n%s", diff)
	}
}

func TestComputedRow(t *testing.T) {
	r := Rows([]result.Cell{ideal(102*ms, 2), cell(reference, 0, []float64{204}, []float64{204})}, baseline)[0]
	if time, ok := r.Time(); !ok || time != 102 || !r.Computed || *r.RatioIdeal != 1 {
		t.Errorf("time %v, computed %v, ratio %v", time, r.Computed, r.RatioIdeal)
	}
	if r.Iter.Known() || r.Speedup.Known() || r.DegradedBlocks != nil || r.Resent != nil || r.Wrong != nil || r.Checked != nil || r.Accuracy != nil || len(r.Warnings) > 0 {
		t.Errorf("a computed row claims a measurement: %+v", r)
	}
}

func TestRatios(t *testing.T) {
	fast, slow := []float64{100, 120, 110, 90}, []float64{200, 240, 220, 180}
	cells := []result.Cell{
		cell("trioml", 0.16, fast, fast), cell("ring", 0.16, slow, slow), cell(reference, 0.16, slow, slow),
		ideal(100*ms, 2), cell("trioml", 0.04, fast, fast),
	}
	rows := Rows(cells, baseline)
	trio := find1(t, rows, "trioml", 0.16)
	near(t, "ratio to the ideal of p=0", *trio.RatioIdeal, 1.05)
	near(t, "speed-up", trio.Speedup.Value, 2)
	if trio.Speedup.N != 4 || !(trio.Speedup.Half < 1e-9) || trio.SpeedupInvalid || trio.RatioInvalid {
		t.Errorf("speed-up %+v: the two series are proportional", trio.Speedup)
	}
	near(t, "speed-up of ring", find1(t, rows, "ring", 0.16).Speedup.Value, 1)
	if ref := find1(t, rows, reference, 0.16); ref.Speedup.Value != 1 || ref.Speedup.Half != 0 || ref.Speedup.N != 4 {
		t.Errorf("speed-up of the reference over itself: %+v", ref.Speedup)
	}
	if other := find1(t, rows, "trioml", 0.04); other.Speedup.Known() {
		t.Errorf("speed-up over the SwitchML of another p: %+v", other.Speedup)
	}
}

// An ideal of the same p is nearer than the one of p = 0.
func TestIdealOfTheSameP(t *testing.T) {
	same := ideal(50*ms, 1)
	same.StraggleP = 0.16
	rows := Rows([]result.Cell{ideal(100*ms, 1), same, cell("ring", 0.16, []float64{100, 100})}, baseline)
	near(t, "ratio", *find1(t, rows, "ring", 0.16).RatioIdeal, 2)
}

// Cells are held against cells of their own setting only.
func TestSettingsDoNotMix(t *testing.T) {
	times := []float64{100, 110}
	for name, change := range map[string]func(*result.Cell){
		"model": func(c *result.Cell) { c.Model = "vgg11" }, "clock": func(c *result.Cell) { c.Clock = "live" },
		"seed": func(c *result.Cell) { c.Seed = 2 }, "scale": func(c *result.Cell) { c.Scale = 1 },
		"workers": func(c *result.Cell) { c.Workers = 2 },
	} {
		best, ref := ideal(100*ms, 1), cell(reference, 0, times)
		change(&best)
		change(&ref)
		trio := find1(t, Rows([]result.Cell{best, ref, cell("trioml", 0, times)}, baseline), "trioml", 0)
		if trio.RatioIdeal != nil || trio.Speedup.Known() {
			t.Errorf("%s: held against another's", name)
		}
	}
}

func TestInvalidReferences(t *testing.T) {
	best, ref := ideal(100*ms, 1), cell(reference, 0, []float64{100, 110})
	best.Fidelity.Verdict, ref.Fidelity.Verdict = result.Invalid, result.Invalid
	rows := Rows([]result.Cell{best, ref, cell("trioml", 0, []float64{100, 110})}, baseline)
	trio := find1(t, rows, "trioml", 0)
	if trio.Invalid() || !trio.RatioInvalid || !trio.SpeedupInvalid {
		t.Errorf("row %+v", trio)
	}
	if !find1(t, rows, reference, 0).Invalid() {
		t.Error("the reference is not invalid")
	}
}

// What a run did not finish is left out of the means, and said.
func TestPartialRuns(t *testing.T) {
	c := cell("ring", 0, []float64{100, 200, 300}, []float64{100, 200, 300})
	c.Samples = slices.DeleteFunc(c.Samples, func(s result.Sample) bool { return s.Worker == 1 && s.Iteration == 1 })
	twice := c.Samples[2]
	twice.Worker = 1
	c.Samples = append(c.Samples, twice) // iteration 2 has three samples of two workers
	c.Iterations = 5
	ref := cell(reference, 0, []float64{200, 200, 200}, []float64{200, 200, 200})
	rows := Rows([]result.Cell{c, ref}, baseline)
	r := find1(t, rows, "ring", 0)
	if r.Iter.Value != 100 || r.Iter.N != 1 || r.Speedup.Value != 2 || r.Speedup.N != 1 {
		t.Errorf("iteration time %+v, speed-up %+v", r.Iter, r.Speedup)
	}
	want := []string{
		"iteration time: a single value has no interval",
		"2 iterations left out: they do not have one sample from each of 2 workers",
		"samples of 3 iterations, 5 were asked for",
		"speed-up over switchml256: a single value has no interval",
		"speed-up over switchml256: only 1 of 3 iterations have a partner",
	}
	if diff := cmp.Diff(want, r.Warnings); diff != "" {
		t.Errorf("warnings -want +got:\n%s", diff)
	}
}

func TestRunWithoutSamples(t *testing.T) {
	c := cell("ring", 0, []float64{1})
	c.Samples, c.Checked = nil, 0
	r := Rows([]result.Cell{c, ideal(ms, 1)}, baseline)[1]
	if _, ok := r.Time(); ok || r.RatioIdeal != nil || *r.DegradedBlocks != 0 {
		t.Errorf("row %+v", r)
	}
	if text := strings.Join(r.Warnings, "; "); text != "iteration time: no values; samples of 0 iterations, 1 were asked for; no sum was checked" {
		t.Errorf("warnings %s", text)
	}
	if rows := Rows(nil, baseline); len(rows) != 0 {
		t.Errorf("no cells gave %d rows", len(rows))
	}
}

// Cells that do not say how many workers ran are counted.
func TestWorkersCountedWhereNotSaid(t *testing.T) {
	c := cell("ring", 0, []float64{100, 100}, []float64{200, 200})
	c.Workers = 0
	if r := Rows([]result.Cell{c}, baseline)[0]; r.Iter.Value != 150 || r.Iter.N != 2 {
		t.Errorf("iteration time %+v", r.Iter)
	}
}

// Rows come in one order, and with the same numbers, whatever the order of the
// cells and of their samples.
func TestOrderOfInputDoesNotMatter(t *testing.T) {
	var cells []result.Cell
	for _, p := range []float64{0.16, 0, 0.04} {
		for _, system := range []string{"trioml", "switchml64", "zeta", reference, "alpha", "ring"} {
			cells = append(cells, cell(system, p, []float64{100, 110, 105}, []float64{101, 111, 120}))
		}
	}
	cells = append(cells, ideal(100*ms, 2))
	want := Rows(cells, baseline)
	var systems []string
	for _, r := range want[:7] {
		systems = append(systems, r.System)
	}
	if text := strings.Join(systems, " "); text != "ideal ring switchml256 switchml64 trioml alpha zeta" {
		t.Errorf("order %s", text)
	}
	rapid.Check(t, func(t *rapid.T) {
		shuffled := rapid.Permutation(cells).Draw(t, "cells")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for i := range shuffled {
			s := slices.Clone(shuffled[i].Samples)
			rnd.Shuffle(len(s), func(a, b int) { s[a], s[b] = s[b], s[a] })
			shuffled[i].Samples = s
		}
		if diff := cmp.Diff(want, Rows(shuffled, baseline), cmpopts.EquateNaNs()); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	})
}
