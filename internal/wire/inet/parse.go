package inet

import "encoding/binary"

// Problem says why a frame could not be parsed; drops are counted under it.
type Problem string

// The problems [Parse] finds.
const (
	OK           Problem = ""
	ShortEther   Problem = "short-ethernet"
	ShortIP      Problem = "short-ip"
	BadIPVersion Problem = "bad-ip-version"
	BadIPLength  Problem = "bad-ip-length"
	Fragment     Problem = "ip-fragment"
	ShortL4      Problem = "short-transport"
	BadUDPLength Problem = "bad-udp-length"
	BadTCPOffset Problem = "bad-tcp-offset"
	NotIPv4      Problem = "not-ipv4"
)

// Layout says where the headers of an IPv4 frame start.
type Layout struct {
	Proto     uint8 // IP protocol
	Transport int   // offset of the transport header, EtherLen + ihl
	Body      int   // offset of the body: behind UDP or TCP, else Transport
	End       int   // offset behind the IP packet; bytes after it are padding
}

// Parse finds the headers of an IPv4 frame and checks every length against the
// bytes that are there. Checksums are not looked at: frames on a veth carry
// partial ones. Fragments are refused, since their transport header is missing
// or lies about its body.
func Parse(frame []byte) (Layout, Problem) { return ParseHeader(frame, len(frame)) }

// ParseHeader is [Parse] for a frame of frameLen bytes of which only the
// headers are at hand.
func ParseHeader(header []byte, frameLen int) (Layout, Problem) {
	if l, ok := plainUDP(header, frameLen); ok {
		return l, OK
	}
	return parseAny(header, frameLen)
}

func parseAny(header []byte, frameLen int) (Layout, Problem) {
	if len(header) < EtherLen {
		return Layout{}, ShortEther
	}
	if Ether(header).Type() != TypeIPv4 {
		return Layout{}, NotIPv4
	}
	if len(header) < EtherLen+IPv4Len {
		return Layout{}, ShortIP
	}
	ip := IPv4(header[EtherLen:])
	if ip[0]>>4 != 4 || ip.HeaderLen() < IPv4Len {
		return Layout{}, BadIPVersion
	}
	l := Layout{Proto: ip.Protocol(), Transport: EtherLen + ip.HeaderLen(), End: EtherLen + ip.TotalLen()}
	if l.End > frameLen || l.End < l.Transport || l.Transport > len(header) {
		return Layout{}, BadIPLength
	}
	if ip.IsFragment() {
		return Layout{}, Fragment
	}
	return l.transport(header[:min(len(header), l.End)])
}

// plainUDP finds the headers of what nearly every frame is, UDP in IPv4 without
// options or fragments, all lengths right; ok is false where anything is unusual.
func plainUDP(header []byte, frameLen int) (l Layout, ok bool) {
	if len(header) != UDPHeaders {
		return l, false
	}
	h := (*[UDPHeaders]byte)(header)
	const usual = uint32(TypeIPv4)<<16 | 0x4500 // EtherType, version and length of the IP header
	total, udp := int(binary.BigEndian.Uint16(h[EtherLen+2:])), int(binary.BigEndian.Uint16(h[EtherLen+IPv4Len+4:]))
	ok = binary.BigEndian.Uint32(h[12:])&^0xff == usual && binary.BigEndian.Uint16(h[EtherLen+6:])&0x3fff == 0 && h[EtherLen+9] == ProtoUDP &&
		EtherLen+total <= frameLen && udp >= UDPLen && udp <= total-IPv4Len
	return Layout{Proto: ProtoUDP, Transport: EtherLen + IPv4Len, Body: UDPHeaders, End: EtherLen + total}, ok
}

func (l Layout) transport(header []byte) (Layout, Problem) {
	l.Body = l.Transport
	switch l.Proto {
	case ProtoUDP:
		if len(header)-l.Transport < UDPLen {
			return l, ShortL4
		}
		if n := UDP(header[l.Transport:]).Len(); n < UDPLen || n > l.End-l.Transport {
			return l, BadUDPLength
		}
		l.Body = l.Transport + UDPLen
	case ProtoTCP:
		if len(header)-l.Transport < TCPLen {
			return l, ShortL4
		}
		n := TCP(header[l.Transport:]).HeaderLen()
		if n < TCPLen || n > len(header)-l.Transport {
			return l, BadTCPOffset
		}
		l.Body = l.Transport + n
	}
	return l, OK
}

// ARP is an ARP packet for IPv4 over Ethernet, behind its Ethernet header.
type ARP []byte

// ARP operations.
const (
	ARPRequest uint16 = 1
	ARPReply   uint16 = 2
)

// Op returns the operation.
func (h ARP) Op() uint16 { return binary.BigEndian.Uint16(h[6:]) }

// SenderMAC returns the sender's Ethernet address.
func (h ARP) SenderMAC() MAC { return MAC(h[8:14]) }

// TargetIP returns the address asked for.
func (h ARP) TargetIP() [4]byte { return [4]byte(h[24:28]) }

// Valid reports whether the packet speaks of IPv4 over Ethernet.
func (h ARP) Valid() bool {
	return len(h) >= ARPLen && binary.BigEndian.Uint32(h[0:]) == 1<<16|uint32(TypeIPv4) && h[4] == 6 && h[5] == 4
}

// PutReply writes the answer "ip is at mac" to whoever sent req.
func (h ARP) PutReply(mac MAC, ip [4]byte, req ARP) {
	binary.BigEndian.PutUint32(h[0:], 1<<16|uint32(TypeIPv4))
	h[4], h[5] = 6, 4
	binary.BigEndian.PutUint16(h[6:], ARPReply)
	copy(h[18:24], req[8:14])
	copy(h[24:28], req[14:18])
	copy(h[8:14], mac[:])
	copy(h[14:18], ip[:])
}
