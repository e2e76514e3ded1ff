package pktio

import (
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/units"
)

// thread is the operating system thread of the loop.
type thread struct {
	slackNs int  // of its timers, before
	prompt  bool // it has a short time slice
	started time.Time
	usedNs  int64 // processor time at started
}

// lockThread ties the calling goroutine to its thread and asks the kernel to
// fire the thread's timers within a nanosecond instead of within 50 us
// (prctl(2), PR_SET_TIMERSLACK). A kernel that refuses costs precision only,
// and the lateness in the report shows it.
func lockThread(prompt bool) thread {
	runtime.LockOSThread()
	addPlaces(1)
	t := thread{prompt: prompt, started: time.Now()}
	if prompt {
		setSlice(shortSlice)
	}
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err == nil {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	}
	t.slackNs, t.usedNs = slack, threadTimeNs()
	return t
}

// shortSlice is the time slice of a prompt loop: a thread that wakes up takes the processor from one with a
// longer slice (Linux, kernel/sched/fair.c, PREEMPT_SHORT, since 6.12). It is the least that the kernel takes; the
// default is 0.7 ms and more with more processors.
const shortSlice = 100 * time.Microsecond

// setSlice sets the time slice of the calling thread; 0: the default. It takes no right (sched_setattr(2)). A
// kernel that refuses, or knows no slices, costs precision only.
func setSlice(d time.Duration) {
	attr, err := unix.SchedGetAttr(0, 0)
	if err != nil || attr.Policy != unix.SCHED_NORMAL {
		return
	}
	attr.Runtime = uint64(d)
	_ = unix.SchedSetAttr(0, attr, 0)
}

// computeNice is how far computes stand back behind threads of packets (nice(1)).
const computeNice = 10

// giveWay ties the calling goroutine to its thread for good, and lets other threads go first:
// a compute has time to its end, and a packet that waits is late. It takes no right. A kernel
// that refuses costs precision only.
func giveWay() {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), computeNice)
}

// release gives the thread back as it was.
func (t thread) release() {
	if t.prompt {
		setSlice(0)
	}
	if t.slackNs > 0 {
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(t.slackNs), 0, 0, 0)
	}
	addPlaces(-1)
	runtime.UnlockOSThread()
}

// places guards the number of threads that may run Go code at a time.
var places sync.Mutex

// addPlaces changes that number: a loop keeps its place while it waits for packets (package
// poll), and must not take that of others.
func addPlaces(n int) {
	places.Lock()
	defer places.Unlock()
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + n)
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

// used returns the processor time that the thread used since it was locked.
func (t thread) used() units.Duration {
	return units.Duration(threadTimeNs()-t.usedNs) * units.Nanosecond
}

func threadTimeNs() int64 {
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &use); err != nil {
		return 0
	}
	return use.Utime.Nano() + use.Stime.Nano()
}
