package harness

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/job"
)

// Capturing says what of the packets of runs is written, and where. The zero value captures
// nothing.
type Capturing struct {
	Open   func(s *job.Set) (io.WriteCloser, error) // a new file for each run; calls may be concurrent
	Filter capture.Filter
	Ring   int // bytes, as in [capture.Config]

	// Told is told what the capture of a run came to, once for each; nil: nobody is.
	Told func(s *job.Set, c capture.Counts, lost []capture.Lost)
}

// Holds of captures. The virtual one is longer than frames wait in a link (assumed); the live one
// than it takes to ask a switch for its events.
const (
	virtualHold = time.Second
	liveHold    = 300 * time.Millisecond
)

// begin opens the capture of a run; end closes it, and says what it came to.
func (c Capturing) begin(s *job.Set, hold time.Duration) (out *capture.Capture, end func(...capture.Lost) error, err error) {
	file, err := c.Open(s)
	if err != nil {
		return nil, nil, err
	}
	out, err = capture.New(file, capture.Config{
		About: fmt.Sprintf("%s on %s, seed %d", s.Name(), s.Plan().Name, s.First().Seed),
		Lab:   capture.SetLab(s).Wires(), Filter: c.Filter, Ring: c.Ring, Hold: hold,
	})
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	end = func(lost ...capture.Lost) error {
		counts, err := out.Close(lost...)
		if err = errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("writing the capture of %s: %w", s.Name(), err)
		}
		if c.Told != nil {
			c.Told(s, counts, lost)
		}
		return nil
	}
	return out, end, nil
}
