package sansio

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Limits of a train, those of UDP segmentation in Linux: UDP_MAX_SEGMENTS
// frames (64 before Linux 6.9), and 65535 bytes with all headers: a packet that
// is longer with its Ethernet header is legal but segmented in software.
const (
	MaxTrainFrames = 64
	MaxTrainBody   = 65535 - inet.UDPHeaders
)

// Checksum says how the transport checksum field of a train stands.
type Checksum uint8

const (
	// ChecksumAsIs: the field holds what would be on the wire, right or wrong.
	ChecksumAsIs Checksum = iota
	// ChecksumPartial: the field holds the pseudo-header sum; who puts the frame
	// on a wire that needs it computes the rest.
	ChecksumPartial
)

// Train is n frames of one flow in order. Header and Body together are the
// super-packet: the length fields of the header cover the whole body, and a
// train of one frame is just that frame, byte for byte. Frames that are not
// UDP or TCP over IPv4 are always trains of one, and a train of several frames
// carries a partial checksum or, as UDP may, none.
//
// Under the virtual clock each frame of a train may have Unstored bytes more than
// the body holds. They count wherever lengths do, also in the header, and are
// stored nowhere. A live train has none.
//
// Under the virtual clock the body may also be in memory that counts its
// keepers: who keeps the train keeps that instead of copying the body.
type Train struct {
	Header   []byte // Ethernet to transport header; a whole frame where it is none of these
	Body     []byte // transport payload of all frames, contiguous, without unstored bytes
	Seg      int    // body bytes of every frame but the last; 0 or >= len(Body): one frame
	Unstored int    // bytes of every frame, behind its part of the body, that are counted and not stored
	Checksum Checksum
	Memory   *Memory // that the body is in; nil: the body is borrowed
}

// NewTrain splits a (super-)frame into header and body. A frame that does not
// parse becomes a train of one that is all header, so that it can be counted
// or forwarded untouched.
func NewTrain(frame []byte, seg int, sum Checksum) Train {
	l, problem := inet.Parse(frame)
	if problem != inet.OK || seg > 0 && l.End != len(frame) {
		return Train{Header: frame, Checksum: sum}
	}
	if l.Proto != inet.ProtoUDP && l.Proto != inet.ProtoTCP {
		seg = 0
	}
	return Train{Header: frame[:l.Body], Body: frame[l.Body:], Seg: seg, Checksum: sum}
}

// Set makes t what from is. It copies word by word: a processor has to wait before
// it can read in one go what was just written in parts, as trains are.
func (t *Train) Set(from *Train) {
	t.Header, t.Body = from.Header, from.Body
	t.Seg, t.Unstored = from.Seg, from.Unstored
	t.Checksum, t.Memory = from.Checksum, from.Memory
}

// Layout says where the headers of the train start.
func (t *Train) Layout() (inet.Layout, inet.Problem) {
	return inet.ParseHeader(t.Header, len(t.Header)+t.PayloadBytes())
}

// UDP returns the headers of a train of UDP; ok is false where it is none.
func (t *Train) UDP() (ip inet.IPv4, udp inet.UDP, ok bool) {
	l, problem := t.Layout()
	if problem != inet.OK || l.Proto != inet.ProtoUDP {
		return nil, nil, false
	}
	return inet.IPv4(t.Header[inet.EtherLen:]), inet.UDP(t.Header[l.Transport:]), true
}

// PayloadBytes returns the payload bytes of all frames, unstored ones included.
func (t *Train) PayloadBytes() int {
	if t.Unstored == 0 {
		return len(t.Body)
	}
	return len(t.Body) + t.Frames()*t.Unstored
}

// Single reports whether there is one frame, without the division that counting takes.
func (t *Train) Single() bool { return t.Seg <= 0 || len(t.Body) <= t.Seg }

// Frames returns the number of frames, at least one.
func (t *Train) Frames() int {
	if t.Single() {
		return 1
	}
	return (len(t.Body) + t.Seg - 1) / t.Seg
}

// Payload returns the body of frame i, without unstored bytes.
func (t *Train) Payload(i int) []byte {
	if t.Single() {
		return t.Body
	}
	lo := i * t.Seg
	return t.Body[lo:min(lo+t.Seg, len(t.Body))]
}

