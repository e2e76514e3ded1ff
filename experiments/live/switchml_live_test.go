package live

import (
	"context"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/netnstest"
)

// Over two racks on real packets: every uplink carries one packet for each of a
// worker's, what is lost between switches is recovered, and all sums are right. Two
// jobs in one switch have right sums as well.
func TestSwitchMLLevelsAndJobsLive(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, x := range []struct {
		experiment.Experiment
		run func(context.Context, *lab) (experiment.Findings, error)
	}{{overRacks(), runRacks}, {twoSwitchMLJobs(), runShared}} {
		l := newTestLab(t)
		f, err := x.run(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		experimenttest.Judge(t, &x.Experiment, l.env, &f)
	}
}
