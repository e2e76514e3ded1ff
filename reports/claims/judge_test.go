package claims

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// Every meaning of a pass, passing and failing, with and without a known failure.
func TestJudge(t *testing.T) {
	known := &KnownFailure{Measured: NumberValue(1.2), Reason: "the compute time is not printed"}
	for _, c := range []struct {
		means    PassMeans
		known    *KnownFailure
		measured float64
		verdict  Verdict
		expected bool
	}{
		{MeansNumber, nil, 2, Reproduced, true},
		{MeansArithmetic, nil, 2, ByArithmetic, true},
		{MeansProperty, nil, 2, Reproduced, true},
		{MeansBound, nil, 2, Reproduced, true},
		{MeansNumberPartInput, nil, 2, Reproduced, true},
		{MeansNumberCoarse, nil, 2, WithinBand, true},
		{MeansDirection, nil, 2, DirectionOnly, true},
		{MeansInput, nil, 2, Input, true},

		{MeansNumber, nil, 1, NotReproduced, false},
		{MeansArithmetic, nil, 1, NotReproduced, false},
		{MeansProperty, nil, 1, NotReproduced, false},
		{MeansBound, nil, 1, NotReproduced, false},
		{MeansNumberPartInput, nil, 1, NotReproduced, false},
		{MeansNumberCoarse, nil, 1, NotReproduced, false},
		{MeansDirection, nil, 1, NotReproduced, false},
		{MeansInput, nil, 1, NotReproduced, false},

		{MeansNumber, known, 1, KnownFail, true},
		{MeansDirection, known, 1, KnownFail, true},
		{MeansInput, known, 1, KnownFail, true},

		{MeansNumber, known, 2, Reproduced, false},
		{MeansNumberCoarse, known, 2, WithinBand, false},
		{MeansDirection, known, 2, DirectionOnly, false},
		{MeansInput, known, 2, Input, false},
	} {
		claim := &Claim{Method: Virtual, PassMeans: c.means, Check: Min{2}, KnownFailure: c.known, InputReason: "fed in"}
		j := claim.Judge(Number(c.measured))
		if j.Verdict != c.verdict || j.Expected != c.expected || j.Pass != (c.measured == 2) || j.Reason == "" {
			t.Errorf("%s, known failure %v, measured %v: %+v", c.means, c.known != nil, c.measured, j)
		}
		r := Report{Results: []Result{claim.Result(j, Run{})}}
		if (r.Summary().Unexpected == 0) != c.expected || r.Summary().Verdicts[c.verdict] != 1 {
			t.Errorf("%s, known failure %v, measured %v: summary %v", c.means, c.known != nil, c.measured, r.Summary())
		}
	}
}

func TestReasons(t *testing.T) {
	claim := &Claim{Method: Virtual, PassMeans: MeansNumber, Check: Min{2}, KnownFailure: &KnownFailure{Measured: NumberValue(1.2), Reason: "no compute time"}}
	for x, want := range map[float64]string{
		1: "no compute time: 1 is too low for ≥2",
		3: "passes unexpectedly: 3 is in ≥2; known_failure says 1.2, no compute time",
	} {
		if got := claim.Judge(Number(x)).Reason; got != want {
			t.Errorf("%v: got %q, want %q", x, got, want)
		}
	}
}

// What is known of a quick run is held to as strictly as what is known of a full one.
func TestKnownFailureInQuick(t *testing.T) {
	for _, c := range []struct {
		passes        bool
		measured      float64
		full, inQuick bool // expected
	}{
		{false, 1, true, true}, {false, 2, false, false}, {true, 1, true, false}, {true, 2, false, true},
	} {
		claim := &Claim{Method: Virtual, PassMeans: MeansNumber, Check: Min{2}, KnownFailure: &KnownFailure{Reason: "few stragglers", QuickPasses: c.passes}}
		full, quick := claim.Judge(Number(c.measured)), claim.InQuick().Judge(Number(c.measured))
		if full.Expected != c.full || quick.Expected != c.inQuick {
			t.Errorf("%+v: expected %v in full, %v in quick", c, full.Expected, quick.Expected)
		}
	}
}

