package pktio

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// thread is the operating system thread of the loop.
type thread struct {
	slackNs int // of its timers, before
	started time.Time
	usedNs  int64 // processor time at started
}

// lockThread ties the calling goroutine to its thread and asks the kernel to
// fire the thread's timers within a nanosecond instead of within 50 us
// (prctl(2), PR_SET_TIMERSLACK). A kernel that refuses costs precision only,
// and the lateness in the report shows it.
func lockThread() thread {
	runtime.LockOSThread()
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err == nil {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	}
	return thread{slackNs: slack, started: time.Now(), usedNs: threadTimeNs()}
}

// release gives the thread back as it was.
func (t thread) release() {
	if t.slackNs > 0 {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(t.slackNs), 0, 0, 0)
	}
	runtime.UnlockOSThread()
}

// busyShare returns the processor time that the thread used since it was
// locked, as a fraction of the wall time. The kernel accounts in steps, which
// over a few microseconds can come to more than there was; that counts as all.
func (t thread) busyShare() float64 {
	wall := time.Since(t.started)
	if wall <= 0 {
		return 0
	}
	return min(1, float64(threadTimeNs()-t.usedNs)/float64(wall))
}

func threadTimeNs() int64 {
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &use); err != nil {
		return 0
	}
	return use.Utime.Nano() + use.Stime.Nano()
}
