package atp

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/wire/inet"
	host "github.com/inalab/inalab/nodes/atp"
)

// checkStreams says why workers cannot send by the streams, windows and timeout that a job has.
func (s System) checkStreams(j *job.Job) error {
	if n := s.streams(); n > host.MaxStreams {
		return fmt.Errorf("%d threads to each of %d servers are %d streams of a worker, and at most %d are possible: set fewer of atp.threads or atp.server-count", s.threads(), s.servers(), n, host.MaxStreams)
	}
	if span, least := s.span(j), cmp.Or(s.LeastWindow, 1); least > span {
		return fmt.Errorf("atp.least-window=%d is more than the %d packets that a stream may have in flight at scale %d: set at most that, or a larger atp.span with atp.unscaled=true", least, span, j.Scale)
	}
	window := s.window(j)
	if trip := j.FrameTime(window+1, inet.EtherLen+s.packet()); s.Timeout > 0 && s.Timeout < trip {
		return fmt.Errorf("atp.timeout=%v is over before a window of %d packets and the parameters of the last can have passed one link, which takes %v at %v (scale %d): set %v or more, atp.timeout=default, or a smaller atp.window", s.Timeout, window, trip, j.Rate(), j.Scale, trip)
	}
	return nil
}
