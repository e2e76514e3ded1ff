package afpacket

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// vnetLen is the length of a virtio-net header without a buffer count.
const vnetLen = 10

// Flags and segmentation types of the virtio-net header (virtio v1.2, 5.1.6).
const (
	vnetNeedsChecksum = 1

	gsoNone  = 0
	gsoTCPv4 = 1
	gsoUDPL4 = 5
	gsoECN   = 0x80 // or-ed to a type: the first segment carries CWR
)

// vnetHeader is a virtio-net header in the byte order of the machine, as packet
// sockets have it: flags 1, gso_type 1, hdr_len 2, gso_size 2, csum_start 2,
// csum_offset 2.
type vnetHeader []byte

func (h vnetHeader) flags() byte         { return h[0] }
func (h vnetHeader) gsoType() byte       { return h[1] }
func (h vnetHeader) gsoSize() int        { return int(binary.NativeEndian.Uint16(h[4:])) }
func (h vnetHeader) checksumStart() int  { return int(binary.NativeEndian.Uint16(h[6:])) }
func (h vnetHeader) checksumOffset() int { return int(binary.NativeEndian.Uint16(h[8:])) }

func (h vnetHeader) setHeaderLen(n int) { binary.NativeEndian.PutUint16(h[2:], uint16(n)) }
func (h vnetHeader) setGSO(kind byte, size int) {
	h[1] = kind
	binary.NativeEndian.PutUint16(h[4:], uint16(size))
}
func (h vnetHeader) setChecksum(start, offset int) {
	h[0] = vnetNeedsChecksum
	binary.NativeEndian.PutUint16(h[6:], uint16(start))
	binary.NativeEndian.PutUint16(h[8:], uint16(offset))
}

// describe writes the header for a train that can leave as one packet: one
// frame, or several with a partial checksum.
func (h vnetHeader) describe(t sansio.Train, l4 transport) {
	clear(h)
	if t.Checksum != sansio.ChecksumPartial {
		return
	}
	h.setHeaderLen(len(t.Header))
	h.setChecksum(l4.start, l4.checksumOffset())
	if t.Single() {
		return
	}
	kind := byte(gsoUDPL4)
	if l4.proto == inet.ProtoTCP {
		kind = gsoTCPv4
		if t.Header[l4.start+13]&inet.TCPCwr != 0 {
			kind |= gsoECN
		}
	}
	h.setGSO(kind, t.Seg)
}

// transport is where the transport header of a train is.
type transport struct {
	start int
	proto uint8 // UDP or TCP
}

func (l transport) checksumOffset() int {
	if l.proto == inet.ProtoTCP {
		return 16
	}
	return 6
}

// findTransport looks for a UDP or TCP header over IPv4 that lies in header
// whole.
func findTransport(header []byte) (transport, bool) {
	if len(header) < inet.EtherLen+inet.IPv4Len || inet.Ether(header).Type() != inet.TypeIPv4 {
		return transport{}, false
	}
	ip := inet.IPv4(header[inet.EtherLen:])
	l := transport{start: inet.EtherLen + ip.HeaderLen(), proto: ip.Protocol()}
	if ip.HeaderLen() < inet.IPv4Len || ip.IsFragment() {
		return transport{}, false
	}
	switch l.proto {
	case inet.ProtoUDP:
		return l, len(header) >= l.start+inet.UDPLen
	case inet.ProtoTCP:
		return l, len(header) >= l.start+inet.TCPLen
	}
	return transport{}, false
}

// findTransport6 does the same for IPv6 without extension headers (RFC 8200),
// of which only the checksum is ever of interest here.
func findTransport6(frame []byte) (transport, bool) {
	const typeIPv6, headerLen, nextHeader = 0x86dd, 40, 6
	if len(frame) < inet.EtherLen+headerLen || inet.Ether(frame).Type() != typeIPv6 {
		return transport{}, false
	}
	l := transport{start: inet.EtherLen + headerLen, proto: frame[inet.EtherLen+nextHeader]}
	return l, l.proto == inet.ProtoUDP || l.proto == inet.ProtoTCP
}

// trainOf makes a train of a (super-)frame and its virtio-net header. A reason
// means that it must be dropped. The frame may be written to: what a train
// cannot say about a checksum is settled in place.
func trainOf(frame []byte, h vnetHeader) (t sansio.Train, reason string) {
	sum := sansio.ChecksumAsIs
	if h.flags()&vnetNeedsChecksum != 0 {
		sum = sansio.ChecksumPartial
	}
	if kind := h.gsoType() &^ gsoECN; kind != gsoNone {
		return superTrain(frame, h.gsoSize(), sum)
	}
	t = sansio.NewTrain(frame, 0, sum)
	if sum != sansio.ChecksumPartial {
		return t, ""
	}
	if _, ok := findTransport(t.Header); ok {
		return t, ""
	}
	if !finishChecksum(frame, h.checksumStart(), h.checksumOffset()) {
		return sansio.Train{}, DropVnetHeader
	}
	t.Checksum = sansio.ChecksumAsIs
	return t, ""
}

// superTrain makes a train of a super-packet. The kernel's receive offload
// joins frames whose checksums it has verified; joined, they are partial.
func superTrain(frame []byte, seg int, sum sansio.Checksum) (t sansio.Train, reason string) {
	t = sansio.NewTrain(frame, seg, sum)
	if t.Seg == 0 {
		return sansio.Train{}, DropGSO
	}
	if t.Checksum != sansio.ChecksumPartial && !t.Single() {
		sansio.FillPartial(t.Header, len(t.Body))
		t.Checksum = sansio.ChecksumPartial
	}
	return t, ""
}

// finishChecksum completes a checksum whose field holds a partial sum. It
// reports false where the field is outside the frame.
func finishChecksum(frame []byte, start, offset int) bool {
	field := start + offset
	if start > len(frame) || field+2 > len(frame) {
		return false
	}
	sum := ^inet.Fold(inet.Sum(frame[start:], 0))
	if sum == 0 {
		sum = 0xffff // the same number in one's complement, and not "none" (RFC 768)
	}
	binary.BigEndian.PutUint16(frame[field:], sum)
	return true
}

// vlanLen is the length of an IEEE 802.1Q tag.
const vlanLen = 4

// vlanTag is a tag that the kernel has taken out of a frame.
type vlanTag struct{ tpid, tci uint16 }

// taggedTrain makes a train of a frame whose tag the kernel has taken out. The
// frame starts at buf[vlanLen]; the train is all of buf. The virtio-net header,
// which may lie in buf, is read before it is overwritten.
func taggedTrain(buf []byte, h vnetHeader, tag vlanTag) (t sansio.Train, reason string) {
	if h.gsoType()&^gsoECN != gsoNone {
		return sansio.Train{}, DropGSO
	}
	partial := h.flags()&vnetNeedsChecksum != 0
	if partial && !finishChecksum(buf[vlanLen:], h.checksumStart(), h.checksumOffset()) || len(buf) < vlanLen+inet.EtherLen {
		return sansio.Train{}, DropVnetHeader
	}
	insertVLAN(buf, tag)
	return sansio.NewTrain(buf, 0, sansio.ChecksumAsIs), ""
}

// insertVLAN writes the tag between the addresses and the type.
func insertVLAN(buf []byte, tag vlanTag) {
	copy(buf[:12], buf[vlanLen:vlanLen+12])
	binary.BigEndian.PutUint16(buf[12:], tag.tpid)
	binary.BigEndian.PutUint16(buf[14:], tag.tci)
}
