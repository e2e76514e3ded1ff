package tcp

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/poll"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

const (
	// retryEvery is the pause between attempts to connect: short beside the
	// start of a process, long beside a refused handshake (assumed).
	retryEvery = 10 * time.Millisecond

	backlog = 8 // strangers that may wait beside the one peer (assumed)

	mostNamed = 4 // peers that an error names, of those that are missing
)

// rendezvous brings all streams up at once: peers start in any order, and each
// waits for some while others wait for it.
type rendezvous struct {
	cfg       *Config
	poller    *poll.Poller
	ends      []meeting
	strangers *sansio.Tally
}

// meeting is one stream in the making.
type meeting struct {
	stream
	sock    int // that listens or dials, or -1
	retryAt time.Time
	refused error // why the last attempt to connect failed
}

func newRendezvous(cfg *Config, poller *poll.Poller, drops *sansio.Tally) *rendezvous {
	r := &rendezvous{cfg: cfg, poller: poller, strangers: drops}
	for _, at := range cfg.Streams {
		r.ends = append(r.ends, meeting{stream: stream{at: at, peer: at.Remote, fd: -1, slot: poller.Add(-1, 0)}, sock: -1})
	}
	return r
}

// streams returns what came of the meeting, by port.
func (r *rendezvous) streams() (out []stream) {
	for i := range r.ends {
		out = append(out, r.ends[i].stream)
	}
	return out
}

