package claims

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/reports/render"
)

// No claim that is arithmetic or an input is counted as reproduced, whatever passes; nor is
// there one without evidence, or one that something assumed decides and that has no entry for it, or whose band a model without the effect passes, that is called a
// number, a property or a bound.
func TestLedgerSaysWhatVerdictsRestOn(t *testing.T) {
	l, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range l.Claims {
		if c.Method == NoWay {
			continue
		}
		verdict := c.PassMeans.verdict()
		switch {
		case !slices.Contains(Evidences, c.Evidence):
			t.Errorf("%s: evidence %q", c.ID, c.Evidence)
		case (c.Evidence == EvidenceArithmetic || c.Evidence == EvidenceInput) && string(verdict) != string(c.Evidence):
			t.Errorf("%s: evidence is %s, and a pass is %s", c.ID, c.Evidence, verdict)
		case c.NullPasses && (verdict == Reproduced || verdict == WithinBand):
			t.Errorf("%s: a model without the effect passes, and a pass is %s", c.ID, verdict)
		case c.Undetermined == nil && strings.Contains(strings.ToLower(c.Note+c.failedReason()), "undetermined"):
			t.Errorf("%s: note or known_failure say that it is undetermined: that is an entry of its own", c.ID)
		case c.compares() && c.NullValue.kind == valueNone && c.NoNull == "":
			t.Errorf("%s: what is measured without the effect is not said", c.ID)
		}
	}
}

// failedReason is why the claim is known to fail.
func (c *Claim) failedReason() string {
	if c.KnownFailure == nil {
		return ""
	}
	return c.KnownFailure.Reason
}

// Every verdict of the sample is counted under its evidence, and none twice.
func TestTotalsByEvidence(t *testing.T) {
	r := sample(t)
	s := r.Summary()
	for _, v := range Verdicts {
		n := 0
		for _, e := range Evidences {
			n += s.Evidence[e][v]
		}
		if own := count(v == Reproduced); s.Own[v] != own {
			t.Errorf("%s: %d of this project", v, s.Own[v])
		}
		if without := count(v == NotCheckable); n != s.Verdicts[v]-without {
			t.Errorf("%s: %d by evidence, %d in all", v, n, s.Verdicts[v])
		}
	}
	text := written(t, func(w io.Writer, o render.Options) error { return render.Write(w, s.Evidence.Table(s.Own), o) }, render.Options{})
	if line := strings.Join(strings.Fields(text[strings.Index(text, "| all"):]), " "); !strings.HasPrefix(line, "| all | 7 | 1 | 2 | 1 | 1 | 1 |") {
		t.Errorf("sums %s", line)
	}
}

// A claim that passes while the one that it restates does not is named below the tables.
func TestOneMeasurementWithTwoVerdicts(t *testing.T) {
	l := small(t)
	speedup, live := claimOf(t, l, "trio.fig1.speedup"), claimOf(t, l, "trio.fig1.live")
	for _, c := range []struct {
		speedup, live float64
		named         bool
	}{{1.7, 1.7, false}, {1, 1, false}, {1.45, 1.45, true}} {
		r := Report{Results: []Result{
			speedup.Result(speedup.Judge(Number(c.speedup)), Run{}), live.Result(live.Judge(Number(c.live)), Run{}),
		}}
		text := written(t, r.Write, render.Options{Width: 400})
		const note = "stated twice, with two tolerances: trio.fig1.live is direction-only (≥1.4), trio.fig1.speedup is not-reproduced (1.5..2)"
		if strings.Contains(strings.ReplaceAll(text, ">=", "≥"), note) != c.named {
			t.Errorf("%v and %v:\n%s", c.speedup, c.live, text)
		}
	}
}
