package udp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

const (
	txBatch = 64 // messages of one sendmmsg: 4 MiB at most, a fraction of a millisecond (assumed)

	// txPatience is how long one Send waits in all for room in the send buffer:
	// 32 MiB drain in 2.7 ms at 100 Gbit/s (assumed).
	txPatience = 5 * time.Millisecond

	// gsoBody is the longest body that is worth sending as one: a super-packet of
	// 65536 bytes with its Ethernet header is segmented in software before it
	// reaches the device (gso_features_check in net/core/dev.c, and veth and
	// loopback allow GSO_LEGACY_MAX_SIZE), after which nothing joins it again.
	gsoBody = 65535 - inet.UDPHeaders
)

// sender is the batch that goes to the kernel next.
type sender struct {
	msgs    *messages
	frames  [txBatch]int
	n       int
	pktinfo int       // length of the control message that every message carries
	until   time.Time // when the patience of the Send that runs ends; zero: untried
}

// newSender returns a batch whose control messages are in place: the source
// address first, which every message carries, then the segment size, which
// only trains carry.
func newSender(source netip.Addr) *sender {
	s := &sender{pktinfo: unix.CmsgSpace(unix.SizeofInet4Pktinfo)}
	s.msgs = newMessages(txBatch, s.pktinfo+unix.CmsgSpace(2))
	addr := source.As4()
	for i := range txBatch {
		info, rest := putControl(s.msgs.controlOf(i), unix.IPPROTO_IP, unix.IP_PKTINFO, unix.SizeofInet4Pktinfo)
		copy(info[4:8], addr[:]) // ipi_spec_dst; the interface stays the routing table's choice
		putControl(rest, unix.IPPROTO_UDP, unix.UDP_SEGMENT, 2)
	}
	return s
}

// put appends one message. The body is borrowed until the batch is flushed.
func (s *sender) put(to netip.AddrPort, body []byte, seg, frames int) {
	i := s.n
	s.n++
	s.frames[i] = frames
	s.msgs.setName(i, to)
	s.msgs.setBody(i, body)
	h := &s.msgs.hdrs[i].Hdr
	if frames == 1 {
		h.SetControllen(s.pktinfo)
		return
	}
	h.SetControllen(s.msgs.room)
	at := s.pktinfo + unix.CmsgLen(0)
	binary.NativeEndian.PutUint16(s.msgs.controlOf(i)[at:], uint16(seg))
}

// Send implements [pktio.Device]. It waits a few milliseconds in all where the
// socket's send buffer is full.
func (d *Device) Send(sends []sansio.Send) error {
	d.tx.until = time.Time{}
	for i := range sends {
		t := &sends[i].Train
		for _, port := range sends[i].To {
			to, reason := d.destination(port, t.Header)
			if reason != "" {
				d.drops.Add(reason, 1)
				continue
			}
			if err := d.queue(to, t); err != nil {
				return err
			}
		}
	}
	return d.flush()
}

// destination reads where a train goes to, or returns why it cannot go.
func (d *Device) destination(port sansio.Port, h []byte) (netip.AddrPort, string) {
	none := netip.AddrPort{}
	if port != 0 {
		return none, DropWrongPort
	}
	n := len(d.options)
	if len(h) != inet.UDPHeaders+n || inet.Ether(h).Type() != inet.TypeIPv4 || h[inet.EtherLen] != 0x45+byte(n/4) {
		return none, DropBadHeader
	}
	ip := inet.IPv4(h[inet.EtherLen:])
	udp := inet.UDP(ip[inet.IPv4Len+n:])
	switch {
	case !bytes.Equal(ip[inet.IPv4Len:inet.IPv4Len+n], d.options):
		return none, DropBadHeader // the kernel writes its own, those of the socket
	case ip.Protocol() != inet.ProtoUDP:
		return none, DropBadHeader
	case ip.Src() != d.local.Addr():
		return none, DropSourceAddress
	case udp.SrcPort() != d.local.Port():
		return none, DropSourcePort
	}
	return netip.AddrPortFrom(ip.Dst(), udp.DstPort()), ""
}

