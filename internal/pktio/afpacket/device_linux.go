package afpacket

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/poll"
	"github.com/inalab/inalab/internal/sansio"
)

// Device is a set of network interfaces. One goroutine owns it; Wake alone may
// be called from others.
type Device struct {
	path   string // for Stats
	ports  []*port
	poller *poll.Poller // waits for epoll
	epoll  int          // of all ports: waiting costs the same for 2 and for 512
	events []unix.EpollEvent
	closed bool

	in      []sansio.Arrival
	lenders []int      // ports whose ring frames are in use
	turn    int        // the port that Recv looks at first
	plain   *plainPath // nil: the path with offload

	out     batch
	touched []int // ports that have messages
	suspect bool  // a send found an interface deleted

	stats pktio.Stats
	drops sansio.Tally
}

var _ pktio.Device = (*Device)(nil)

// Names of the paths, as [pktio.Stats] shows them.
const (
	pathOffload = "afpacket-v2+vnethdr"
	pathPlain   = "plain"
)

// Open opens all ports in the network namespace of the calling thread: lock it
// with [runtime.LockOSThread] while it is in another. The device itself may then
// be used from any thread.
func Open(cfg Config) (*Device, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("open packet device: %w", err)
	}
	d, err := openBest(cfg)
	if err != nil {
		return nil, fmt.Errorf("open packet device: %w", err)
	}
	return d, nil
}

// openBest takes the path with offload where the kernel has all it needs.
func openBest(cfg Config) (*Device, error) {
	if cfg.Plain {
		return open(cfg, pathPlain+": asked for", nil)
	}
	features, err := Probe()
	if err != nil {
		return nil, err
	}
	if name, f, found := features.missing(); found {
		return open(cfg, fmt.Sprintf("%s: kernel lacks %s: %s", pathPlain, name, f.Reason), nil)
	}
	shape := cfg.ring()
	d, err := open(cfg, pathOffload, &shape)
	if unsupported(err) {
		return open(cfg, pathPlain+": "+err.Error(), nil)
	}
	return d, err
}

func open(cfg Config, path string, shape *ringShape) (d *Device, err error) {
	d = &Device{path: path, epoll: -1, events: make([]unix.EpollEvent, min(len(cfg.Ports), recvBatch))}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
			d = nil
		}
	}()
	for _, c := range cfg.Ports {
		p, err := openPort(c, !cfg.NoPromisc, shape)
		if err != nil {
			return d, err
		}
		d.ports = append(d.ports, p)
	}
	if shape == nil {
		d.plain, d.out.plain = newPlainPath(d.ports), true
	}
	return d, d.watch()
}

// watch prepares waiting. Events are level-triggered: what is left over is
// reported again.
func (d *Device) watch() error {
	var err error
	if d.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return os.NewSyscallError("epoll_create1", err)
	}
	for i, p := range d.ports {
		event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(i)}
		if err := unix.EpollCtl(d.epoll, unix.EPOLL_CTL_ADD, p.fd, &event); err != nil {
			return fmt.Errorf("watch interface %q: %w", p.iface, os.NewSyscallError("epoll_ctl", err))
		}
	}
	if d.poller, err = poll.New(); err != nil {
		return err
	}
	d.poller.Add(d.epoll, unix.POLLIN)
	return nil
}

// ready returns events of ports, whose index stands in place of a descriptor.
func (d *Device) ready() ([]unix.EpollEvent, error) {
	for {
		n, err := unix.EpollWait(d.epoll, d.events, 0)
		if err == unix.EINTR {
			continue
		}
		return d.events[:max(n, 0)], os.NewSyscallError("epoll_wait", err)
	}
}

// checkReady looks after ports that poll reports for an error.
func (d *Device) checkReady() error {
	ready, err := d.ready()
	for _, e := range ready {
		if e.Events&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
			err = errors.Join(err, d.ports[e.Fd].check())
		}
	}
	return err
}

func (d *Device) checkAll() error {
	for _, p := range d.ports {
		if err := p.check(); err != nil {
			return err
		}
	}
	return nil
}

// Wake implements [pktio.Device]. A wake that finds no Recv waiting ends the
// next one that waits.
func (d *Device) Wake() { d.poller.Wake() }

// Stats implements [pktio.Device].
func (d *Device) Stats() pktio.Stats {
	if !d.closed {
		for _, p := range d.ports {
			d.stats.RingDrops += p.ringDrops()
		}
	}
	s := d.stats
	s.Offload, s.Drops = d.path, d.drops.List()
	return s
}

// Close implements [pktio.Device]. Arrivals are invalid after it. Closing again
// does nothing.
func (d *Device) Close() error {
	if d.closed {
		return nil
	}
	d.Stats() // the kernel forgets its count with the sockets
	d.closed = true
	d.in, d.lenders = nil, nil
	var errs []error
	if d.poller != nil {
		errs = append(errs, d.poller.Close())
	}
	if d.epoll >= 0 {
		errs = append(errs, os.NewSyscallError("close", unix.Close(d.epoll)))
	}
	for _, p := range d.ports {
		errs = append(errs, p.close())
	}
	return errors.Join(errs...)
}
