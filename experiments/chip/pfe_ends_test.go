package chip

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/trio"
)

// Both ends of what an instruction takes meet the stated latency, and differ in everything
// else; a claim has both beside what was measured as assumed.
func TestEndsOfTheTime(t *testing.T) {
	e := experimenttest.NewEnv(t)
	m, err := NewTrio(e)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSolver()
	if err != nil {
		t.Fatal(err)
	}
	ends, err := m.Ends()
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range append(ends[:], m) {
		p, err := pfeRun{end, lone(statedGrads, statedBlocks, 0)}.measure()
		if err != nil {
			t.Fatal(err)
		}
		if d := p.all - s.target; d < -s.target/slack || d > s.target/slack {
			t.Errorf("%s: a latency of %v, want %v", end.Times(), p.all, s.target)
		}
	}
	if least, most := ends[0].timing, ends[1].timing; least.Instruction != trio.InstructionLeast || least.Packet <= m.timing.Packet || most.Packet >= m.timing.Packet/10 || most.Instruction <= m.timing.Instruction {
		t.Errorf("the ends of %s are %s and %s", m.Times(), ends[0].Times(), ends[1].Times())
	}
	windows := []int{1, 16}
	sweeps, err := sweepWindows(t.Context(), e, m, windows)
	if err != nil {
		t.Fatal(err)
	}
	swept, err := fig16Ends(t.Context(), e, m, windows)
	if err != nil {
		t.Fatal(err)
	}
	var f experiment.Findings
	fig16Findings(&f, sweeps, swept, e.Constants.Get("pfe.adds"))
	c, err := experimenttest.Ledger(t).Lookup("trio.fig16a.latency-vs-window")
	if err != nil {
		t.Fatal(err)
	}
	r := c.Result(c.Judge(f.Measured[c.ID]), claims.Run{})
	if len(r.Ends) != 2 || r.Ends[0].At != ends[0].Times() || r.Ends[0].Measured.String() == r.Ends[1].Measured.String() {
		t.Errorf("ends %+v", r.Ends)
	}
}
