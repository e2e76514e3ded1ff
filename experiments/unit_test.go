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
			f := runAll(t, &x)
			if x.ID == unitConversion()[0].ID { // a time on this machine: there must be one
				for _, id := range x.Claims {
					if rate, ok := f.Measured[id].Number(); !ok || rate <= 0 {
						t.Errorf("%s: %s", id, f.Measured[id])
					}
				}
				return
			}
			asExpected(t, l, &x, &f)
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

// runAll runs an experiment, which must find all that it lists.
func runAll(t *testing.T, x *Experiment) Findings {
	t.Helper()
	f, err := x.Run(t.Context(), unitEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.complete(x); err != nil {
		t.Fatal(err)
	}
	return f
}

// asExpected holds what was found against the ledger.
func asExpected(t *testing.T, l *claims.Ledger, x *Experiment, f *Findings) {
	t.Helper()
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
}

// The exploration of SwitchML's slots can find what is wrong: with packets that
// overtake each other there is a lot of it (ambiguity switchml.late-duplicate).
func TestExplorationFindsFaults(t *testing.T) {
	for _, reorder := range []bool{false, true} {
		x, err := shadowBounds{workers: 2, chunks: 3, capacity: 2, reorder: reorder}.explore()
		if err != nil {
			t.Fatal(err)
		}
		if (x.bad > 0) != reorder {
			t.Errorf("overtaking %v: %d of %d states are bad", reorder, x.bad, len(x.nodes))
		}
	}
}

// Every step of the switch is held against the program, and a difference is
// found: here states that take every packet for one that was there before.
func TestReplayFindsDifferences(t *testing.T) {
	x, err := shadowBounds{workers: 2, chunks: 2, capacity: 1}.explore()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := x.holdAgainstProgram(1); err != nil || n == 0 {
		t.Fatalf("%d steps compared: %v", n, err)
	}
	for i := range x.nodes {
		x.nodes[i].state.set[0] = copyOf{seen: [shadowWorkers]bool{true, true}}
	}
	if _, err := x.holdAgainstProgram(1); err == nil {
		t.Error("states of another switch agree with the program")
	}
}
