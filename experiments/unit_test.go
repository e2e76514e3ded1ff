package experiments

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/reports/claims"
)

// unitEnv is what a quick run of a unit experiment is given.
func unitEnv(t *testing.T) *Env {
	t.Helper()
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	readings, err := l.Readings(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Env{Quick: true, Seed: 1, Constants: Constants(), readings: readings, taken: map[claims.ID]string{}}
}

// Every experiment that computes or drives a program by hand: it measures all
// that it lists, and the verdicts are those that the ledger expects.
func TestUnit(t *testing.T) {
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range unit() {
		t.Run(x.ID, func(t *testing.T) {
			f, err := x.Run(t.Context(), unitEnv(t))
			if err != nil {
				t.Fatal(err)
			}
			if err := f.complete(&x); err != nil {
				t.Fatal(err)
			}
			for _, id := range x.Claims {
				c, err := l.Lookup(id)
				if err != nil {
					t.Error(err)
					continue
				}
				j := c.Judge(f.Measured[id])
				t.Logf("%-34s %-14s %s: %s; %s", id, j.Verdict, j.Measured, j.Reason, j.Measured.Note)
				if !j.Expected {
					t.Errorf("%s: %s: %s", id, j.Verdict, j.Reason)
				}
			}
			for _, id := range x.Predicts {
				i := slices.IndexFunc(l.Withheld, func(w *claims.Withheld) bool { return w.ID == id })
				if i < 0 {
					t.Errorf("%s is no withheld value", id)
					continue
				}
				if _, err := l.Withheld[i].Result(f.Predicted[id], claims.Run{}); err != nil {
					t.Error(err)
				}
				p := f.Predicted[id]
				t.Logf("%-34s predicted      %.4g to %.4g; %s", id, p.Low, p.High, p.Note)
			}
		})
	}
}
