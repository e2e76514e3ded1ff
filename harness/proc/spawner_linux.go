package proc

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/vishvananda/netns"
)

// spawner starts processes from one locked thread, which lives until close:
// their parent-death signal is bound to the thread, not to the process.
type spawner struct {
	requests chan request
	ended    chan struct{}
}

// attributes tie a process to the thread that starts it, and its descendants to
// the process if they are to be contained.
func attributes(contain bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{
		Pdeathsig: syscall.SIGKILL,
		// Ctrl-C is for the harness, which stops its children in order.
		Setpgid: true,
	}
	if contain {
		a.Cloneflags = syscall.CLONE_NEWPID // when its first process ends, the kernel ends the others
	}
	return a
}

type request struct {
	netns string
	cmd   *exec.Cmd
	done  chan error
}

func newSpawner() *spawner {
	s := &spawner{requests: make(chan request), ended: make(chan struct{})}
	go s.run()
	return s
}

// start starts cmd in the namespace at the path netns, or in the caller's.
func (s *spawner) start(ctx context.Context, netns string, cmd *exec.Cmd) error {
	r := request{netns: netns, cmd: cmd, done: make(chan error, 1)}
	select {
	case s.requests <- r:
		return <-r.done
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close ends the thread. What it started is killed by that, if still there.
func (s *spawner) close() {
	close(s.requests)
	<-s.ended
}

// run never unlocks its thread, so that the thread ends with it whatever
// namespace it is in.
func (s *spawner) run() {
	defer close(s.ended)
	runtime.LockOSThread()
	home, err := netns.Get()
	if err != nil {
		err = fmt.Errorf("open own network namespace: %w", err)
	} else {
		defer home.Close()
	}
	for r := range s.requests {
		if err != nil {
			r.done <- err
			continue
		}
		var startErr error
		startErr, err = spawn(home, r)
		r.done <- errors.Join(startErr, err)
	}
}

// spawn starts one process. A lost way home is returned apart: it spoils the
// thread for all that follow. The process may be running even then. Not
// ns.NetNS.Do, which would start the process from a thread that ends.
func spawn(home netns.NsHandle, r request) (startErr, homeErr error) {
	if r.netns == "" {
		return r.cmd.Start(), nil
	}
	target, err := netns.GetFromPath(r.netns)
	if err != nil {
		return fmt.Errorf("open its network namespace %s: %w", r.netns, err), nil
	}
	defer target.Close()
	if err := netns.Set(target); err != nil {
		return fmt.Errorf("enter its network namespace %s: %w", r.netns, err), nil
	}
	startErr = r.cmd.Start()
	if err := netns.Set(home); err != nil {
		homeErr = fmt.Errorf("return to own network namespace: %w", err)
		if startErr == nil { // nobody will own it: end it here
			startErr = errors.Join(r.cmd.Process.Kill(), ignoreExit(r.cmd.Wait()))
		}
	}
	return startErr, homeErr
}

// ignoreExit drops the error that only says how a killed process ended.
func ignoreExit(err error) error {
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil
	}
	return err
}
