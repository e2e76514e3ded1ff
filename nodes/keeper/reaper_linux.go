package keeper

import (
	"errors"
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// endGrace is how long programs have to end after SIGTERM when the lab goes (assumed). It is
// less than the harness leaves this process.
const endGrace = time.Second

// reaper waits for every child of the process: programs, and what they have left behind.
type reaper struct {
	mu      sync.Mutex // guards what follows; held while a program starts, so that its end is not missed
	waiting map[int]chan unix.WaitStatus

	signals chan os.Signal
	stop    chan struct{}
}

func newReaper() *reaper {
	r := &reaper{waiting: map[int]chan unix.WaitStatus{}, signals: make(chan os.Signal, 1), stop: make(chan struct{})}
	_, _ = os.FindProcess(os.Getpid()) // tries pidfds out with a child, which must be nobody's by now
	signal.Notify(r.signals, unix.SIGCHLD)
	return r
}

// run reaps until endAll.
func (r *reaper) run() {
	defer signal.Stop(r.signals)
	for {
		r.reap()
		select {
		case <-r.signals:
		case <-r.stop:
			return
		}
	}
}

// reap takes everybody who has ended.
func (r *reaper) reap() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if done := r.waiting[pid]; done != nil {
			done <- status
			delete(r.waiting, pid)
		}
	}
}

// started has a program started, and returns its number and where its end will be told.
func (r *reaper) started(start func() (pid int, err error)) (int, <-chan unix.WaitStatus, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pid, err := start()
	if err != nil {
		return 0, nil, err
	}
	done := make(chan unix.WaitStatus, 1)
	r.waiting[pid] = done
	return pid, done, nil
}

// endAll ends every process of the PID namespace but this one, and stops reaping. Those that do not
// end are the kernel's to end, with this process.
func (r *reaper) endAll() {
	_ = unix.Kill(-1, unix.SIGTERM) // none is left: fine
	_ = unix.Kill(-1, unix.SIGHUP)  // shells pass over SIGTERM
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(endGrace); time.Now().Before(deadline) && !alone(); <-tick.C {
	}
	_ = unix.Kill(-1, unix.SIGKILL)
	for deadline := time.Now().Add(endGrace); time.Now().Before(deadline) && !alone(); <-tick.C {
	}
	close(r.stop)
}

// alone reports whether no other process is left in the PID namespace.
func alone() bool { return errors.Is(unix.Kill(-1, 0), unix.ESRCH) }
