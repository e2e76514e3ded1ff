package virtual

import (
	"math"
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
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

// An iteration of a sixteenth of ResNet50 takes as long on the Microcode of the timed PFE as on the reference
// program, which the sweep of Fig 13 is on, within 1%. One of the whole model takes 1.9% longer without a
// straggler, since the engines also read and clear sums, and 0.2% less with one (trio.fig13.microcode).
func TestSweepAgreesWithMicrocode(t *testing.T) {
	if testing.Short() {
		t.Skip("an emulated PFE is many times slower under the race detector")
	}
	e := experimenttest.NewEnv(t)
	scan, err := scanTime(e)
	if err != nil {
		t.Fatal(err)
	}
	models, err := heldPFEs(e, scan)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := runHeld(t.Context(), models)
	if err != nil {
		t.Fatal(err)
	}
	for k := range cells[0] {
		swept, chip := testbed.MeanIteration(&cells[0][k]), testbed.MeanIteration(&cells[1][k])
		if d := chip.Seconds()/swept.Seconds() - 1; math.Abs(d) > 0.01 {
			t.Errorf("p = %g: %v on the Microcode, %v on the reference program, %+.2f%%", cells[0][k].StraggleP, chip, swept, 100*d)
		}
	}
}

// Timer threads that take a millisecond for a result make an iteration with a straggler
// longer, and change none without.
func TestScanTimeOfTheSweep(t *testing.T) {
	e := experimenttest.NewEnv(t)
	var took [2][2]units.Duration // by time of a result, without and with a straggler
	for i, result := range []units.Duration{0, units.Millisecond} {
		h := heldPFE{sys: trioSystem(e)}
		h.sys.PFE.Scan = reference.ScanTime{Result: result}
		if err := h.lay(e); err != nil {
			t.Fatal(err)
		}
		cells, err := runJobs(t.Context(), h.jobs...)
		if err != nil {
			t.Fatal(err)
		}
		for k := range cells {
			took[i][k] = testbed.MeanIteration(&cells[k])
		}
	}
	if took[0][0] != took[1][0] || took[1][1] <= took[0][1] {
		t.Errorf("without and with a straggler %v where results take no time, %v where they take a millisecond", took[0], took[1])
	}
}
