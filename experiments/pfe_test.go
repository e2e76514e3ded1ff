package experiments

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/trio"
)

// The cost of an instruction is what the calibration gives, on one point. With
// -update it is written into the PFE's constants.
func TestInstructionCostIsCalibrated(t *testing.T) {
	m, err := newTrioPFE(unitEnv(t), true)
	if err != nil {
		t.Fatal(err)
	}
	target, err := statedLatency()
	if err != nil {
		t.Fatal(err)
	}
	got, err := calibrate(m, latencyReadings[0], 0, target)
	if err != nil {
		t.Fatal(err)
	}
	if golden.Updating() {
		writeInstructionCost(t, got)
		return
	}
	if got != trio.InstructionCost {
		t.Errorf("calibrated on %v, an instruction takes %v, and trio.InstructionCost is %v: run with -update, look at what git says has changed, and say so with the figures", target, got, trio.InstructionCost)
	}
}

func writeInstructionCost(t *testing.T, cost units.Duration) {
	t.Helper()
	const file = "../switchd/trio/timing.go"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(\tInstructionCost = )\d+( \* units\.Nanosecond\n)`)
	if !line.Match(text) {
		t.Fatalf("%s has no line that sets InstructionCost in nanoseconds", file)
	}
	text = line.ReplaceAll(text, fmt.Appendf(nil, "${1}%d${2}", cost/units.Nanosecond))
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// The experiments on the emulated PFE measure all that they list, with the verdicts
// that the ledger expects, and their figures can be drawn.
func TestPFE(t *testing.T) {
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []Experiment{pfeGraceful(), pfeFig15(), pfeFig16()} {
		t.Run(x.ID, func(t *testing.T) {
			f := runAll(t, &x)
			asExpected(t, l, &x, &f)
			for id, p := range f.Predicted {
				if !(0 < p.Low && p.Low < p.High) {
					t.Errorf("%s is predicted to be %v to %v", id, p.Low, p.High)
				}
			}
			for _, g := range f.Figures {
				drawable(t, g)
			}
		})
	}
}

// The cost of an instruction is found wherever it is: what a machine takes with some
// cost is calibrated to that cost.
func TestCalibrationFindsTheCost(t *testing.T) {
	m, err := newTrioPFE(unitEnv(t), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []units.Duration{5, 80, 900} {
		for _, r := range latencyReadings {
			p, err := m.at(want*units.Nanosecond, lone(calibrationGrads, calibrationBlocks, 0)).measure()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := calibrate(m, r, 0, r.of(&p)); err != nil || got != want*units.Nanosecond {
				t.Errorf("%s: latency %v is that of an instruction of %dns, calibrated to %v, %v", r.name, r.of(&p), want, got, err)
			}
		}
	}
	if _, err := calibrate(m, latencyReadings[0], 0, units.Second); err == nil {
		t.Error("a latency of a second is calibrated on")
	}
}

// Blocks of window 1 repeat each other, so that a quick run has the latencies of a
// full one.
func TestLonePacketsRepeat(t *testing.T) {
	m, err := newTrioPFE(unitEnv(t), false)
	if err != nil {
		t.Fatal(err)
	}
	few, err := pfeRun{m, lone(256, calibrationBlocks, 0)}.measure()
	if err != nil {
		t.Fatal(err)
	}
	many, err := pfeRun{m, lone(256, 20*calibrationBlocks, 0)}.measure()
	if err != nil {
		t.Fatal(err)
	}
	if d := many.all - few.all; d < -few.all/1000 || d > few.all/1000 {
		t.Errorf("%v over %d blocks, %v over %d", few.all, few.load.count, many.all, many.load.count)
	}
}

// What is held against the emulated PFE is an iteration without a straggler, and one
// with the same on both models.
func TestHeldIterations(t *testing.T) {
	e := unitEnv(t)
	h := heldPFE{sys: trioSystem(e)}
	if err := h.lay(e); err != nil {
		t.Fatal(err)
	}
	for i, j := range h.jobs {
		if j.Iterations != 1 || (j.Schedule.Paid(0) > 0) != (i == 1) {
			t.Errorf("job %d: %d iterations, a delay of %v", i, j.Iterations, j.Schedule.Paid(0))
		}
	}
	if whole, err := model(e, heldModel); err != nil || h.jobs[0].Model.SizeMiB != whole.SizeMiB/quickHeldShrink {
		t.Errorf("a quick run is of %d MiB: %v", h.jobs[0].Model.SizeMiB, err)
	}
}
