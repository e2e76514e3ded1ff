package claims

import (
	"strings"
	"testing"
)

// A claim is undetermined where the ends differ from what was measured, or where the ledger
// says so and nobody looked at the ends. It is expected where the ledger says so, and never
// counted as reproduced.
func TestUndetermined(t *testing.T) {
	declared := &Declared{Measured: NumberValue(3), Reason: "the cost is not printed"}
	known := &KnownFailure{Measured: NumberValue(1), Reason: "too few threads"}
	for _, c := range []struct {
		name     string
		declared *Declared
		known    *KnownFailure
		measured float64
		ends     []float64
		verdict  Verdict
		expected bool
		reason   string
	}{
		{"declared, it fails", declared, nil, 1, nil, Undetermined, true, "the cost is not printed: here 1 is too low for ≥2"},
		{"declared, it holds", declared, nil, 3, nil, Undetermined, true, "the cost is not printed: here 3 is in ≥2"},
		{"declared, and an end fails", declared, nil, 3, []float64{4, 1}, Undetermined, true, "the cost is not printed: here 3 is in ≥2; at end 1 1 is too low for ≥2"},
		{"declared, and an end holds", declared, nil, 1, []float64{1, 2}, Undetermined, true, "the cost is not printed: here 1 is too low for ≥2; at end 1 2 is in ≥2"},
		{"declared, all ends hold", declared, nil, 3, []float64{4, 5}, Reproduced, false, "the same at all 2 ends: 3 is in ≥2; undetermined says 3, the cost is not printed"},
		{"declared, all ends fail", declared, nil, 1, []float64{0, 1}, NotReproduced, false, "the same at all 2 ends: 1 is too low for ≥2; undetermined says 3, the cost is not printed"},
		{"not declared, an end fails", nil, nil, 3, []float64{3, 1}, Undetermined, false, "the ledger does not say so: 3 is in ≥2; at end 1 1 is too low for ≥2"},
		{"not declared, all ends hold", nil, nil, 3, []float64{3, 4}, Reproduced, true, "3 is in ≥2"},
		{"known failure, all ends fail", nil, known, 1, []float64{1, 0}, KnownFail, true, "too few threads: 1 is too low for ≥2"},
		{"known failure, an end holds", nil, known, 1, []float64{3}, Undetermined, false, "the ledger has it as a known failure: 1 is too low for ≥2; at end 0 3 is in ≥2"},
	} {
		claim := &Claim{Method: Virtual, PassMeans: MeansNumber, Check: Min{2}, KnownFailure: c.known, Undetermined: c.declared}
		m := Number(c.measured)
		for i, x := range c.ends {
			m = m.Over(End{At: "end " + digits(float64(i)), Measured: Number(x)})
		}
		j := claim.Judge(m)
		if j.Verdict != c.verdict || j.Expected != c.expected || j.Reason != c.reason {
			t.Errorf("%s: %s, expected %v, %q", c.name, j.Verdict, j.Expected, j.Reason)
		}
		r := claim.Result(j, Run{})
		if len(r.Ends) != len(c.ends) {
			t.Errorf("%s: %d ends in the result", c.name, len(r.Ends))
		}
		for i, x := range c.ends {
			if r.Ends[i].Meets != (x >= 2) || r.Ends[i].Measured.String() != digits(x) {
				t.Errorf("%s: end %d is %+v", c.name, i, r.Ends[i])
			}
		}
		if n := (Report{Results: []Result{r}}).Summary().Verdicts[Reproduced]; n != count(c.verdict == Reproduced) {
			t.Errorf("%s: %d count as reproduced", c.name, n)
		}
	}
}

// A run that says nothing about a claim is no failure and no pass, whatever its check and the ledger say.
func TestUndecided(t *testing.T) {
	for name, claim := range map[string]*Claim{
		"to hold": {}, "to fail": {KnownFailure: &KnownFailure{Reason: "too few threads"}}, "undetermined": {Undetermined: &Declared{Reason: "cost"}},
	} {
		claim.Method, claim.PassMeans, claim.Check = Live, MeansNumber, Min{2}
		for x, check := range map[float64]string{1: "1 is too low for ≥2", 3: "3 is in ≥2"} {
			j := claim.Judge(Number(x).Undecided("nothing stalled in %d runs", 4))
			want := "nothing stalled in 4 runs: here " + check
			if claim.Undetermined != nil {
				want = "cost: " + want
			}
			if j.Verdict != Undetermined || !j.Expected || j.Reason != want {
				t.Errorf("%s: %s, expected %v, %q", name, j.Verdict, j.Expected, j.Reason)
			}
			if r := claim.Result(j, Run{}); !strings.HasPrefix(r.whyUndetermined(), "nothing stalled in 4 runs") {
				t.Errorf("%s: the report says %q", name, r.whyUndetermined())
			}
		}
	}
}

// Values that the precision allows make a claim undetermined where one of them comes out otherwise, either way.
func TestUndecidedBetween(t *testing.T) {
	claim := &Claim{Method: Live, PassMeans: MeansNumber, Check: Min{2}}
	for _, c := range []struct {
		measured float64
		allowed  []float64
		verdict  Verdict
	}{
		{3, nil, Reproduced}, {3, []float64{2, 9}, Reproduced}, {3, []float64{2, 1}, Undetermined},
		{1, nil, NotReproduced}, {1, []float64{0, 1.5}, NotReproduced}, {1, []float64{0, 2}, Undetermined},
	} {
		var allowed []Measured
		for _, x := range c.allowed {
			allowed = append(allowed, Number(x))
		}
		j := claim.Judge(Number(c.measured).UndecidedBetween(allowed, "two of %d are alike", 5))
		if j.Verdict != c.verdict || j.Expected != (c.verdict != NotReproduced) || strings.HasPrefix(j.Reason, "two of 5 are alike: here") != (c.verdict == Undetermined) {
			t.Errorf("%v of %v: %s, expected %v: %s", c.measured, c.allowed, j.Verdict, j.Expected, j.Reason)
		}
		if r := claim.Result(j, Run{}); (r.undecided != "") != (c.verdict == Undetermined) {
			t.Errorf("%v of %v: the report says %q", c.measured, c.allowed, r.undecided)
		}
	}
}

// A quick run is held to what the ledger says of ends as a full one is.
func TestUndeterminedInQuick(t *testing.T) {
	claim := &Claim{Method: Virtual, PassMeans: MeansNumber, Check: Min{2}, Undetermined: &Declared{Reason: "cost"}}
	if j := claim.InQuick().Judge(Number(3)); j.Verdict != Undetermined || !j.Expected {
		t.Errorf("%+v", j)
	}
}

// What was fed in is not shown at the ends either.
func TestEndsOfInputs(t *testing.T) {
	claim := &Claim{Method: Virtual, PassMeans: MeansInput, Check: Min{2}, InputReason: "fed in"}
	r := claim.Result(claim.Judge(Number(30).Over(End{At: "2 ns", Measured: Number(31)})), Run{})
	if text := endsText(r.Ends); strings.Contains(text, "31") || r.Verdict != Input {
		t.Errorf("%s: %s", r.Verdict, text)
	}
}

// Ends that are added to one measurement do not show in another that shares its first ones.
func TestOverDoesNotShare(t *testing.T) {
	first := Number(1).Over(End{At: "a"}, End{At: "b"}, End{At: "c"})
	one, other := first.Over(End{At: "one"}), first.Over(End{At: "other"})
	if len(first.ends) != 3 || one.ends[3].At != "one" || other.ends[3].At != "other" {
		t.Errorf("%v, %v, %v", first.ends, one.ends, other.ends)
	}
}
