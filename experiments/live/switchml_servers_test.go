package live

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/netnstest"
)

// Parameter servers on real packets, beside and apart from the workers: every sum
// is right, or the experiments return an error, and every run has a time. How long
// they take depends on how busy the machine is, and is not looked at.
func TestParameterServersOnPackets(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	lab := newTestLab(t)
	latency, err := runPSLatency(t.Context(), lab)
	if err != nil {
		t.Fatal(err)
	}
	got := latency.Measured["switchml.s3.sub-rtt"].String()
	for _, name := range []string{"ina ", "ps ", "ring "} {
		if !strings.Contains(got, name) {
			t.Errorf("times %q, want one of %s", got, name)
		}
	}
	rates, err := runPSRates(t.Context(), lab)
	if err != nil {
		t.Fatal(err)
	}
	ratio := rates.Measured["switchml.s6.1.dedicated-ps"]
	if !strings.HasPrefix(ratio.Model, "live, scaled 1/2000; ") || ratio.String() == "0" {
		t.Errorf("ratio %v of %q", ratio, ratio.Model)
	}
	experimenttest.Show(t, &latency)
	experimenttest.Show(t, &rates)
}

// A round begins with another run than the one before, and each run has its turn.
func TestRunsTakeTurns(t *testing.T) {
	for _, runs := range []int{1, 2, 3, 4} {
		first, last := turns(runs, 0), turns(runs, 1)
		seen := map[int]bool{}
		for _, i := range last {
			seen[i] = true
		}
		if len(first) != runs || len(seen) != runs || runs > 1 && first[0] == last[0] {
			t.Errorf("%d runs: rounds %v and %v", runs, first, last)
		}
	}
}
