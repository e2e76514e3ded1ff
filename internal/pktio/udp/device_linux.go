package udp

import (
	"errors"
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/datagram"
	"github.com/inalab/inalab/internal/pktio/poll"
	"github.com/inalab/inalab/internal/sansio"
)

// Device is one UDP socket as a [pktio.Device] with port 0.
type Device struct {
	fd      int // -1 once closed
	poller  *poll.Poller
	local   netip.AddrPort
	buffers Buffers
	gro     bool
	options []byte // of IP, in all that is sent
	tx      *sender
	rx      *receiver
	stats   pktio.Stats
	drops   sansio.Tally
}

var _ pktio.Device = (*Device)(nil)

// Open opens the socket in the network namespace of the calling thread.
func Open(cfg Config) (*Device, error) {
	cfg.setDefaults()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("open udp device: %w", err)
	}
	d := &Device{fd: -1}
	if err := d.open(&cfg); err != nil {
		return nil, errors.Join(fmt.Errorf("open udp device on %v: %w", cfg.Bind, err), d.Close())
	}
	return d, nil
}

func (d *Device) open(cfg *Config) (err error) {
	if d.poller, err = poll.New(); err != nil {
		return err
	}
	if d.fd, err = newSocket(); err != nil {
		return err
	}
	if err := setOptions(d.fd, cfg); err != nil {
		return err
	}
	if d.buffers.Rcv, d.buffers.Snd, err = datagram.SetBuffers(d.fd, cfg.RcvBuf, cfg.SndBuf); err != nil {
		return err
	}
	d.options = cfg.Options
	gso := false
	if !cfg.Plain && len(cfg.Options) == 0 {
		f := probe(d.fd)
		gso, d.gro = f.GSO == pktio.Yes, f.GRO == pktio.Yes
	}
	if d.local, err = bind(d.fd, cfg); err != nil {
		return err
	}
	cfg.Bind = d.local
	d.poller.Add(d.fd, unix.POLLIN)
	d.tx, d.rx = d.newSender(gso), newReceiver(cfg)
	return nil
}

// Local returns the address that the device is bound to, its port filled in.
func (d *Device) Local() netip.AddrPort { return d.local }

// Buffers returns how large the socket's buffers became.
func (d *Device) Buffers() Buffers { return d.buffers }

// Wake implements [pktio.Device].
func (d *Device) Wake() { d.poller.Wake() }

// FD returns the socket, for whoever waits for several devices; it stays the device's.
func (d *Device) FD() int { return d.fd }

// Stats implements [pktio.Device].
func (d *Device) Stats() pktio.Stats {
	d.readRingDrops()
	s := d.stats
	s.Offload = offload(d.tx.Segments, d.gro)
	s.Drops = d.drops.List()
	return s
}

// readRingDrops keeps what was known where the socket is closed.
func (d *Device) readRingDrops() {
	if n, ok := datagram.RingDrops(d.fd); ok {
		d.stats.RingDrops = n
	}
}

// Close implements [pktio.Device]; closing twice is harmless.
func (d *Device) Close() error {
	var errs []error
	if d.poller != nil {
		errs = append(errs, d.poller.Close())
	}
	if d.fd >= 0 {
		d.readRingDrops()
		errs = append(errs, os.NewSyscallError("close socket", unix.Close(d.fd)))
		d.fd = -1
	}
	return errors.Join(errs...)
}
