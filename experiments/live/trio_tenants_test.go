package live

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/worker"
)

// The jobs are what their comment says: of other tensors, and the second with
// blocks enough to meet its cap and few enough for its run to end.
func TestTenantsAreLaidOut(t *testing.T) {
	lab := newTestLab(t)
	for _, quick := range []bool{true, false} {
		lab.env.Quick = quick
		set, err := tenants(lab.env, false)
		if err != nil {
			t.Fatal(err)
		}
		free, capped := set.Jobs[0], set.Jobs[1]
		if n := capped.Naming().Blocks; n <= tenantBlockMax || n > 2*tenantBlockMax || capped.Layout.Window < n {
			t.Errorf("%d blocks in a window of %d: a cap of %d needs more blocks than that and at most twice as many", n, capped.Layout.Window, tenantBlockMax)
		}
		if free.Seed == capped.Seed || free.Layout.Window >= tenantBlockMax || set.Plan().Hosts[intruder].Name != "h6" {
			t.Errorf("seeds %d and %d, window %d of the first", free.Seed, capped.Seed, free.Layout.Window)
		}
	}
}

// Under the virtual clock the same jobs give the same verdict; nobody intrudes.
func TestTenantsVirtually(t *testing.T) {
	lab := newTestLab(t)
	set, err := tenants(lab.env, true)
	if err != nil {
		t.Fatal(err)
	}
	images, err := worker.LoadImages()
	if err != nil {
		t.Fatal(err)
	}
	log := trace.NewLog(1 << 19)
	s := shared{set: set, seen: check.NewTenants(set)}
	if s.cells, err = sim.RunJobs(t.Context(), set, images, sim.Observer{Log: log}); err != nil {
		t.Fatal(err)
	}
	for e := range trace.Merged([]*trace.Log{log}) {
		s.seen.Event(&e)
	}
	f, err := s.findings(lab)
	checkTenants(t, f, err)

	s.seen.Job(cappedID).MostOpen++
	s.cells[0].Wrong++
	f, err = s.findings(lab)
	if got := f.Measured["trio.s4.multi-job"]; err != nil || got.String() != "cap_violations 1, cross_job_errors 1" {
		t.Errorf("with a block too many and a wrong sum: %v, %v", got, err)
	}
}

// On real packets, with packets above block_grad_max from a third party.
func TestTenantsLive(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	if testing.Short() {
		t.Skip("takes seconds")
	}
	f, err := runTenants(t.Context(), newTestLab(t))
	checkTenants(t, f, err)
}

func checkTenants(t *testing.T, f experiment.Findings, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Measured["trio.s4.multi-job"]; got.String() != "cap_violations 0, cross_job_errors 0" {
		t.Errorf("%v", got)
	}
	experimenttest.Show(t, &f)
}
