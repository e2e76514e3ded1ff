package sockets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/internal/pktio/afpacket"
)

// Sockets are the packet sockets of the taps of a lab. One goroutine owns them.
type Sockets struct {
	// Gone reports whether the lab has ended. A socket keeps its namespace, so that a lab could
	// not be taken down while one is open. Nil: it lasts longer than the capture.
	Gone func() bool

	lab   capture.Lab
	taps  []*afpacket.Tap
	epoll int
}

// ringMemory is for all rings together, in super-packets of 64 KiB (assumed: 128 MiB).
const ringMemory = 2048

// Open opens the taps of a lab. enter calls a function in the network namespace of a node, on
// one thread.
func Open(lab capture.Lab, enter func(node string, f func() error) error) (s *Sockets, err error) {
	s = &Sockets{lab: lab}
	if s.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
			s = nil
		}
	}()
	for i, t := range lab.Taps {
		open := func() error { return s.open(i, t) }
		if err := enter(t.Node, open); err != nil {
			return s, fmt.Errorf("capturing at %s: %w", t.Name(), err)
		}
	}
	return s, nil
}

func (s *Sockets) open(i int, t capture.Tap) error {
	tap, err := afpacket.OpenTap(t.Iface, ringMemory/len(s.lab.Taps))
	if err != nil {
		return err
	}
	s.taps = append(s.taps, tap)
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(i)}
	return os.NewSyscallError("epoll_ctl", unix.EpollCtl(s.epoll, unix.EPOLL_CTL_ADD, tap.FD(), &event))
}

// Close closes the taps.
func (s *Sockets) Close() error {
	var errs []error
	for _, t := range s.taps {
		errs = append(errs, t.Close())
	}
	s.taps = nil
	return errors.Join(append(errs, os.NewSyscallError("close", unix.Close(s.epoll)))...)
}

// Lost returns what taps saw, and what was lost before.
func (s *Sockets) Lost() (out []capture.Lost) {
	for i, t := range s.taps {
		received, lost := t.Lost()
		out = append(out, capture.Lost{Tap: i, Received: received, Lost: lost})
	}
	return out
}

// waitMS is how long a round waits for packets, and flushEvery how old what a reader at the other end of a
// pipe sees may be, beside the hold of the capture; both assumed.
const (
	waitMS     = 20
	flushEvery = 100 * time.Millisecond
)

// Run hands packets and events to a capture until ctx ends, the capture is done, or the lab is
// gone, which is [ErrGone]. Switches are the paths of control sockets.
func (s *Sockets) Run(ctx context.Context, c *capture.Capture, switches []string) error {
	ctx, end := context.WithCancel(ctx)
	asked := ask(ctx, switches)
	defer func() {
		end()
		for range asked { // until those who ask have ended
		}
	}()
	events := asked // nil: there are no more
	flushed := time.Now()
	for !c.Done() {
		select {
		case <-ctx.Done():
			s.last(c, events)
			return nil
		case b, more := <-events:
			s.take(c)
			if !more {
				events = nil
			}
			b.give(c)
		default:
		}
		if s.take(c) == 0 {
			if err := s.wait(); err != nil {
				return err
			}
		}
		now := time.Now()
		c.Advance(now.UnixNano())
		if now.Sub(flushed) >= flushEvery {
			flushed = now
			_ = c.Flush() // its error fills the capture, and is told at the end
			if s.Gone != nil && s.Gone() {
				return ErrGone
			}
		}
	}
	return nil
}

// last takes what is there at the end, and the last events.
func (s *Sockets) last(c *capture.Capture, events <-chan batch) {
	s.take(c)
	if events == nil {
		return
	}
	for b := range events {
		b.give(c)
	}
}

// take hands over what is in the rings.
func (s *Sockets) take(c *capture.Capture) (n int) {
	for i, t := range s.taps {
		n += t.Take(func(p *afpacket.TapPacket) { c.Train(p.At.UnixNano(), i, p.Out, &p.Train) })
	}
	return n
}

// wait waits for packets. An interface that is gone is an error.
func (s *Sockets) wait() error {
	var events [8]unix.EpollEvent
	n, err := unix.EpollWait(s.epoll, events[:], waitMS)
	if err != nil && err != unix.EINTR {
		return os.NewSyscallError("epoll_wait", err)
	}
	for _, e := range events[:max(n, 0)] {
		if e.Events&(unix.EPOLLERR|unix.EPOLLHUP) == 0 {
			continue
		}
		if err := s.taps[e.Fd].Check(); err != nil {
			return fmt.Errorf("%w: %w", ErrGone, err)
		}
	}
	return nil
}
