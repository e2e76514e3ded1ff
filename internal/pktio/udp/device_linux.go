package udp

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/poll"
	"github.com/inalab/inalab/internal/sansio"
)

// Device is one UDP socket as a [pktio.Device] with port 0.
type Device struct {
	fd       int // -1 once closed
	poller   *poll.Poller
	local    netip.AddrPort
	buffers  Buffers
	gso, gro bool
	options  []byte // of IP, in all that is sent
	tx       *sender
	rx       *receiver
	room     [1]unix.PollFd
	stats    pktio.Stats
	drops    sansio.Tally
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
	if d.buffers, err = setBuffers(d.fd, cfg.RcvBuf, cfg.SndBuf); err != nil {
		return err
	}
	d.options = cfg.Options
	if !cfg.Plain && len(cfg.Options) == 0 {
		f := probe(d.fd)
		d.gso, d.gro = f.GSO == pktio.Yes, f.GRO == pktio.Yes
	}
	if d.local, err = bind(d.fd, cfg); err != nil {
		return err
	}
	cfg.Bind = d.local
	d.poller.Add(d.fd, unix.POLLIN)
	d.tx, d.rx = newSender(d.local.Addr()), newReceiver(cfg)
	return nil
}

// Local returns the address that the device is bound to, its port filled in.
func (d *Device) Local() netip.AddrPort { return d.local }

// Buffers returns how large the socket's buffers became.
func (d *Device) Buffers() Buffers { return d.buffers }

// Wake implements [pktio.Device].
func (d *Device) Wake() { d.poller.Wake() }

// Stats implements [pktio.Device].
func (d *Device) Stats() pktio.Stats {
	d.stats.RingDrops = d.ringDrops()
	s := d.stats
	s.Offload = offload(d.gso, d.gro)
	s.Drops = d.drops.List()
	return s
}

// ringDrops reads the socket's own counter of drops. Unlike the SO_RXQ_OVFL
// control message, which comes with the next packet only, it knows of the last
// ones too (SO_MEMINFO, since Linux 4.12).
func (d *Device) ringDrops() uint64 {
	const drops = 8 // SK_MEMINFO_DROPS, the last of the kernel's nine (linux/sock_diag.h)
	var info [drops + 1]uint32
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.RawSyscall6(unix.SYS_GETSOCKOPT, uintptr(d.fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return d.stats.RingDrops // closed: what was known then
	}
	return uint64(info[drops])
}

// Close implements [pktio.Device]; closing twice is harmless.
func (d *Device) Close() error {
	var errs []error
	if d.poller != nil {
		errs = append(errs, d.poller.Close())
	}
	if d.fd >= 0 {
		d.stats.RingDrops = d.ringDrops()
		errs = append(errs, os.NewSyscallError("close socket", unix.Close(d.fd)))
		d.fd = -1
	}
	return errors.Join(errs...)
}
