package virtual

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
)

// Both times of the example are within the tolerances of the ledger.
func TestXAggFig1(t *testing.T) {
	x := xaggFig1()
	found := experimenttest.Run(t, &x)
	if n := len(found.Tables[0].Rows); n != len(fig1Rows(nil)) {
		t.Errorf("the table has %d rows", n)
	}
}

// The reference programs take as long as the pipelines.
func TestXAggFig1OnReferencePrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets, many times slower under the race detector")
	}
	e := experimenttest.NewEnv(t)
	for _, r := range fig1Rows(e) {
		other := r
		if sml, ok := r.sys.(switchml.System); ok {
			sml.Pipe = switchml.Pipe{}
			other.sys = sml
		} else {
			other.sys = onPipe(r.sys, atp.Pipe{})
		}
		var done []units.Duration
		for _, row := range []fig1Row{r, other} {
			j, err := row.job(e, new(lastSent))
			if err != nil {
				t.Fatal(err)
			}
			cells, err := runJobs(t.Context(), j)
			if err != nil {
				t.Fatal(err)
			}
			if ran, err := testbed.RanOn(row.sys, &cells[0]); err != nil || row.sys == other.sys && ran == testbed.OnPipeline {
				t.Errorf("%s ran on %q: %v", row.name, ran, err)
			}
			done = append(done, fig1Done(&cells[0]))
		}
		if done[0] != done[1] {
			t.Errorf("%s: %v on the pipeline, %v on the reference program", r.name, done[0], done[1])
		}
	}
}

// The pool of a switch holds fast workers up: they send their last packets when the example is nearly
// over, and not when their own lines would have carried all, after 1 and 2 seconds.
func TestSwitchPoolsHoldFastWorkersUp(t *testing.T) {
	e := experimenttest.NewEnv(t)
	for _, r := range fig1Rows(e) {
		var sent lastSent
		j, err := r.job(e, &sent)
		if err != nil {
			t.Fatal(err)
		}
		cells, err := runJobs(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		done := fig1Done(&cells[0])
		for w, at := range sent {
			switch _, streams := r.sys.(ps.System); {
			case streams && at != 0:
				t.Errorf("%s: W%d tells when it sent packets: the table can show that", r.name, w+1)
			case !streams && units.Duration(at) < done*95/100:
				t.Errorf("%s: W%d sent all after %v of %v", r.name, w+1, units.Duration(at), done)
			}
		}
	}
}
