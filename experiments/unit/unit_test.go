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
			if x.ID != "switchml.conversion" && x.ID != "xagg.planning" {
				experimenttest.Run(t, &x)
				return
			}
			f, err := x.Run(t.Context(), experimenttest.NewEnv(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range x.Claims { // a rate or a time on this machine: there must be one
				if v, ok := f.Measured[id].Number(); !ok || v <= 0 {
					t.Errorf("%s: %s", id, f.Measured[id])
				}
			}
		})
	}
}
