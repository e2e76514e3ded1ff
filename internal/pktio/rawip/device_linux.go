package rawip

import (
	"errors"
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/datagram"
	"github.com/inalab/inalab/internal/pktio/poll"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/sansio"
)

// Device is a raw socket and a UDP socket as a [pktio.Device] with port 0.
type Device struct {
	protocol uint8
	udp      *udp.Device
	fd       int // the raw socket; -1 once closed
	poller   *poll.Poller
	tx       *datagram.Outbox
	rx       *receiver
	stats    pktio.Stats // of the raw socket
	drops    sansio.Tally
}

var _ pktio.Device = (*Device)(nil)

// Open opens the sockets in the network namespace of the calling thread.
func Open(cfg Config) (*Device, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("open raw IP device: %w", err)
	}
	d := &Device{fd: -1, protocol: cfg.Protocol}
	if err := d.open(&cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("open raw IP device of protocol %d on %v: %w", cfg.Protocol, cfg.UDP.Bind, err), d.Close())
	}
	return d, nil
}

func (d *Device) open(cfg *Config) (err error) {
	if d.udp, err = udp.Open(cfg.UDP); err != nil {
		return err
	}
	cfg.UDP.Bind = d.udp.Local()
	if d.poller, err = poll.New(); err != nil {
		return err
	}
	if d.fd, err = newSocket(cfg.Protocol); err != nil {
		return err
	}
	list := datagram.SendOptions
	if cfg.UDP.ECN {
		list = append(list[:len(list):len(list)], datagram.ECT)
	}
	if err := datagram.SetOptions(d.fd, list...); err != nil {
		return err
	}
	buffers := d.udp.Buffers() // of which the kernel tells twice what it granted
	if _, _, err := datagram.SetBuffers(d.fd, buffers.Rcv/2, buffers.Snd/2); err != nil {
		return err
	}
	if err := datagram.JoinGroups(d.fd, cfg.UDP.Iface, cfg.UDP.Groups); err != nil {
		return err
	}
	d.poller.Add(d.fd, unix.POLLIN)
	d.poller.Add(d.udp.FD(), unix.POLLIN)
	d.tx, d.rx = d.newOutbox(), newReceiver(&cfg.UDP)
	return nil
}

// newSocket opens a raw socket. It stays unbound: it takes all packets of its protocol.
func newSocket(protocol uint8) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, int(protocol))
	switch err {
	case unix.EPERM, unix.EACCES:
		return fd, fmt.Errorf("raw IP sockets need root, or CAP_NET_RAW: %w", err)
	case unix.EPROTONOSUPPORT, unix.EAFNOSUPPORT:
		return fd, fmt.Errorf("this kernel has no raw IP sockets: %w", err)
	}
	return fd, os.NewSyscallError("socket", err)
}

// Probe returns why raw sockets of an experimental protocol cannot be opened here, or nil.
func Probe() error {
	const experiment = 253 // RFC 3692
	fd, err := newSocket(experiment)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// Local returns the address that the UDP socket is bound to, its port filled in.
func (d *Device) Local() netip.AddrPort { return d.udp.Local() }

// Wake implements [pktio.Device].
func (d *Device) Wake() { d.poller.Wake() }

// Stats implements [pktio.Device]: those of both sockets together.
func (d *Device) Stats() pktio.Stats {
	if n, ok := datagram.RingDrops(d.fd); ok {
		d.stats.RingDrops = n
	}
	s, u := d.stats, d.udp.Stats()
	s.Offload = "rawip+" + u.Offload
	s.RxTrains += u.RxTrains
	s.RxFrames += u.RxFrames
	s.RxBytes += u.RxBytes
	s.TxTrains += u.TxTrains
	s.TxFrames += u.TxFrames
	s.TxBytes += u.TxBytes
	s.RingDrops += u.RingDrops
	var drops sansio.Tally
	drops.Merge(d.drops.List())
	drops.Merge(u.Drops)
	s.Drops = drops.List()
	return s
}

// Close implements [pktio.Device]; closing twice is harmless.
func (d *Device) Close() error {
	var errs []error
	if d.udp != nil {
		errs = append(errs, d.udp.Close())
	}
	if d.poller != nil {
		errs = append(errs, d.poller.Close())
	}
	if d.fd >= 0 {
		if n, ok := datagram.RingDrops(d.fd); ok {
			d.stats.RingDrops = n
		}
		errs = append(errs, os.NewSyscallError("close raw socket", unix.Close(d.fd)))
		d.fd = -1
	}
	return errors.Join(errs...)
}
