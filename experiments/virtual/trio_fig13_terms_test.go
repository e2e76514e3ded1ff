package virtual

import (
	"math"
	"reflect"
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %v, want %v within %v", what, got, want, within)
	}
}

// Expectation and deviation of a draw, held against draws of many seeds.
func TestExpectedWait(t *testing.T) {
	const seeds, n = 2000, 100
	near(t, "what is expected at 16%", expectedWait(0.16), 1.6, 1e-12)
	sum, squares := 0.0, 0.0
	for seed := range seeds {
		s, err := fault.Straggle{P: 0.16, Workers: 6, Iterations: n, Typical: units.Second}.Draw(rng.Root(seed))
		if err != nil {
			t.Fatal(err)
		}
		paid := 0.0
		for i := range n {
			paid += s.Paid(i).Seconds()
		}
		sum, squares = sum+paid/n, squares+paid/n*paid/n
	}
	mean := sum / seeds
	near(t, "the mean of draws", 1+mean, expectedWait(0.16), 4*waitDeviation(0.16, n)/math.Sqrt(seeds))
	near(t, "their deviation", math.Sqrt(squares/seeds-mean*mean), waitDeviation(0.16, n), 0.05*waitDeviation(0.16, n))
}

func TestTerms(t *testing.T) {
	const ms = units.Millisecond
	at := terms{wait: 1.5, expectedWait: 1.6, smlCalm: 200 * ms, sml: 280 * ms, trioCalm: 220 * ms, trio: 240 * ms}
	near(t, "the product", at.wait*at.unit()*at.gap()*at.left(), at.speedup(), 1e-12)
	near(t, "the unit", at.unit(), 1.4/1.5, 1e-12)
	near(t, "the gap", at.gap(), 200./220, 1e-12)
	sml, trio := at.atExpected() // delays of 0.6 in place of 0.5
	near(t, "SwitchML", sml, 0.296, 1e-9)
	near(t, "Trio-ML", trio, 0.244, 1e-9)
	// With what it would have to take, SwitchML is as much slower as was asked for.
	need := at.needed(1.7)
	near(t, "the speed-up", (need.Seconds()+sml-at.smlCalm.Seconds())/trio, 1.7, 1e-9)
	at.expectedWait = math.NaN()
	if sml, trio := at.atExpected(); !math.IsNaN(sml) || !math.IsNaN(trio) {
		t.Errorf("without an expectation %v and %v are expected", sml, trio)
	}
}

// Trio-ML is in the sweep in both readings of ageing, whichever is taken.
func TestOtherAgeing(t *testing.T) {
	for _, taken := range []string{"per-block", "absent-after-first"} {
		e := experimenttest.NewEnv(t)
		readings, err := experimenttest.Ledger(t).Readings([]string{"trio.close-to-ideal=" + taken})
		if err != nil {
			t.Fatal(err)
		}
		e.Readings = readings
		if a, b := trioSystem(e), otherAgeing(e); string(a.Age) != taken || a.Age == b.Age || otherLine(e) != "trioml, "+string(b.Age) {
			t.Errorf("taken %s: the sweep has %s, and beside it %s as %q", taken, a.Age, b.Age, otherLine(e))
		}
	}
	if taken := experimenttest.NewEnv(t).Reading("trio.close-to-ideal"); taken != "per-block" {
		t.Errorf("the default is %s: blocks age one by one (Trio §5)", taken)
	}
}

// Each move but the first changes the runs of the systems that it says.
func TestMoves(t *testing.T) {
	e := experimenttest.NewEnv(t)
	s := &sweep{env: e, iterations: 2}
	base, err := s.switchML("vgg11", testbed.LastP)
	if err != nil {
		t.Fatal(err)
	}
	trio, err := s.trio("vgg11", testbed.LastP)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range moves(e) {
		if (m.sml == nil && m.trio == nil) != (i == 0) || (m.why == "") != (i == 0) {
			t.Errorf("%s changes nothing, or says not why", m.name)
		}
		if m.sml != nil {
			spec := base.Spec
			m.sml(&spec, units.Second)
			same := reflect.DeepEqual(spec.System, base.System) && spec.Host == base.Host && spec.Semantics == base.Semantics && spec.DelayUnit == base.DelayUnit && spec.Model.Compute == base.Model.Compute
			if same {
				t.Errorf("%s: SwitchML's run is as it was", m.name)
			}
		}
		if m.trio != nil {
			spec := trio.Spec
			m.trio(&spec, units.Second)
			now, was := spec.System.(trioml.System), trio.System.(trioml.System)
			if now.AddRate == was.AddRate && now.Window == was.Window && spec.Semantics == trio.Semantics && spec.DelayUnit == trio.DelayUnit && spec.Model.Compute == trio.Model.Compute {
				t.Errorf("%s: Trio-ML's run is as it was", m.name)
			}
		}
	}
}
