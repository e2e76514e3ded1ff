//go:build 386 || amd64 || arm || arm64 || loong64 || mips64le || mipsle || ppc64le || riscv64

package onehop

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/containernetworking/plugins/pkg/ns"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/tcp"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// chain is worker, relay and parameter server over kernel TCP. A record is what a packet has behind
// its IP header.
//
//	worker --TCP--> relay --TCP--> parameter server
//	   ^------------ TCP ---------------'  stamps of one record in 64
type chain struct {
	cfg    *Config
	w      *wires
	record int
	cpus   placement

	mu    sync.Mutex // of fds, which any may close, and of trips
	fds   []int
	trips []time.Duration

	a              *xagg.Aggregator
	sent, received atomic.Uint64
	relayTID       int
	napi           []int // threads of the kernel that work for the relay
	out            int   // worker's socket
	back           int   // the parameter server's, for stamps
	stop           atomic.Bool
	threads        []*thread
}

const (
	tcpPort   = 25301
	backPort  = 25302
	tcpWrite  = 64 // records of a write where the kernel makes segments as it likes
	tcpHeader = 12 // of timestamps, which each segment has (RFC 7323)
)

func recordLen(values int) int { return wire.PayloadLen(values) }

// prepare sets the wires up for one way of sending.
func (c *chain) prepare() error {
	for _, e := range []end{
		{space: c.w.worker, name: c.w.toServer()}, {space: c.w.worker, name: c.w.toPS()}, {space: c.w.server, name: c.w.ofServer()},
		{space: c.w.server, name: c.w.serverToPS()}, {space: c.w.ps, name: c.w.ofPS()}, {space: c.w.ps, name: c.w.psToServer()},
	} {
		if err := errors.Join(set(e.space, e.name, feature{unix.ETHTOOL_SGRO, 1}), tune(e.space, e.name+"/threaded=1")); err != nil {
			return err
		}
		if c.cfg.Aggregator == TCP {
			continue
		}
		if err := errors.Join(set(e.space, e.name, feature{unix.ETHTOOL_STSO, 0}, feature{unix.ETHTOOL_SGSO, 0}), noMerging(e)); err != nil {
			return err
		}
	}
	return c.placePollers()
}

// noMerging keeps GRO, by which a veth polls, from making one segment of several.
func noMerging(e end) error {
	return e.space.Do(func(ns.NetNS) error {
		link, err := netlink.LinkByName(e.name)
		if err == nil {
			err = netlink.LinkSetGROIPv4MaxSize(link, 1)
		}
		return err
	})
}

func (c *chain) placePollers() error {
	for _, name := range []string{c.w.toServer(), c.w.toPS(), c.w.ofPS(), c.w.psToServer()} {
		tids, err := pollers(name)
		if err != nil {
			return err
		}
		for _, tid := range tids {
			if err := errors.Join(pin(tid, c.cpus.senders[0]), prefer(tid)); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{c.w.ofServer(), c.w.serverToPS()} {
		tids, err := pollers(name)
		if err != nil {
			return err
		}
		for _, tid := range tids {
			if err := errors.Join(pin(tid, c.cpus.aggregator), prefer(tid)); err != nil {
				return err
			}
		}
		c.napi = append(c.napi, tids...)
	}
	return nil
}

// listen opens a socket that takes a connection; connect one that makes it. Both block.
func (c *chain) listen(space ns.NetNS, at netip.AddrPort) (int, error) {
	return c.socket(space, func(fd int) error {
		return errors.Join(unix.Bind(fd, &unix.SockaddrInet4{Addr: at.Addr().As4(), Port: int(at.Port())}), unix.Listen(fd, 1))
	})
}

func (c *chain) connect(space ns.NetNS, to netip.AddrPort) (int, error) {
	return c.socket(space, func(fd int) error {
		return unix.Connect(fd, &unix.SockaddrInet4{Addr: to.Addr().As4(), Port: int(to.Port())})
	})
}

func (c *chain) socket(space ns.NetNS, f func(fd int) error) (fd int, err error) {
	err = space.Do(func(ns.NetNS) error {
		if fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
			return err
		}
		c.keep(fd)
		tcp.SetCongestion(fd)
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
			return err
		}
		if c.cfg.Aggregator == TCPPlain {
			if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_MAXSEG, c.record+tcpHeader); err != nil {
				return err
			}
		}
		return f(fd)
	})
	return fd, err
}

func (c *chain) keep(fd int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fds = append(c.fds, fd)
}

func (c *chain) accept(fd int) (int, error) {
	for {
		n, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil {
			c.keep(n)
			err = unix.SetsockoptInt(n, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		}
		return n, err
	}
}

// join connects two hosts and returns both ends.
func (c *chain) join(from, to ns.NetNS, at netip.AddrPort) (a, b int, err error) {
	l, err := c.listen(to, at)
	if err != nil {
		return 0, 0, err
	}
	if a, err = c.connect(from, at); err != nil { // done by the listener's kernel, before accept
		return 0, 0, err
	}
	b, err = c.accept(l)
	return a, b, err
}

// readAll fills b; ok is false when the connection has ended.
func readAll(fd int, b []byte) (ok bool, err error) {
	for len(b) > 0 {
		n, err := unix.Read(fd, b)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || n == 0:
			return false, err
		}
		b = b[n:]
	}
	return true, nil
}

func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		}
		b = b[n:]
	}
	return nil
}

// info returns what TCP says of the worker's connection.
func (c *chain) info() (*unix.TCPInfo, error) {
	i, err := unix.GetsockoptTCPInfo(c.out, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		err = fmt.Errorf("ask for retransmissions: %w", err)
	}
	return i, err
}

// end ends all connections and waits for the threads.
func (c *chain) end() error {
	c.stop.Store(true)
	c.mu.Lock()
	for _, fd := range c.fds {
		_ = unix.Shutdown(fd, unix.SHUT_RDWR) // one that is not connected has nothing to end
	}
	c.mu.Unlock()
	var errs []error
	for _, t := range c.threads {
		errs = append(errs, <-t.done)
	}
	for _, fd := range c.fds {
		errs = append(errs, unix.Close(fd))
	}
	return errors.Join(errs...)
}

// ended takes the errors by which a thread sees that its connection was ended.
func (c *chain) ended(err error) error {
	if c.stop.Load() && (errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) || errors.Is(err, unix.ENOTCONN)) {
		return nil
	}
	return err
}

// now is the time of stamps: the clock of bpf_ktime_get_ns.
func now() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic("clock_gettime: " + err.Error()) // every kernel has it
	}
	return time.Duration(t.Nano())
}

func putStamp(b []byte, t time.Duration) { *(*time.Duration)(unsafe.Pointer(&b[:8][0])) = t }

// relayConfig is the aggregator's of a relay. Only its own thread moves the window.
func relayConfig(c *Config) xagg.Config {
	cfg := aggregatorConfig(c)
	cfg.Fragments = Fragments
	return cfg
}

// perGap returns the time between two records of a rate.
func perGap(rate float64) time.Duration {
	if rate == 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / rate)
}
