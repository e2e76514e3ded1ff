package render

import (
	"bytes"
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/compare"
)

func write(t *testing.T, table Table, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, table, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const (
	workers    = 6
	iterations = 30
	compute    = 100 * units.Millisecond
)

// delay is a schedule of straggles: every third iteration, longer with p.
func delay(p float64, iteration int) units.Duration {
	if iteration%3 != 0 {
		return 0
	}
	return compute.Scale(p * float64(5+iteration%7))
}

// baseline is what the others are compared with.
var baseline = result.Baseline{System: "switchml256", Key: "switchml", Word: "SwitchML"}

// ranks are the places of systems.
var ranks = map[string]int{"ring": 100, "switchml256": 200, "trioml": 290}

// cell returns a run in which each worker pays a share of the delay.
func cell(system string, p, share float64) result.Cell {
	c := result.Cell{
		System: system, Rank: ranks[system], Topology: "rack", Model: "resnet50", Clock: "live", StraggleP: p, Seed: 1, Scale: 100,
		Workers: workers, Iterations: iterations, Checked: 46_000_000,
		Expected: compute + compute.Scale(p*share*8/3), Fidelity: result.Fidelity{Verdict: result.Trusted},
	}
	switch system {
	case "switchml256":
		c.Switch = "pipeline"
	case "trioml":
		c.Topology, c.Switch, c.ExpectedIsBound = "mx480", "microcode", true
	}
	for w := range workers {
		var now units.Time
		for i := range iterations {
			s := result.Sample{System: system, StraggleP: p, Worker: w, Iteration: i, Start: now, Delay: delay(p, i), Contributed: true}
			now = now.Add(compute + 3*units.Millisecond + units.Duration((i*7+w*3)%11)*100*units.Microsecond + delay(p, i).Scale(share))
			s.End = now
			loss := 2.3 / float64(i+1)
			s.Loss = &loss
			if w == 0 && i%10 == 9 {
				accuracy := 0.6 + float64(i)/200
				s.Accuracy = &accuracy
			}
			if system == "trioml" && s.Delay > 0 {
				s.Degraded = 40
			}
			c.Samples = append(c.Samples, s)
		}
	}
	return c
}

func ideal() result.Cell {
	return result.Cell{
		System: compare.Ideal, Topology: "rack", Model: "resnet50", Clock: "live", Seed: 1, Scale: 100, Workers: workers,
		Iterations: iterations, Computed: compute + 2*units.Millisecond,
	}
}

// sweep is what the straggler scenario reports.
func sweep() []result.Cell {
	cells := []result.Cell{ideal()}
	for _, p := range []float64{0, 0.04, 0.08, 0.16} {
		cells = append(cells, cell("ring", p, 1.05), cell("switchml256", p, 1), cell("trioml", p, 0.1))
	}
	for i := range cells {
		if cells[i].System == "trioml" {
			cells[i].Notes = []string{"window of 4096 packets becomes 40, which is below the 64 that the paper's switch was filled with"}
		}
	}
	return cells
}

// troubled has one of everything that may go wrong.
func troubled() []result.Cell {
	cells := sweep()
	for i := range cells {
		c := &cells[i]
		switch {
		case c.System == "ring" && c.StraggleP == 0.04:
			c.Fidelity = result.Fidelity{Verdict: result.Busy, Reasons: []string{"p99 timer lateness 3.1ms at worker 2, allowed are 2ms"}}
		case c.System == "switchml256" && c.StraggleP == 0.08:
			c.Fidelity = result.Fidelity{Verdict: result.Invalid, Reasons: []string{"211 packets dropped that no link model asked for"}}
		case c.System == "ring" && c.StraggleP == 0.08:
			c.Checked, c.Samples = 0, nil
		case c.System == "switchml256" && c.StraggleP == 0.16:
			c.Wrong = 17
		case c.System == "trioml" && c.StraggleP == 0.16:
			c.Fidelity = result.Fidelity{Verdict: result.Invalid, Reasons: []string{"CPU busy 99%, allowed are 90%"}}
		}
	}
	return cells
}
