package poll

import (
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func newPoller(t *testing.T) *Poller {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func want(t *testing.T, p *Poller, d time.Duration, o Outcome) {
	t.Helper()
	if got, err := p.Wait(d); got != o || err != nil {
		t.Fatalf("Wait(%v) = %v, %v; want %v", d, got, err, o)
	}
}

func pair(t *testing.T) (a, b int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = unix.Close(fds[0]), unix.Close(fds[1]) })
	return fds[0], fds[1]
}

func TestWaitKeepsTheDeadline(t *testing.T) {
	p := newPoller(t)
	for _, d := range []time.Duration{0, 30 * time.Microsecond, 3 * time.Millisecond} {
		start := time.Now()
		want(t, p, d, TimedOut)
		if took := time.Since(start); took < d {
			t.Errorf("waited %v, asked for %v", took, d)
		}
	}
}

func TestWakeIsKeptForTheNextWait(t *testing.T) {
	p := newPoller(t)
	p.Wake()
	p.Wake()
	want(t, p, -1, Woken)
	want(t, p, 0, TimedOut)
}

func TestWakeFromAnotherGoroutine(t *testing.T) {
	p := newPoller(t)
	var wg sync.WaitGroup
	wg.Go(p.Wake)
	want(t, p, -1, Woken)
	wg.Wait()
}

func TestReadySlots(t *testing.T) {
	p := newPoller(t)
	a, b := pair(t)
	in, out := p.Add(a, unix.POLLIN), p.Add(b, 0)
	want(t, p, 0, TimedOut)
	if _, err := unix.Write(b, []byte{1}); err != nil {
		t.Fatal(err)
	}
	want(t, p, -1, Ready)
	if p.Events(in)&unix.POLLIN == 0 || p.Events(out) != 0 {
		t.Errorf("events %#x and %#x, want POLLIN and none", p.Events(in), p.Events(out))
	}
	p.Wake()
	want(t, p, -1, Woken)
	want(t, p, -1, Ready)
	p.Set(in, -1, 0)
	want(t, p, 0, TimedOut)
	p.Set(out, b, unix.POLLOUT)
	want(t, p, -1, Ready)
}

func TestWakeAfterCloseTouchesNoDescriptor(t *testing.T) {
	p := newPoller(t)
	old := p.event
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	fds := [2]int{}
	fds[0], fds[1] = pair(t) // one of them takes the number that the eventfd had
	q := newPoller(t)
	for i, fd := range fds {
		if fd == old {
			q.Add(fds[1-i], unix.POLLIN)
		}
	}
	if len(q.fds) != 2 {
		t.Fatalf("descriptors %v, want one of them to be %d", fds, old)
	}
	p.Wake()
	want(t, q, 0, TimedOut)
	if _, err := p.Wait(-1); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Wait of a closed poller: %v, want %v", err, os.ErrClosed)
	}
}

func TestWaitDoesNotAllocate(t *testing.T) {
	p := newPoller(t)
	if n := testing.AllocsPerRun(100, func() { want(t, p, time.Microsecond, TimedOut) }); n != 0 {
		t.Errorf("%v allocations a wait, want none", n)
	}
}
