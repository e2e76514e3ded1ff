package udp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/datagram"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// gsoBody is the longest body that is worth sending as one: a super-packet of
// 65536 bytes with its Ethernet header is segmented in software before it
// reaches the device (gso_features_check in net/core/dev.c, and veth and
// loopback allow GSO_LEGACY_MAX_SIZE), after which nothing joins it again.
const gsoBody = 65535 - inet.UDPHeaders

// sender is the batch that goes to the kernel next.
type sender struct {
	datagram.Outbox
	pktinfo, whole int // control bytes of a message with one frame, and with several
}

// newSender returns a batch whose control messages are in place: the source
// address first, which every message carries, then the segment size, which
// only trains carry.
func (d *Device) newSender(gso bool) *sender {
	s := &sender{pktinfo: datagram.SourceSpace()}
	s.whole = s.pktinfo + unix.CmsgSpace(2)
	s.Outbox = datagram.Outbox{
		Messages: datagram.NewMessages(datagram.TxBatch, s.whole), FD: d.fd, Segments: gso,
		Header: inet.UDPHeaders + len(d.options), Stats: &d.stats, Drops: &d.drops,
	}
	for i := range datagram.TxBatch {
		rest := datagram.PutSource(s.Control(i), d.local.Addr())
		datagram.PutControl(rest, unix.IPPROTO_UDP, unix.UDP_SEGMENT, 2)
	}
	return s
}

// put appends one message. The body is borrowed until the batch is flushed.
func (s *sender) put(to netip.AddrPort, body []byte, seg, frames int) error {
	i, err := s.Add(frames)
	if err != nil {
		return err
	}
	s.SetName(i, to)
	s.SetBody(i, body)
	if frames == 1 {
		s.SetControllen(i, s.pktinfo)
		return nil
	}
	s.SetControllen(i, s.whole)
	binary.NativeEndian.PutUint16(s.Control(i)[s.pktinfo+unix.CmsgLen(0):], uint16(seg))
	return nil
}

// Send implements [pktio.Device]. It waits a few milliseconds in all where the
// socket's send buffer is full.
func (d *Device) Send(sends []sansio.Send) error {
	d.tx.Begin()
	for i := range sends {
		t := &sends[i].Train
		for _, port := range sends[i].To {
			to, reason := d.destination(port, t.Header)
			if reason != "" {
				d.drops.Add(reason, 1)
				continue
			}
			if err := d.queue(to, t); err != nil {
				return fmt.Errorf("send from %v: %w", d.local, err)
			}
		}
	}
	if err := d.tx.Flush(); err != nil {
		return fmt.Errorf("send from %v: %w", d.local, err)
	}
	return nil
}

// destination reads where a train goes to, or returns why it cannot go.
func (d *Device) destination(port sansio.Port, h []byte) (netip.AddrPort, string) {
	none := netip.AddrPort{}
	if port != 0 {
		return none, datagram.DropWrongPort
	}
	n := len(d.options)
	if len(h) != inet.UDPHeaders+n || inet.Ether(h).Type() != inet.TypeIPv4 || h[inet.EtherLen] != 0x45+byte(n/4) {
		return none, datagram.DropBadHeader
	}
	ip := inet.IPv4(h[inet.EtherLen:])
	udp := inet.UDP(ip[inet.IPv4Len+n:])
	switch {
	case !bytes.Equal(ip[inet.IPv4Len:inet.IPv4Len+n], d.options):
		return none, datagram.DropBadHeader // the kernel writes its own, those of the socket
	case ip.Protocol() != inet.ProtoUDP:
		return none, datagram.DropBadHeader
	case ip.Src() != d.local.Addr():
		return none, datagram.DropSourceAddress
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
		j := min(i+step, frames)
		if err := d.tx.put(to, t.Body[i*seg:min(j*seg, len(t.Body))], seg, j-i); err != nil {
			return err
		}
	}
	return nil
}

// framesPerMessage returns how many frames of a train one message may carry: all
// where together they keep the limits, as with a short last one.
func (d *Device) framesPerMessage(frames, seg, n int) int {
	switch {
	case !d.tx.Segments || seg == 0:
		return 1
	case frames <= sansio.MaxTrainFrames && n <= gsoBody:
		return frames
	}
	return max(1, min(sansio.MaxTrainFrames, gsoBody/seg))
}
