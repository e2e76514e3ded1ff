package experiments

import (
	"testing"

	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/reports/claims"
)

// Over two racks on real packets: every uplink carries one packet for each of a
// worker's, what is lost between switches is recovered, and all sums are right. Two
// jobs in one switch have right sums as well.
func TestSwitchMLLevelsAndJobsLive(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	if testing.Short() {
		t.Skip("takes seconds")
	}
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		Experiment
		run func(*lab) (Findings, error)
	}{
		{liveRacks(), func(l *lab) (Findings, error) { return runRacks(t.Context(), l) }},
		{liveShared(), func(l *lab) (Findings, error) { return runShared(t.Context(), l) }},
	} {
		f, err := x.run(newTestLab(t, l))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.complete(&x.Experiment); err != nil {
			t.Error(err)
		}
		asExpected(t, l, &x.Experiment, &f)
		for _, table := range f.Tables {
			text, err := table.Render()
			if err != nil {
				t.Error(err)
			}
			t.Logf("%+v", text)
		}
	}
}
