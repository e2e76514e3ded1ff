package unit

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
)

// Every experiment that computes or drives a program by hand: it measures all
// that it lists, and the verdicts are those that the ledger expects.
func TestUnit(t *testing.T) {
	for _, x := range All() {
		t.Run(x.ID, func(t *testing.T) {
			if x.ID != "switchml.conversion" {
				experimenttest.Run(t, &x)
				return
			}
			f, err := x.Run(t.Context(), experimenttest.NewEnv(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range x.Claims { // a time on this machine: there must be one
				if rate, ok := f.Measured[id].Number(); !ok || rate <= 0 {
					t.Errorf("%s: %s", id, f.Measured[id])
				}
			}
		})
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
