package afpacket

import (
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// batch holds what the messages of one Send point to. A packet is built once,
// however many ports it leaves by.
type batch struct {
	plain   bool
	packets int
	vnets   [][vnetLen]byte
	iovs    []unix.Iovec // iovsPerPacket of each packet
	scratch []byte       // headers derived here
}

const iovsPerPacket = 3 // virtio-net header, header, body

// load is what one message carries, for the statistics.
type load struct {
	frames int
	bytes  int
}

// whole reports whether t leaves as one packet, not frame by frame. The kernel
// segments what has a partial checksum only.
func (b *batch) whole(t sansio.Train) bool {
	return t.Single() || !b.plain && t.Checksum == sansio.ChecksumPartial
}

// reset makes room for all packets of sends: messages point into the slices,
// which therefore must not move later.
func (b *batch) reset(sends []sansio.Send) {
	n := 0
	for _, s := range sends {
		if b.whole(s.Train) {
			n++
		} else {
			n += s.Train.Frames()
		}
	}
	b.packets, b.scratch = 0, b.scratch[:0]
	if n > len(b.vnets) {
		b.vnets = make([][vnetLen]byte, 2*n)
		b.iovs = make([]unix.Iovec, 2*n*iovsPerPacket)
	}
}

// release forgets the memory of the callers.
func (b *batch) release() { clear(b.iovs[:b.packets*iovsPerPacket]) }

// add builds the packet of a train that is whole and returns its pieces. A
// reason means that it must be dropped.
func (b *batch) add(t sansio.Train) (iovs []unix.Iovec, reason string) {
	l4, found := transport{}, false
	if t.Checksum == sansio.ChecksumPartial {
		if l4, found = findTransport(t.Header); !found {
			return nil, DropBadTrain
		}
	}
	if b.plain && found {
		t.Header = b.filled(t, l4)
	}
	i := b.packets
	b.packets++
	iovs = b.iovs[i*iovsPerPacket : i*iovsPerPacket : (i+1)*iovsPerPacket]
	if !b.plain {
		h := b.vnets[i][:]
		vnetHeader(h).describe(t, l4)
		iovs = piece(iovs, h)
	}
	if iovs = piece(piece(iovs, t.Header), t.Body); len(iovs) == 0 {
		return nil, DropBadTrain
	}
	return iovs, ""
}

func piece(iovs []unix.Iovec, mem []byte) []unix.Iovec {
	if len(mem) == 0 {
		return iovs
	}
	v := unix.Iovec{Base: &mem[0]}
	v.SetLen(len(mem))
	return append(iovs, v)
}

// header returns room for a derived header. Earlier ones stay where they are.
func (b *batch) header(n int) []byte {
	if len(b.scratch)+n > cap(b.scratch) {
		b.scratch = make([]byte, 0, max(2*cap(b.scratch), 64*n))
	}
	lo := len(b.scratch)
	b.scratch = b.scratch[:lo+n]
	return b.scratch[lo : lo+n : lo+n]
}

// filled returns a copy of the header of a frame with its checksum computed.
// Padding behind the IP packet does not count.
func (b *batch) filled(t sansio.Train, l4 transport) []byte {
	h := b.header(len(t.Header))
	copy(h, t.Header)
	ip, segment := inet.IPv4(h[inet.EtherLen:]), h[l4.start:]
	body := t.Body
	if n := inet.EtherLen + ip.TotalLen() - len(h); n >= 0 && n < len(body) {
		body = body[:n]
	}
	if l4.proto == inet.ProtoTCP {
		inet.TCP(segment).SetChecksum(0)
		inet.TCP(segment).SetChecksum(inet.TransportChecksum(ip, segment, body))
	} else {
		inet.UDP(segment).SetChecksum(0)
		inet.UDP(segment).SetChecksum(inet.TransportChecksum(ip, segment, body))
	}
	return h
}