// queue puts a train into the batch, in as many messages as the kernel wants.
func (d *Device) queue(to netip.AddrPort, t *sansio.Train) error {
	frames, seg := t.Frames(), t.Seg
	if frames == 1 {
		seg = len(t.Body)
	}
	step := d.framesPerMessage(frames, seg, len(t.Body))
	for i := 0; i < frames; i += step {
		if d.tx.n == txBatch {
			if err := d.flush(); err != nil {
				return err
			}
		}
		j := min(i+step, frames)
		d.tx.put(to, t.Body[i*seg:min(j*seg, len(t.Body))], seg, j-i)
	}
	return nil
}

// framesPerMessage returns how many frames of a train one message may carry: all
// where together they keep the limits, as with a short last one.
func (d *Device) framesPerMessage(frames, seg, n int) int {
	switch {
	case !d.gso || seg == 0:
		return 1
	case frames <= sansio.MaxTrainFrames && n <= gsoBody:
		return frames
	}
	return max(1, min(sansio.MaxTrainFrames, gsoBody/seg))
}

// flush hands the batch to the kernel. The kernel reports an error only for the
// first message of a call, so each error is one message's.
func (d *Device) flush() error {
	tx := d.tx
	defer tx.clear()
	for i := 0; i < tx.n; {
		n, errno := sendmmsg(d.fd, tx.msgs.hdrs[i:tx.n])
		if errno == 0 {
			d.countSent(i, i+n)
			i += n
			continue
		}
		if errno == unix.EAGAIN && d.awaitRoom() {
			continue
		}
		reason := dropReason(errno)
		if reason == "" {
			return fmt.Errorf("send from %v: %w", d.local, errno)
		}
		if errno == unix.EIO {
			d.gso = false
		}
		d.drops.Add(reason, 1)
		i++
	}
	return nil
}

// clear empties the batch and lets go of the bodies.
func (s *sender) clear() {
	for i := range s.n {
		s.msgs.iovs[i].Base = nil
	}
	s.n = 0
}

func (d *Device) countSent(i, j int) {
	for ; i < j; i++ {
		frames, body := d.tx.frames[i], d.tx.msgs.hdrs[i].Len
		d.stats.TxTrains++
		d.stats.TxFrames += uint64(frames)
		d.stats.TxBytes += uint64(frames*(inet.UDPHeaders+len(d.options))) + uint64(body)
	}
}

// awaitRoom waits until the socket takes more, and reports whether the time
// that a Send may wait had not ended before.
func (d *Device) awaitRoom() bool {
	if d.tx.until.IsZero() {
		d.tx.until = time.Now().Add(txPatience)
	}
	left := time.Until(d.tx.until)
	if left <= 0 {
		return false
	}
	limit := unix.NsecToTimespec(int64(left))
	d.room[0] = unix.PollFd{Fd: int32(d.fd), Events: unix.POLLOUT}
	_, err := unix.Ppoll(d.room[:], &limit, nil)
	return err == nil || err == unix.EINTR
}

// dropReason names the errors that are one packet's fate; any other means that
// the socket is broken.
func dropReason(errno unix.Errno) string {
	switch errno {
	case unix.EAGAIN:
		return DropTxFull
	case unix.ENOBUFS, unix.ENOMEM:
		return DropNoBuffers
	case unix.EMSGSIZE, unix.EINVAL: // EINVAL: a segment beyond the MTU, in older kernels
		return DropMessageSize
	case unix.ENETUNREACH, unix.EHOSTUNREACH, unix.ENETDOWN, unix.EHOSTDOWN:
		return DropUnreachable
	case unix.ECONNREFUSED:
		return DropRefused
	case unix.EPERM, unix.EACCES:
		return DropNotPermitted
	case unix.EIO:
		return DropGSORefused
	}
	return ""
}
