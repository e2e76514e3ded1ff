package stat

import (
	"math"
	"slices"
	"testing"

	"github.com/aclements/go-moremath/stats"
	"pgregory.net/rapid"
)

// The p-value is that of another program's paired t-test on the logarithms.
func TestPairedFactorAgainstAnother(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		above := rapid.Float64Range(0.5, 2)
		n := rapid.IntRange(2, 12).Draw(t, "n")
		var pairs []Pair
		var x, y []float64
		for range n {
			p := Pair{above.Draw(t, "x"), above.Draw(t, "y")}
			pairs, x, y = append(pairs, p), append(x, math.Log(p.X)), append(y, math.Log(p.Y))
		}
		want, err := stats.PairedTTest(x, y, 0, stats.LocationDiffers)
		if err != nil {
			return // no spread at all: it gives no answer
		}
		if got := PairedFactor(pairs); math.Abs(got.P-want.P) > 1e-6 {
			t.Errorf("p %v, want %v", got.P, want.P)
		}
	})
}

func TestPairedFactorByHand(t *testing.T) {
	f := PairedFactor([]Pair{{2, 1}, {8, 1}})
	// The mean of ln 2 and ln 8 is ln 4; half of the interval is 12.706 * ln 2.
	if math.Abs(f.Value-4) > 1e-12 || f.N != 2 || math.Abs(math.Log(f.Hi/4)-12.7062047*math.Ln2) > 1e-5 || math.Abs(math.Log(4/f.Lo)-12.7062047*math.Ln2) > 1e-5 {
		t.Errorf("got %+v", f)
	}
	if math.Abs(f.P-0.29516723530086653) > 1e-9 { // t = 2 with one degree of freedom
		t.Errorf("p %v", f.P)
	}
}

func TestPairedFactorAtTheEdges(t *testing.T) {
	if f := PairedFactor(nil); !math.IsNaN(f.Value) || !math.IsNaN(f.P) || f.N != 0 {
		t.Errorf("no pairs: %+v", f)
	}
	if f := PairedFactor([]Pair{{3, 2}}); f.Value != 1.5 && math.Abs(f.Value-1.5) > 1e-12 || !math.IsNaN(f.P) || f.Lo != 0 || !math.IsInf(f.Hi, 1) {
		t.Errorf("one pair: %+v", f)
	}
	if f := PairedFactor([]Pair{{3, 3}, {2, 2}}); f.Value != 1 || f.P != 1 {
		t.Errorf("equal: %+v", f)
	}
	if f := PairedFactor([]Pair{{3, 2}, {3, 2}}); f.P != 0 {
		t.Errorf("the same factor in each pair: %+v", f)
	}
	if f := PairedFactor([]Pair{{3, 0}, {3, 2}}); !math.IsNaN(f.Value) || !math.IsInf(f.Hi, 1) {
		t.Errorf("nothing below: %+v", f)
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, math.NaN(), 0.03, 0.005})
	want := []float64{0.03, 0.06, 0, 0.06, 0.02}
	if !math.IsNaN(got[2]) {
		t.Errorf("what is no test became %v", got[2])
	}
	got[2] = 0
	if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("beyond 1: %v", got)
	}
}
