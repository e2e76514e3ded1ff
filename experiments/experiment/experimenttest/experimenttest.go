package experimenttest

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
)

// Ledger loads the ledger of claims.
func Ledger(t testing.TB) *claims.Ledger {
	t.Helper()
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Env is what a quick run gives an experiment: the default readings and constants.
func NewEnv(t testing.TB) *experiment.Env {
	t.Helper()
	readings, err := Ledger(t).Readings(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &experiment.Env{Quick: true, Seed: 1, Constants: experiment.Constants(), Readings: readings}
}

// Run runs an experiment quickly and holds what it found against the ledger. It
// must find all that it lists.
func Run(t *testing.T, x *experiment.Experiment) experiment.Findings {
	t.Helper()
	e := NewEnv(t)
	f, err := x.Run(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	Judge(t, x, e, &f)
	return f
}

// Judge holds what an experiment found against the ledger: it is complete, the
// verdicts are the expected ones, and tables and figures can be shown.
func Judge(t testing.TB, x *experiment.Experiment, e *experiment.Env, f *experiment.Findings) {
	t.Helper()
	l := Ledger(t)
	if err := f.Complete(x); err != nil {
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
	for id, p := range f.Predicted {
		i := slices.IndexFunc(l.Unseen, func(w *claims.Unseen) bool { return w.ID == id })
		if i < 0 {
			t.Errorf("%s is no unseen value", id)
			continue
		}
		if p.Constants == nil {
			p.Constants = e.Assumed()
		}
		if _, err := l.Unseen[i].Result(p, claims.Run{}); err != nil || !(0 < p.Low && p.Low < p.High) {
			t.Errorf("%s is predicted to be %v to %v: %v", id, p.Low, p.High, err)
		}
		t.Logf("%-34s predicted      %.4g to %.4g; %s", id, p.Low, p.High, p.Note)
	}
	Show(t, f)
}

// Show fails the test where a table or a figure cannot be written.
func Show(t testing.TB, f *experiment.Findings) {
	t.Helper()
	for _, table := range f.Tables {
		if _, err := table.Render(); err != nil {
			t.Error(err)
		}
	}
	for _, drawn := range f.Figures {
		Drawable(t, drawn)
	}
}

// Drawable fails the test where a figure cannot be drawn.
func Drawable(t testing.TB, f figure.Figure) {
	t.Helper()
	var b strings.Builder
	if err := figure.Write(&b, f); err != nil {
		t.Error(err)
	}
}
