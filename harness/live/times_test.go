package live

import (
	"testing"
	"time"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// What a job waits on purpose is no sign that it hangs.
func TestLimitLeavesTimeForPauses(t *testing.T) {
	limit := func(times worker.Times) time.Duration {
		j := mustJob(t, scene{system: trioml.System{}, topology: "rack", change: func(s *job.Spec) { s.Times = times }})
		cell := j.Cell()
		return (&tenant{job: j, cell: &cell}).limit(patience)
	}
	pauses := worker.Times{Start: 5 * units.Second, Every: 1, Off: 7 * units.Second} // two, in three iterations
	if got, want := limit(pauses), limit(worker.Times{})+19*time.Second; got != want {
		t.Errorf("limit %v, want %v", got, want)
	}
}

// Jobs start late and pause on real packets. Sums are right, and no iteration holds a
// pause. One job stands still for several looks of the watchdog; it has no patience with
// workers that do not say why.
func TestJobsStartLateAndPauseLive(t *testing.T) {
	for name, tc := range map[string]struct {
		scene
		rest units.Duration
	}{
		"trioml":   {scene{system: trioml.System{Timeout: units.Second}, topology: "mx480"}, units.Second / 4},
		"switchml": {scene{system: switchml.System{}, topology: "rack"}, 3 * units.Second / 2},
		"ring":     {scene{system: ring.System{}, topology: "rack", hosts: 3}, units.Second / 4},
	} {
		t.Run(name, func(t *testing.T) {
			s, times := tc.scene, worker.Times{Start: tc.rest, Every: 2, Off: tc.rest}
			s.iterations = 4
			s.change = func(spec *job.Spec) { spec.Times = times }
			j := mustJob(t, s)
			opt := options(t)
			opt.quiet = 50 * time.Millisecond
			cell := mustRun(t, j, opt)
			last := make([]units.Time, len(j.Hosts()))
			for _, s := range cell.Samples {
				want := last[s.Worker]
				switch s.Iteration {
				case 0:
					want = units.Time(times.Start)
				case 2:
					want = want.Add(times.Off)
				}
				if s.Start != want {
					t.Errorf("worker %d: iteration %d from %v, want %v", s.Worker, s.Iteration, s.Start, want)
				}
				last[s.Worker] = s.End
			}
		})
	}
}
