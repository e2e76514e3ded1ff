package experiments

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
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
