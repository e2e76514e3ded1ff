package scenarios

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// maxWait is the longest wait for a start, and the longest pause. Assumed: a live run waits
// as long in earnest.
const maxWait = 3600 * units.Second

// times reads when a job begins, and when it pauses.
func (r *resolver) times(at string, f rawJob) (t worker.Times) {
	if f.Start != "" {
		t.Start = r.wait(at+".start", f.Start, 0)
	}
	if f.Repeat != nil {
		t.Every = r.between(at+".repeat.iterations", f.Repeat.Iterations, 1, MaxIterations)
		t.Off = r.wait(at+".repeat.off", f.Repeat.Off, 1)
	}
	return t
}

// wait reads a time from least up to maxWait.
func (r *resolver) wait(path, text string, least units.Duration) units.Duration {
	d := r.duration(path, text)
	if text != "" && (d < least || d > maxWait) {
		allowed := "0s"
		if least > 0 {
			allowed = "above 0s"
		}
		r.wrong(path, fmt.Errorf("%s: allowed are times from %s up to %v, as in 2s", text, allowed, maxWait))
	}
	return d
}
