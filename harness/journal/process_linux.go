package journal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Kill ends the process with SIGKILL and waits until it has gone, at most
// timeout. It reports whether there was anything to kill: a process that has
// gone, or whose pid belongs to another one by now, is left alone.
func (p Process) Kill(timeout time.Duration) (bool, error) {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if errors.Is(err, unix.ESRCH) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("open process %d: %w", p.PID, err)
	}
	defer unix.Close(fd)
	// The descriptor pins the process: if it is ours now it stays ours.
	if !p.Alive() {
		return false, nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return false, fmt.Errorf("kill process %d: %w", p.PID, err)
	}
	if err := waitGone(fd, timeout); err != nil {
		return true, fmt.Errorf("kill process %d: %w", p.PID, err)
	}
	return true, nil
}

// waitGone waits until the process behind a pidfd has ended.
func waitGone(pidfd int, timeout time.Duration) error {
	deadline := time.Now().Add(timeout)
	for {
		left := max(time.Until(deadline), 0)
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, int(left.Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("wait for its end: %w", err)
		case n == 0:
			return fmt.Errorf("still there after %v", timeout)
		}
		return nil
	}
}

// endPoll is how often the wait for the end of a process looks for the end of its context.
const endPoll = 50 * time.Millisecond

// End asks the process to end, by SIGTERM, and waits until it has gone or ctx ends. One that has
// gone already is fine.
func (p Process) End(ctx context.Context) error {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open process %d: %w", p.PID, err)
	}
	defer unix.Close(fd)
	if !p.Alive() { // its number is another's by now
		return nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGTERM, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("end process %d: %w", p.PID, err)
	}
	for ctx.Err() == nil {
		if waitGone(fd, endPoll) == nil {
			return nil
		}
	}
	return context.Cause(ctx)
}