// The number of a passing input is nowhere: not as a result, not in the reason.
func TestInputIsNotShown(t *testing.T) {
	claim := &Claim{Method: Virtual, PassMeans: MeansInput, Check: Equal{NumberValue(98)}, InputReason: "size of the workload", Value: NumberValue(98)}
	r := claim.Result(claim.Judge(Estimate(98, 0.5, 3)), Run{})
	if r.Measured.String() != "(input)" || r.people != "(input)" || r.CI95 != nil || r.N != nil || strings.Contains(r.Reason, "98") {
		t.Errorf("%+v", r)
	}
	parts := &Claim{
		Method: Virtual, PassMeans: MeansNumberPartInput,
		Check: Parts{[]Part{{"out", Min{1}}, {"in", Equal{NumberValue(1677)}}}, []string{"in"}},
	}
	for _, m := range []Measured{
		Group(map[string]Measured{"in": Number(1677), "out": Estimate(3, 0.25, 9)}),
		Group(map[string]Measured{"out": Estimate(3, 0.25, 9)}),
	} {
		r = parts.Result(parts.Judge(m), Run{})
		if r.Measured.String() != "out 3, in (input)" || r.people != "out 3 ±0.25, in (input)" || strings.Contains(r.Reason, "1677") || r.Verdict != Reproduced {
			t.Errorf("%+v", r)
		}
	}
}

func TestUnmeasured(t *testing.T) {
	none := &Claim{Method: NoWay, PassMeans: MeansNotCheckable, Check: None{}, How: "needs a GPU", Tolerance: Tolerance{"n/a", "hardware"}}
	for _, c := range []struct {
		got      Judgement
		verdict  Verdict
		reason   string
		expected bool
	}{
		{NotRun(NeedsRoot, "no user namespaces"), NeedsRoot, "no user namespaces", true},
		{NotRun(NotYet, "system atp"), NotYet, "system atp", true},
		{Broken(errors.New("no route")), NotReproduced, "the experiment failed: no route", false},
		{none.NotCheckable(), NotCheckable, "needs a GPU: hardware", true},
		{none.Judge(Number(1)), NotCheckable, "needs a GPU: hardware", true},
		{none.Judge(Measured{}), NotCheckable, "needs a GPU: hardware", true},
	} {
		if c.got.Verdict != c.verdict || c.got.Reason != c.reason || c.got.Expected != c.expected || c.got.Pass || !c.got.Measured.IsZero() {
			t.Errorf("%+v, want %s, %q", c.got, c.verdict, c.reason)
		}
	}
}

func TestPredictions(t *testing.T) {
	w := &Unseen{ID: "trio.x", Paper: "trio", Where: "§1", Unit: "x"}
	good := Prediction{Low: 1.6, High: 1.9, Constants: []string{"thread spacing"}}
	r, err := w.Result(good, Run{Seed: 7})
	if err != nil || r.Verdict != Predicted || !r.Expected || r.people != "1.6..1.9" || *r.Seed != 7 || r.Measured.String() != "low 1.6, high 1.9" {
		t.Errorf("%+v, %v", r, err)
	}
	for _, p := range []Prediction{
		{Low: 2, High: 1, Constants: good.Constants},
		{Low: math.NaN(), High: 1, Constants: good.Constants},
		{Low: 1, High: math.Inf(1), Constants: good.Constants},
		{Low: math.Inf(-1), High: math.Inf(1), Constants: good.Constants},
		{Low: 1, High: 2},
	} {
		if r, err := w.Result(p, Run{}); err == nil || !strings.HasPrefix(err.Error(), "predict trio.x: ") {
			t.Errorf("%+v: %+v, %v", p, r, err)
		}
	}
	if r := w.Judged(NotRun(NotYet, "the PFE"), Run{}); r.Verdict != NotYet || !r.Expected || r.Reason != "the PFE" {
		t.Errorf("%+v", r)
	}
	if r := w.Judged(Broken(errors.New("no route")), Run{}); r.Verdict != NotReproduced || r.Expected {
		t.Errorf("%+v", r)
	}
}
