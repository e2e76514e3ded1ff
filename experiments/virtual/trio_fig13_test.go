package virtual

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/experiments/testbed"
)

// What is held against the emulated PFE is an iteration without a straggler, and one
// with the same on both models.
func TestHeldIterations(t *testing.T) {
	e := experimenttest.NewEnv(t)
	h := heldPFE{sys: trioSystem(e)}
	if err := h.lay(e); err != nil {
		t.Fatal(err)
	}
	for i, j := range h.jobs {
		if j.Iterations != 1 || (j.Schedule.Paid(0) > 0) != (i == 1) {
			t.Errorf("job %d: %d iterations, a delay of %v", i, j.Iterations, j.Schedule.Paid(0))
		}
	}
	if whole := testbed.Model(e, heldModel); h.jobs[0].Model.SizeMiB != whole.SizeMiB/quickHeldShrink {
		t.Errorf("a quick run is of %d MiB", h.jobs[0].Model.SizeMiB)
	}
}
