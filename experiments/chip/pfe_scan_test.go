package chip

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/trio"
)

// What the timer threads of the emulated PFE take is as the ledger expects: what an
// instruction takes decides whether one thread is fast enough.
func TestScanTimes(t *testing.T) {
	oneGoroutine(t)
	const id = "trio.s5.single-thread-insufficient"
	l := experimenttest.Ledger(t)
	c, err := l.Lookup(id)
	if err != nil {
		t.Fatal(err)
	}
	e := experimenttest.NewEnv(t)
	var f experiment.Findings
	if err := ScanTimes(t.Context(), e, &f); err != nil {
		t.Fatal(err)
	}
	if j := c.Judge(f.Measured[id]); !j.Expected {
		t.Errorf("%s: %s", j.Verdict, j.Reason)
	}
	if rows := len(f.Tables[0].Rows); rows < 9 {
		t.Errorf("the table has %d rows", rows)
	}
	holds := map[bool]int{}
	for _, end := range c.Result(c.Judge(f.Measured[id]), claims.Run{}).Ends {
		holds[end.Meets]++
	}
	if holds[true] != 1 || holds[false] != 1 {
		t.Errorf("at the ends of what an instruction takes: %v", holds)
	}
}

// A scan of which something is missing has no times.
func TestScansAreComplete(t *testing.T) {
	m, err := NewTrio(experimenttest.NewEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	m.PPEs, m.Threads = trio.MinPPEs, 1
	s := tableScan{blocks: 200, grads: 1, threads: 10}
	if err := s.run(&m); err != nil {
		t.Fatal(err)
	}
	if s.visits.n != 10 || s.ageing.n != 10 || s.visits.most >= s.ageing.mean() {
		t.Errorf("%d threads visited and %d aged, in %v and %v", s.visits.n, s.ageing.n, s.visits.most, s.ageing.mean())
	}
	s = tableScan{blocks: 200, grads: 1, threads: 10}
	m.timing.Instruction = 100 * units.Microsecond
	if err := s.run(&m); err == nil || !strings.Contains(err.Error(), "blocks are open") {
		t.Errorf("a PFE that has not taken in the blocks when they are scanned: %v", err)
	}
}
