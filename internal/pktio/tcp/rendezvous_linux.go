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

	backlog = 8 // strangers that may wait beside the one neighbour (assumed)
)

// rendezvous brings both streams up at once: neighbours start in any order, and
// each waits for one while the other waits for it.
type rendezvous struct {
	cfg                  *Config
	poller               *poll.Poller
	listener, dialer     int // sockets at work, or -1
	listenSlot, dialSlot int
	next, prev           int // the streams, or -1
	caller               netip.AddrPort
	retryAt              time.Time
	refused              error // why the last attempt to connect failed
	strangers            *sansio.Tally
}

func newRendezvous(cfg *Config, poller *poll.Poller, drops *sansio.Tally) *rendezvous {
	r := &rendezvous{cfg: cfg, poller: poller, listener: -1, dialer: -1, next: -1, prev: -1, strangers: drops}
	r.listenSlot, r.dialSlot = poller.Add(-1, 0), poller.Add(-1, 0)
	return r
}

// run returns once both streams are up; the caller owns them then.
func (r *rendezvous) run(ctx context.Context) error {
	if err := r.listen(); err != nil {
		return err
	}
	for until := time.Now().Add(r.cfg.Deadline); r.next < 0 || r.prev < 0; {
		now := time.Now()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !now.Before(until) {
			return r.missing()
		}
		wait := until.Sub(now)
		if r.next < 0 && r.dialer < 0 {
			if !now.Before(r.retryAt) {
				if err := r.dial(); err != nil {
					return err
				}
				continue
			}
			wait = min(wait, r.retryAt.Sub(now))
		}
		if err := r.await(wait); err != nil {
			return err
		}
	}
	return nil
}

// await waits for either socket and carries on with what is ready.
func (r *rendezvous) await(wait time.Duration) error {
	if _, err := r.poller.Wait(wait); err != nil {
		return err
	}
	dialled, called := r.poller.Events(r.dialSlot) != 0, r.poller.Events(r.listenSlot) != 0
	if dialled {
		if err := r.finishDial(); err != nil {
			return err
		}
	}
	if called {
		return r.accept()
	}
	return nil
}

func (r *rendezvous) missing() error {
	var who []string
	if r.next < 0 {
		why := "no answer"
		if r.refused != nil {
			why = r.refused.Error()
		}
		who = append(who, fmt.Sprintf("next at %v (%s)", r.cfg.Dial, why))
	}
	if r.prev < 0 {
		who = append(who, fmt.Sprintf("previous, who should dial %v", r.cfg.Listen))
	}
	return fmt.Errorf("%w after %v: %s: see whether it runs and has the address", ErrNoNeighbour, r.cfg.Deadline, strings.Join(who, " and "))
}

func (r *rendezvous) listen() (err error) {
	if r.listener, err = newSocket(r.cfg); err != nil {
		return err
	}
	// A run may follow another at once, whose connections are in TIME-WAIT.
	if err := unix.SetsockoptInt(r.listener, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return os.NewSyscallError("setsockopt SO_REUSEADDR", err)
	}
	if err := unix.Bind(r.listener, sockaddr(r.cfg.Listen)); err != nil {
		return os.NewSyscallError("bind", err)
	}
	if err := unix.Listen(r.listener, backlog); err != nil {
		return os.NewSyscallError("listen", err)
	}
	r.poller.Set(r.listenSlot, r.listener, unix.POLLIN)
	return nil
}

func (r *rendezvous) accept() error {
	fd, from, err := unix.Accept4(r.listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	switch err {
	case nil:
	case unix.EAGAIN, unix.EINTR, unix.ECONNABORTED: // the caller has gone meanwhile
		return nil
	default:
		return os.NewSyscallError("accept", err)
	}
	r.caller = addrPort(from)
	if r.cfg.Previous.IsValid() && r.caller.Addr() != r.cfg.Previous {
		r.strangers.Add("stranger", 1)
		return os.NewSyscallError("close", unix.Close(fd))
	}
	r.prev = fd
	r.poller.Set(r.listenSlot, -1, 0)
	err = unix.Close(r.listener)
	r.listener = -1
	return os.NewSyscallError("close", err)
}

func (r *rendezvous) dial() (err error) {
	if r.dialer, err = newSocket(r.cfg); err != nil {
		return err
	}
	// The port is chosen on connecting, so that no port is used up here.
	if err := unix.SetsockoptInt(r.dialer, unix.IPPROTO_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1); err != nil {
		return os.NewSyscallError("setsockopt IP_BIND_ADDRESS_NO_PORT", err)
	}
	if err := unix.Bind(r.dialer, sockaddr(netip.AddrPortFrom(r.cfg.Listen.Addr(), 0))); err != nil {
		return os.NewSyscallError("bind", err)
	}
	switch err := unix.Connect(r.dialer, sockaddr(r.cfg.Dial)); err {
	case nil, unix.EINPROGRESS, unix.EINTR:
		r.poller.Set(r.dialSlot, r.dialer, unix.POLLOUT)
		return nil
	default:
		return r.failDial(err)
	}
}

// finishDial takes the result of a connect that ran.
func (r *rendezvous) finishDial() error {
	code, err := unix.GetsockoptInt(r.dialer, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return os.NewSyscallError("getsockopt SO_ERROR", err)
	}
	if code != 0 {
		return r.failDial(unix.Errno(code))
	}
	own, err := unix.Getsockname(r.dialer)
	if err != nil {
		return os.NewSyscallError("getsockname", err)
	}
	// TCP connects a socket with itself when the kernel happens to choose the
	// dialled port as the source and nobody listens (RFC 9293 §3.5, simultaneous open).
	if addrPort(own) == r.cfg.Dial {
		return r.failDial(unix.ECONNREFUSED)
	}
	r.poller.Set(r.dialSlot, -1, 0)
	r.next, r.dialer = r.dialer, -1
	return nil
}

// failDial gives an attempt up, and returns an error if there is no use in another.
func (r *rendezvous) failDial(why error) error {
	r.poller.Set(r.dialSlot, -1, 0)
	err := unix.Close(r.dialer)
	r.dialer = -1
	switch why {
	case unix.ECONNREFUSED, unix.ECONNRESET, unix.ETIMEDOUT, unix.EHOSTUNREACH, unix.ENETUNREACH:
		r.refused = why
		r.retryAt = time.Now().Add(retryEvery)
		return os.NewSyscallError("close", err)
	}
	return fmt.Errorf("connect to next neighbour %v: %w", r.cfg.Dial, why)
}

// release closes what is left of the meeting and forgets the sockets in the poller.
func (r *rendezvous) release() error {
	r.poller.Set(r.listenSlot, -1, 0)
	r.poller.Set(r.dialSlot, -1, 0)
	return closeAll(r.listener, r.dialer)
}

// newSocket returns a stream socket without delay for small writes. Larger
// buffers are granted as far as the process may have them.
func newSocket(cfg *Config) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return -1, errors.Join(fmt.Errorf("set TCP_NODELAY: %w", err), closeAll(fd))
	}
	setCongestion(fd)
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