// run returns once all streams are up; the caller owns them then.
func (r *rendezvous) run(ctx context.Context) error {
	for i := range r.ends {
		if m := &r.ends[i]; m.at.Passive {
			if err := r.listen(m); err != nil {
				return err
			}
		}
	}
	for until := time.Now().Add(r.cfg.Deadline); ; {
		up, next, err := r.dialDue(time.Now())
		switch {
		case err != nil:
			return err
		case up:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		now := time.Now()
		if !now.Before(until) {
			return r.missing()
		}
		wait := until.Sub(now)
		if !next.IsZero() {
			wait = min(wait, max(0, next.Sub(now)))
		}
		if err := r.await(wait); err != nil {
			return err
		}
	}
}

// dialDue dials whoever is due, and returns when the next attempt is, if there is
// one to come; up is true when there is nobody left to wait for.
func (r *rendezvous) dialDue(now time.Time) (up bool, next time.Time, err error) {
	up = true
	for i := range r.ends {
		m := &r.ends[i]
		if m.fd >= 0 {
			continue
		}
		up = false
		if m.at.Passive || m.sock >= 0 {
			continue
		}
		if !now.Before(m.retryAt) {
			if err := r.dial(m); err != nil {
				return false, next, err
			}
		}
		if m.sock < 0 && (next.IsZero() || m.retryAt.Before(next)) {
			next = m.retryAt
		}
	}
	return up, next, nil
}

// await waits for any socket and carries on with those that are ready.
func (r *rendezvous) await(wait time.Duration) error {
	if _, err := r.poller.Wait(wait); err != nil {
		return err
	}
	for i := range r.ends {
		m := &r.ends[i]
		if r.poller.Events(m.slot) == 0 {
			continue
		}
		carryOn := r.finishDial
		if m.at.Passive {
			carryOn = r.accept
		}
		if err := carryOn(m); err != nil {
			return err
		}
	}
	return nil
}

func (r *rendezvous) missing() error {
	var who []string
	left := 0
	for i := range r.ends {
		m := &r.ends[i]
		switch {
		case m.fd >= 0:
		case len(who) == mostNamed:
			left++
		default:
			who = append(who, m.absent())
		}
	}
	if left > 0 {
		who = append(who, fmt.Sprintf("%d more", left))
	}
	return fmt.Errorf("%w after %v: %s: see whether it runs and has the address", ErrNoPeer, r.cfg.Deadline, strings.Join(who, " and "))
}

// absent says who is missing.
func (m *meeting) absent() string {
	switch {
	case m.at.Passive:
		return fmt.Sprintf("%v, who should dial %v", m.at.Remote.Addr(), m.at.Local)
	case m.refused != nil:
		return fmt.Sprintf("%v (%v)", m.at.Remote, m.refused)
	}
	return fmt.Sprintf("%v (no answer)", m.at.Remote)
}

func (r *rendezvous) listen(m *meeting) (err error) {
	if m.sock, err = newSocket(r.cfg); err != nil {
		return err
	}
	// A run may follow another at once, whose connections are in TIME-WAIT.
	if err := unix.SetsockoptInt(m.sock, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return os.NewSyscallError("setsockopt SO_REUSEADDR", err)
	}
	if err := unix.Bind(m.sock, sockaddr(m.at.Local)); err != nil {
		return fmt.Errorf("listen at %v: %w", m.at.Local, os.NewSyscallError("bind", err))
	}
	if err := unix.Listen(m.sock, backlog); err != nil {
		return fmt.Errorf("listen at %v: %w", m.at.Local, os.NewSyscallError("listen", err))
	}
	r.poller.Set(m.slot, m.sock, unix.POLLIN)
	return nil
}

func (r *rendezvous) accept(m *meeting) error {
	fd, from, err := unix.Accept4(m.sock, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	switch err {
	case nil:
	case unix.EAGAIN, unix.EINTR, unix.ECONNABORTED: // the caller has gone meanwhile
		return nil
	default:
		return os.NewSyscallError("accept", err)
	}
	caller := addrPort(from)
	if caller.Addr() != m.at.Remote.Addr() {
		r.strangers.Add("stranger", 1)
		return os.NewSyscallError("close", unix.Close(fd))
	}
	m.fd, m.peer = fd, caller
	r.poller.Set(m.slot, -1, 0)
	err = unix.Close(m.sock)
	m.sock = -1
	return os.NewSyscallError("close", err)
}

func (r *rendezvous) dial(m *meeting) (err error) {
	if m.sock, err = newSocket(r.cfg); err != nil {
		return err
	}
	// The port is chosen on connecting, so that no port is used up here.
	if err := unix.SetsockoptInt(m.sock, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1); err != nil {
		return os.NewSyscallError("setsockopt IP_BIND_ADDRESS_NO_PORT", err)
	}
	if err := unix.Bind(m.sock, sockaddr(netip.AddrPortFrom(m.at.Local.Addr(), 0))); err != nil {
		return os.NewSyscallError("bind", err)
	}
	switch err := unix.Connect(m.sock, sockaddr(m.at.Remote)); err {
	case nil, unix.EINPROGRESS, unix.EINTR:
		r.poller.Set(m.slot, m.sock, unix.POLLOUT)
		return nil
	default:
		return r.failDial(m, err)
	}
}

// finishDial takes the result of a connect that ran.
func (r *rendezvous) finishDial(m *meeting) error {
	code, err := unix.GetsockoptInt(m.sock, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return os.NewSyscallError("getsockopt SO_ERROR", err)
	}
	if code != 0 {
		return r.failDial(m, unix.Errno(code))
	}
	own, err := unix.Getsockname(m.sock)
	if err != nil {
		return os.NewSyscallError("getsockname", err)
	}
	// TCP connects a socket with itself when the kernel happens to choose the
	// dialled port as the source and nobody listens (RFC 9293 §3.5, simultaneous open).
	if addrPort(own) == m.at.Remote {
		return r.failDial(m, unix.ECONNREFUSED)
	}
	r.poller.Set(m.slot, -1, 0)
	m.fd, m.sock = m.sock, -1
	return nil
}

// failDial gives an attempt up, and returns an error if there is no use in another.
func (r *rendezvous) failDial(m *meeting, why error) error {
	r.poller.Set(m.slot, -1, 0)
	err := unix.Close(m.sock)
	m.sock = -1
	switch why {
	case unix.ECONNREFUSED, unix.ECONNRESET, unix.ETIMEDOUT, unix.EHOSTUNREACH, unix.ENETUNREACH:
		m.refused = why
		m.retryAt = time.Now().Add(retryEvery)
		return os.NewSyscallError("close", err)
	}
	return fmt.Errorf("connect to peer %v: %w", m.at.Remote, why)
}

// release closes what is left of the meeting and forgets the sockets in the poller.
func (r *rendezvous) release() error {
	var errs []error
	for i := range r.ends {
		r.poller.Set(r.ends[i].slot, -1, 0)
		errs = append(errs, closeSocket(r.ends[i].sock))
	}
	return errors.Join(errs...)
}

// newSocket returns a stream socket without delay for small writes. Larger
// buffers are granted as far as the process may have them.
func newSocket(cfg *Config) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return -1, errors.Join(fmt.Errorf("set TCP_NODELAY: %w", err), closeSocket(fd))
	}
	SetCongestion(fd)
	grant(fd, unix.SO_RCVBUFFORCE, unix.SO_RCVBUF, cfg.RcvBuf)
	grant(fd, unix.SO_SNDBUFFORCE, unix.SO_SNDBUF, cfg.SndBuf)
	return fd, nil
}

func grant(fd, force, polite int, size units.Bytes) {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, force, int(size)) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, polite, int(size)) // less is slower, not wrong
	}
}

func sockaddr(a netip.AddrPort) *unix.SockaddrInet4 {
	return &unix.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
}

func addrPort(sa unix.Sockaddr) netip.AddrPort {
	in := sa.(*unix.SockaddrInet4)
	return netip.AddrPortFrom(netip.AddrFrom4(in.Addr), uint16(in.Port))
}
