package afpacket

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Send implements [pktio.Device]. Each port has its packets in order, in one
// system call; nothing is said about the order between ports.
func (d *Device) Send(sends []sansio.Send) error {
	if d.closed {
		return os.ErrClosed
	}
	d.out.reset(sends)
	defer d.out.release()
	for _, s := range sends {
		d.enqueue(s)
	}
	var errs []error
	for _, i := range d.touched {
		errs = append(errs, d.flush(d.ports[i]))
	}
	d.touched = d.touched[:0]
	return errors.Join(errs...)
}

// enqueue turns one send into messages of its ports.
func (d *Device) enqueue(s sansio.Send) {
	if d.out.whole(s.Train) {
		d.enqueuePacket(s.To, s.Train)
		return
	}
	if _, ok := findTransport(s.Train.Header); !ok {
		d.drops.Add(DropBadTrain, uint64(len(s.To)))
		return
	}
	for i := range s.Train.Frames() {
		d.enqueuePacket(s.To, s.Train.Frame(i, d.out.header(len(s.Train.Header))))
	}
}

func (d *Device) enqueuePacket(to []sansio.Port, t sansio.Train) {
	iovs, reason := d.out.add(t)
	if reason != "" {
		d.drops.Add(reason, uint64(len(to)))
		return
	}
	for _, i := range to {
		if i < 0 || int(i) >= len(d.ports) {
			d.drops.Add(DropNoPort, 1)
			continue
		}
		p := d.ports[i]
		if !p.fits(t) {
			d.drops.Add(DropTooLong, 1)
			continue
		}
		if len(p.tx) == 0 {
			d.touched = append(d.touched, int(i))
		}
		m := unix.Mmsghdr{Hdr: unix.Msghdr{Iov: &iovs[0]}}
		m.Hdr.SetIovlen(len(iovs))
		p.tx = append(p.tx, m)
		p.meta = append(p.meta, load{frames: t.Frames(), bytes: int(t.Bytes())})
	}
}

// fits reports whether the frames of a super-packet keep to the MTU. The kernel
// checks single frames itself, but segments a super-packet of any segment size.
func (p *port) fits(t sansio.Train) bool {
	return t.Single() || len(t.Header)-inet.EtherLen+t.Seg <= p.mtu
}

// flush hands a port's messages to the kernel, each of them once but for one
// that finds the queue full: then it waits, once, and goes on with that one.
func (d *Device) flush(p *port) error {
	defer p.forget()
	msgs, meta, waited := p.tx, p.meta, false
	for len(msgs) > 0 {
		n, errno := sendmmsg(p.fd, msgs)
		switch {
		case errno == 0:
			d.account(meta[:n])
			p.stuck = false
		case errno == unix.EINTR:
			continue
		case errno == unix.EAGAIN:
			if !waited && p.awaitRoom() {
				waited = true
				continue
			}
			d.drops.Add(DropTxFull, uint64(len(msgs)))
			return nil
		default:
			reason, ok := dropReason(errno)
			if !ok {
				return fmt.Errorf("send to interface %q: %w", p.iface, errno)
			}
			d.suspect = d.suspect || reason == DropPortGone
			d.drops.Add(reason, 1)
			n = 1
		}
		msgs, meta = msgs[n:], meta[n:]
	}
	return nil
}

func (d *Device) account(sent []load) {
	for _, l := range sent {
		d.stats.TxTrains++
		d.stats.TxFrames += uint64(l.frames)
		d.stats.TxBytes += uint64(l.bytes)
	}
}

// forget drops the messages, which point to the callers' memory.
func (p *port) forget() {
	clear(p.tx)
	p.tx, p.meta = p.tx[:0], p.meta[:0]
}

// roomWaitNs is how long a full queue is waited for, assumed: at 1 Gbit/s two
// super-packets leave in that time, and it does not starve the other ports.
const roomWaitNs = 1e6

// awaitRoom waits for room in the port's queue, and reports whether there is
// some. A port that was waited for in vain is not waited for again until
// something has left by it, so a dead one costs one wait.
func (p *port) awaitRoom() bool {
	if p.stuck {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLOUT}}
	left := unix.NsecToTimespec(roomWaitNs)
	for {
		n, err := unix.Ppoll(fds, &left, nil) // the kernel writes back what is left
		if err == unix.EINTR {
			continue
		}
		p.stuck = err != nil || n == 0
		return !p.stuck
	}
}

// dropReason names the drop that an error of sendmmsg means. Where there is no
// name the device is broken.
func dropReason(errno unix.Errno) (string, bool) {
	switch errno {
	case unix.ENOBUFS, unix.ENOMEM: // the queueing discipline, or memory, is full
		return DropTxFull, true
	case unix.ENETDOWN:
		return DropPortDown, true
	case unix.ENXIO, unix.ENODEV:
		return DropPortGone, true
	case unix.EMSGSIZE:
		return DropTooLong, true
	case unix.EINVAL, unix.EPERM, unix.EIO:
		return DropRefused, true
	}
	return "", false
}
