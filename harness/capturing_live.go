package harness

import (
	"context"
	"errors"
	"sync"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/capture/sockets"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/switchd/control"
)

// capturedCaution is a caution of live runs: packets are copied once more on their way.
const capturedCaution = "packets were captured: not for timing"

// live begins the capture of a live run. See is called when the lab is up; what it returns ends
// it. End closes the file.
func (c Capturing) live(ctx context.Context, s *job.Set) (see func(*netns.Lab) (func() error, error), end func() error, err error) {
	out, closeFile, err := c.begin(s, liveHold)
	if err != nil {
		return nil, nil, err
	}
	var lost []capture.Lost
	see = func(lab *netns.Lab) (func() error, error) {
		eyes, err := sockets.Open(out.Lab(), lab.Do)
		if err != nil {
			return nil, err
		}
		paths, err := controlSockets(lab.Dir())
		if err != nil {
			return nil, errors.Join(err, eyes.Close())
		}
		ctx, stop := context.WithCancel(ctx)
		var looking sync.WaitGroup
		looking.Go(func() { err = eyes.Run(ctx, out, paths) })
		return func() error {
			stop()
			looking.Wait()
			lost = eyes.Lost()
			return errors.Join(err, eyes.Close())
		}, nil
	}
	return see, func() error { return closeFile(lost...) }, nil
}

// controlSockets returns the paths of the control sockets of a lab.
func controlSockets(dir string) (paths []string, err error) {
	names, err := control.Switches(dir)
	for _, name := range names {
		paths = append(paths, control.SocketPath(dir, name))
	}
	return paths, err
}
