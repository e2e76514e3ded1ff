package chip

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
)

// The cost of an instruction is what the calibration gives, on one point. With
// -update it is written into the PFE's constants.
func TestInstructionCostIsCalibrated(t *testing.T) {
	m, err := NewTrio(experimenttest.NewEnv(t), true)
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
	const file = "../../switchd/trio/timing.go"
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

// The cost of an instruction is found wherever it is: what a machine takes with some
// cost is calibrated to that cost.
func TestCalibrationFindsTheCost(t *testing.T) {
	m, err := NewTrio(experimenttest.NewEnv(t), true)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []units.Duration{5, 80, 900} {
		for _, r := range latencyReadings {
			p, err := m.at(want*units.Nanosecond, lone(calibrationGrads, calibrationBlocks, 0)).measure()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := calibrate(m, r, 0, r.latency(&p)); err != nil || got != want*units.Nanosecond {
				t.Errorf("%s: latency %v is that of an instruction of %dns, calibrated to %v, %v", r.name, r.latency(&p), want, got, err)
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
	m, err := NewTrio(experimenttest.NewEnv(t), false)
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

// The largest window of Fig 16 runs: no packet is dropped, whatever has been written
// to by then, and every block is done. Small packets use as much memory of the host.
func TestLargestWindow(t *testing.T) {
	m, err := NewTrio(experimenttest.NewEnv(t), false)
	if err != nil {
		t.Fatal(err)
	}
	windows := fig16Windows(&experiment.Env{})
	load := fig16Load(&experiment.Env{}, 64, windows[len(windows)-1])
	r, err := newPFERig(&m, load)
	if err != nil {
		t.Fatal(err)
	}
	for r.done < load.warmup+load.count {
		if err := r.until(r.done + load.count/16); err != nil {
			t.Fatal(err)
		}
		for _, w := range r.engine.Snapshot().Work {
			if w.Fate == trio.Dropped.String() && w.Inside.N > 0 {
				t.Fatalf("%d packets are dropped after %d blocks: %v", w.Inside.N, r.done, r.engine.Counters())
			}
		}
	}
}

// An upper level that waits no longer than the lower gives up on servers that have
// sent; one that waits twice as long does not, and all wait for it where a whole PFE is
// silent.
func TestUpperTimeouts(t *testing.T) {
	m, err := NewTrio(experimenttest.NewEnv(t), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		upper, silent int
		short         bool
		least, most   float64
	}{{1, 1, true, 1, 2}, {2, 1, false, 1, 2}, {3, lowerServers, false, 3, 6}} {
		l := levelRig{upper: c.upper, silent: c.silent, prog: m.prog, age: program.AgeAbsent}
		if err := l.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if low, high := slices.Min(l.last), slices.Max(l.last); l.short > 0 != c.short || low < c.least || high > c.most {
			t.Errorf("upper timeout of %d, %d silent: %d of %d results too short, after %.2f to %.2f timeouts", c.upper, c.silent, l.short, l.results, low, high)
		}
	}
}

// Choices that are calibrated anew meet the calibration point, each with its own cost of
// an instruction.
func TestChoicesAreCalibrated(t *testing.T) {
	m, err := NewTrio(experimenttest.NewEnv(t), true)
	if err != nil {
		t.Fatal(err)
	}
	target, err := statedLatency()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range pfeChoices() {
		changed, err := c.at(m, target)
		if err != nil {
			t.Fatal(err)
		}
		p, err := pfeRun{changed, lone(calibrationGrads, calibrationBlocks, 0)}.measure()
		if err != nil {
			t.Fatal(err)
		}
		if d := (c.reading.latency(&p) - target).Seconds() / target.Seconds(); seen[c.name] || d < -0.01 || d > 0.01 {
			t.Errorf("%s: %v at the point of %v", c.name, c.reading.latency(&p), target)
		}
		seen[c.name] = true
	}
}
