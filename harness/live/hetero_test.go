package live

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/internal/units"
)

// A worker that computes longer than the others does so live, and all wait for it: no iteration of anybody ends
// before it has computed as often.
func TestPacesLive(t *testing.T) {
	heavy(t)
	const lag = 200 * units.Millisecond
	j := mustJob(t, scene{system: ring.System{}, topology: "rack", hosts: 3, change: func(s *job.Spec) {
		s.Paces = []job.Pace{1: {Factor: 2, Lag: lag}}
	}})
	cell := mustRun(t, j, options(t))
	start := cell.Samples[0].Start
	for _, s := range cell.Samples {
		start = min(start, s.Start)
	}
	for _, s := range cell.Samples {
		least := (2*j.Model.Compute + lag) * units.Duration(s.Iteration+1)
		if took := s.End.Sub(start); took < least {
			t.Errorf("worker %d ended iteration %d after %v, before worker 1 can have computed for %v", s.Worker, s.Iteration, took, least)
		}
	}
	if cell.Compute < j.Model.Compute {
		t.Errorf("computing takes %v, less than the model's %v", cell.Compute, j.Model.Compute)
	}
}
