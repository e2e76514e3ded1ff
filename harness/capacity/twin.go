package capacity

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/units"
)

// mostTwin bounds the bytes that workers send in a trial under the virtual clock (assumed: it takes
// a fraction of a second). With more, frames are so short beside a tensor that the closed form says the same.
const mostTwin = 64 * units.MiB

// twin returns the shortest iteration of a trial under the virtual clock, where no closed form is
// known of its steps: those of byte streams follow one another, and in each a frame passes its
// switch as a whole. 0: the closed form is as good.
func (l *Live) twin(ctx context.Context, s *job.Set) (units.Duration, error) {
	if !s.First().Layout.Fluid || Kept(s) > mostTwin {
		return 0, nil
	}
	var jobs []*job.Job
	for _, j := range s.Jobs {
		spec := j.Spec
		spec.Virtual, spec.Replay = true, true
		virtual, err := job.New(spec)
		if err != nil {
			return 0, fmt.Errorf("the self-test under the virtual clock: %w", err)
		}
		jobs = append(jobs, virtual)
	}
	set, err := job.NewSet(jobs...)
	if err != nil {
		return 0, fmt.Errorf("the self-test under the virtual clock: %w", err)
	}
	cells, err := sim.RunJobs(ctx, set, l.Images, sim.Observer{})
	if err != nil {
		return 0, fmt.Errorf("the self-test under the virtual clock: %w", err)
	}
	return shortest(cells), nil
}