// FrameBytes returns the length of frame i, headers included, framing not.
func (t *Train) FrameBytes(i int) units.Bytes {
	return units.Bytes(len(t.Header) + len(t.Payload(i)) + t.Unstored)
}

// Bytes returns the length of all frames, the header once for each.
func (t *Train) Bytes() units.Bytes {
	return units.Bytes(t.Frames()*(len(t.Header)+t.Unstored) + len(t.Body))
}

// WireBytes returns what the frames occupy on an Ethernet: their bytes and the
// framing of each.
func (t *Train) WireBytes() units.Bytes {
	return t.Bytes() + units.Bytes(t.Frames())*units.EthernetFraming
}

// Sub returns frames i to j-1 as a train of their own. Its header is derived
// into buf, which must have room for it (it is allocated where it has not); its
// body is shared with t.
func (t Train) Sub(i, j int, buf []byte) Train {
	if !t.whole(i, j) {
		t.cut(i, j, buf)
	}
	return t
}

// whole reports whether frames i to j-1, of which there is one at least, are all.
func (t *Train) whole(i, j int) bool { return i == 0 && t.ends(j) }

// ends reports whether frame j-1 is the last. It is asked for every frame on a
// link, which should not cost a division.
func (t *Train) ends(j int) bool { return t.Seg <= 0 || j*t.Seg >= len(t.Body) }

// cut makes t its frames i to j-1, which are not all.
func (t *Train) cut(i, j int, buf []byte) {
	of, last := t.Header, t.ends(j)
	lo, hi := i*t.Seg, min(j*t.Seg, len(t.Body))
	t.Header, t.Body = append(buf[:0], of...), t.Body[lo:hi]
	if j-i == 1 {
		t.Seg = 0
	}
	t.derive(of, i, lo+i*t.Unstored, last)
}

// Frame returns frame i with its own header, derived into buf.
func (t Train) Frame(i int, buf []byte) Train { return t.Sub(i, i+1, buf) }

// derive rewrites the header of t, a copy of that of a longer train, in which t
// starts at frame i and body offset off, as segmentation offload does: lengths,
// IP identification, TCP sequence number and flags, partial checksum.
func (t *Train) derive(of []byte, i, off int, last bool) {
	ip := inet.IPv4(t.Header[inet.EtherLen:])
	transport := t.Header[inet.EtherLen+ip.HeaderLen():]
	body := t.PayloadBytes()
	id := ip.ID()
	if id != 0 {
		id = nextID(id, i)
	}
	ip.Renew(inet.IPv4(of[inet.EtherLen:]), len(t.Header)-inet.EtherLen+body, id)
	if ip.Protocol() == inet.ProtoUDP {
		inet.UDP(transport).SetLen(inet.UDPLen + body)
	} else {
		deriveTCP(inet.TCP(transport), i, off, last)
	}
	if t.Checksum == ChecksumPartial {
		FillPartial(t.Header, body)
	}
}

// nextID returns the identification i frames after id, in a circle of 1 to
// 65535: zero means that the sender does not count (RFC 6864), so a count that
// wrapped to it would stop there when a part of a train is split again.
func nextID(id uint16, i int) uint16 {
	return uint16((uint32(id)-1+uint32(i))%0xffff) + 1
}

func deriveTCP(tcp inet.TCP, i, off int, last bool) {
	tcp.SetSeq(tcp.Seq() + uint32(off))
	if !last {
		tcp.ClearFlags(inet.TCPFin | inet.TCPPsh)
	}
	if i > 0 {
		tcp.ClearFlags(inet.TCPCwr)
	}
}

// FillPartial writes the pseudo-header sum for a body of n bytes into the
// checksum field of a UDP or TCP header.
func FillPartial(header []byte, n int) {
	ip := inet.IPv4(header[inet.EtherLen:])
	transport := header[inet.EtherLen+ip.HeaderLen():]
	sum := inet.PseudoSum(ip, len(transport)+n)
	switch ip.Protocol() {
	case inet.ProtoUDP:
		inet.UDP(transport).SetChecksum(sum)
	case inet.ProtoTCP:
		inet.TCP(transport).SetChecksum(sum)
	}
}
