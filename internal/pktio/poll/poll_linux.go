package poll

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Outcome says why Wait returned.
type Outcome uint8

// The outcomes of Wait. Where a Wake and a descriptor came together, Woken is
// told first; the descriptor is still ready in the next Wait.
const (
	TimedOut Outcome = iota + 1
	Woken
	Ready
)

// Poller is a set of descriptors to wait for. One goroutine owns it; only Wake
// may be called from another. It does not own the descriptors.
type Poller struct {
	fds []unix.PollFd // the eventfd first

	mu    sync.Mutex // guards event, so that a late Wake writes to no stranger's descriptor
	event int        // -1 once closed
}

// New returns a poller that can be woken and waits for nothing else.
func New() (*Poller, error) {
	event, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("create eventfd: %w", err)
	}
	return &Poller{fds: []unix.PollFd{{Fd: int32(event), Events: unix.POLLIN}}, event: event}, nil
}

// Add takes a descriptor into the set and returns its slot. Events are those of
// poll(2), as POLLIN.
func (p *Poller) Add(fd int, events int16) (slot int) {
	p.fds = append(p.fds, unix.PollFd{Fd: int32(fd), Events: events})
	return len(p.fds) - 1
}

// Set changes what a slot waits for; a descriptor of -1 waits for nothing, not
// even for errors.
func (p *Poller) Set(slot, fd int, events int16) {
	p.fds[slot] = unix.PollFd{Fd: int32(fd), Events: events}
}

// Events returns what the last Wait found of a slot.
func (p *Poller) Events(slot int) int16 { return p.fds[slot].Revents }

// Wait waits at most d (0: looks only; negative: without limit).
func (p *Poller) Wait(d time.Duration) (Outcome, error) {
	if p.event < 0 {
		return 0, fmt.Errorf("wait: %w", os.ErrClosed)
	}
	left := unix.NsecToTimespec(int64(d))
	limit := &left // the kernel writes back what is left of it, so a signal does not extend the wait
	if d < 0 {
		limit = nil
	}
	for {
		n, err := ppoll(p.fds, limit)
		switch {
		case err == unix.EINTR:
			runtime.Gosched() // the collector may have asked for it
			continue
		case err != 0:
			return 0, os.NewSyscallError("ppoll", err)
		case n == 0:
			return TimedOut, nil
		case p.fds[0].Revents != 0:
			var count [8]byte
			_, _ = unix.Read(int(p.fds[0].Fd), count[:]) // resets the counter; only EAGAIN is possible
			return Woken, nil
		}
		return Ready, nil
	}
}

// ppoll waits without telling the Go scheduler: the thread keeps its place among those that
// may run Go code, and need not wait for one when a packet is here. Told, the scheduler would
// also watch the thread every 20 us, which was a tenth of the processor time of a run. The
// collector ends the wait with a signal. A loop that waits so brings a place of its own (package pktio).
func ppoll(fds []unix.PollFd, limit *unix.Timespec) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(unsafe.SliceData(fds))), uintptr(len(fds)),
		uintptr(unsafe.Pointer(limit)), 0, 0, 0)
	return int(n), errno
}

// Wake makes the Wait that runs, or else the next one, return. It may be called
// at any time, after Close too.
func (p *Poller) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.event >= 0 {
		_, _ = unix.Write(p.event, []byte{7: 1}) // any number but 0 and the largest; EAGAIN: it will wake already
	}
}

// Close gives the eventfd back; closing twice is harmless.
func (p *Poller) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.event < 0 {
		return nil
	}
	err := unix.Close(p.event)
	p.event = -1
	return os.NewSyscallError("close eventfd", err)
}
