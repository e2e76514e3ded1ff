package live

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/harness/onehop"
	"github.com/inalab/inalab/reports/claims"
)

// swept is a sweep over five sizes, whose rates in a round are those given, times how fast the machine is in that round.
func swept(machine []float64, rates func(round int) []float64) *sweep {
	x := &sweep{values: []int{32, 96, 160, 256, 320}}
	x.got = make([][]onehop.Result, len(x.values))
	for round, fast := range machine {
		for i, rate := range rates(round) {
			x.got[i] = append(x.got[i], onehop.Result{Received: uint64(1e6 * fast * rate), Used: time.Second})
		}
	}
	return x
}

// drifting is a machine that is another one in each round.
var drifting = []float64{1, 0.5, 2, 1.5, 0.25, 1, 0.7, 3, 1.1}

func verdictOf(t *testing.T, id claims.ID, m claims.Measured) claims.Judgement {
	t.Helper()
	c, err := experimenttest.Ledger(t).Lookup(id)
	if err != nil {
		t.Fatal(err)
	}
	return c.Judge(m)
}

// Rates that fall in each round are found to fall, however the machine drifts and whatever two rounds of nine are.
// Neighbours of which now one and now the other is faster make the claim undetermined, and a rise that all rounds
// have fails it.
func TestSweepFindsTheOrder(t *testing.T) {
	falls := []float64{3, 2.5, 2.4, 1.5, 1}
	flat := func(round int) []float64 { // 160 values and 256 differ by the round
		return [][]float64{{3, 2.5, 2.1, 2, 1}, {3, 2.5, 1.9, 2, 1}}[round%2]
	}
	for name, c := range map[string]struct {
		rates   func(int) []float64
		verdict claims.Verdict
		reason  string
	}{
		"falls": {func(int) []float64 { return falls }, claims.Reproduced, "decreasing"},
		"falls but for one round": {func(round int) []float64 {
			if round == 4 {
				return []float64{1, 9, 1, 9, 1}
			}
			return falls
		}, claims.Reproduced, "decreasing"},
		"two are alike": {flat, claims.Undetermined, "9 rounds do not tell the rates of 160 and 256 values apart: here "},
		"rises":         {func(int) []float64 { return []float64{3, 2, 2.5, 1.5, 1} }, claims.NotReproduced, "not decreasing"},
		"rises, and two are alike": {func(round int) []float64 {
			r := slices.Clone(flat(round))
			slices.Reverse(r)
			return r
		}, claims.NotReproduced, "not decreasing"},
	} {
		j := verdictOf(t, "xagg.fig6.decreasing", swept(drifting, c.rates).series())
		if j.Verdict != c.verdict || !strings.HasPrefix(j.Reason, c.reason) {
			t.Errorf("%s: %s: %s", name, j.Verdict, j.Reason)
		}
	}
}

// A round in which a size had no packet does not count, and too few rounds are no measurement.
func TestSweepNeedsWholeRounds(t *testing.T) {
	for idle, want := range map[int]int{0: 9, 3: 6, 4: 0} {
		x := swept(drifting, func(round int) []float64 {
			r := []float64{5, 4, 3, 2, 1}
			if round < idle {
				r[round] = 0
			}
			return r
		})
		x.n = len(drifting)
		err := x.keep()
		if want == 0 {
			if !errors.Is(err, ErrBusy) {
				t.Errorf("%d idle rounds: %v", idle, err)
			}
			continue
		}
		if err != nil || len(x.got[0]) != want || len(x.got[4]) != want {
			t.Errorf("%d idle rounds: %d are left, %v", idle, len(x.got[0]), err)
		}
	}
}

// The ratio of two sizes is that of rounds, and has its interval beside it.
func TestSweepsFall(t *testing.T) {
	x := swept(drifting, func(round int) []float64 { return []float64{3 + 0.125*float64(round), 2.5, 2, 1.5, 1} })
	if m := x.fall(); m.String() != "3.5" || m.Note != "3.12 to 3.88 with 95%" {
		t.Errorf("%v, %s", m, m.Note)
	}
}

// Neighbours that are alike change places once each: the first does not wander to the end.
func TestReorderedNeighbours(t *testing.T) {
	rising := func(a, b float64) bool { return a <= b }
	rates := []float64{5, 4, 3, 2}
	if got := reordered(rates, []bool{true, true, true, false}, rising); !slices.Equal(got, []float64{4, 5, 2, 3}) {
		t.Error(got)
	}
	if got := reordered(rates, make([]bool, 4), rising); !slices.Equal(got, rates) {
		t.Error(got)
	}
}
