package inet

import (
	"encoding/binary"
	"net/netip"
)

// Header lengths in bytes.
const (
	EtherLen = 14
	ARPLen   = 28
	IPv4Len  = 20 // without options
	UDPLen   = 8
	TCPLen   = 20 // without options
	ICMPLen  = 8

	// UDPHeaders is the length of Ethernet, IPv4 without options and UDP together.
	UDPHeaders = EtherLen + IPv4Len + UDPLen
)

// EtherTypes (IEEE 802).
const (
	TypeIPv4 uint16 = 0x0800
	TypeARP  uint16 = 0x0806
)

// IP protocol numbers (IANA).
const (
	ProtoICMP uint8 = 1
	ProtoTCP  uint8 = 6
	ProtoUDP  uint8 = 17
)

// MAC is an Ethernet address.
type MAC [6]byte

// BroadcastMAC reaches every station of a segment.
var BroadcastMAC = MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// IsMulticast reports whether m names a group (or everybody).
func (m MAC) IsMulticast() bool { return m[0]&1 != 0 }

// MulticastMAC returns the Ethernet address of an IPv4 group (RFC 1112 §6.4).
func MulticastMAC(group netip.Addr) MAC {
	a := group.As4()
	return MAC{0x01, 0x00, 0x5e, a[1] & 0x7f, a[2], a[3]}
}

// Ether is an Ethernet header.
type Ether []byte

// Dst returns the destination address.
func (h Ether) Dst() MAC { return MAC(h[0:6]) }

// Src returns the source address.
func (h Ether) Src() MAC { return MAC(h[6:12]) }

// Type returns the EtherType.
func (h Ether) Type() uint16 { return binary.BigEndian.Uint16(h[12:]) }

// Put writes the whole header.
func (h Ether) Put(dst, src MAC, etherType uint16) {
	copy(h[0:6], dst[:])
	copy(h[6:12], src[:])
	binary.BigEndian.PutUint16(h[12:], etherType)
}

// IPv4 is an IPv4 header, options included.
type IPv4 []byte

// HeaderLen returns the header's length in bytes from the IHL field.
func (h IPv4) HeaderLen() int { return int(h[0]&0x0f) * 4 }

// TotalLen returns the length of header and body in bytes.
func (h IPv4) TotalLen() int { return int(binary.BigEndian.Uint16(h[2:])) }

// SetTotalLen writes the length of header and body in bytes.
func (h IPv4) SetTotalLen(n int) { binary.BigEndian.PutUint16(h[2:], uint16(n)) }

// Codepoints of ECN (RFC 3168 section 5).
const (
	NotECT uint8 = 0 // the ends do not react to marks
	ECT1   uint8 = 1
	ECT0   uint8 = 2
	CE     uint8 = 3 // congestion was met
)

// ECN returns the codepoint of congestion notification.
func (h IPv4) ECN() uint8 { return h[1] & 3 }

// SetECN writes a codepoint and adjusts the header's checksum.
func (h IPv4) SetECN(codepoint uint8) {
	before := h[1]
	h[1] = before&^3 | codepoint
	h.SetChecksum(AdjustSum(h.Checksum(), uint64(before), uint64(h[1])))
}

// ID returns the identification field.
func (h IPv4) ID() uint16 { return binary.BigEndian.Uint16(h[4:]) }

// SetID writes the identification field.
func (h IPv4) SetID(id uint16) { binary.BigEndian.PutUint16(h[4:], id) }

// IsFragment reports whether the packet is a fragment of a larger one.
func (h IPv4) IsFragment() bool { return binary.BigEndian.Uint16(h[6:])&0x3fff != 0 }

// TTL returns the time to live in hops.
func (h IPv4) TTL() uint8 { return h[8] }

// SetTTL writes the time to live in hops.
func (h IPv4) SetTTL(ttl uint8) { h[8] = ttl }

// Protocol returns the number of the next header.
func (h IPv4) Protocol() uint8 { return h[9] }

// Checksum returns the header checksum field.
func (h IPv4) Checksum() uint16 { return binary.BigEndian.Uint16(h[10:]) }

// SetChecksum writes the header checksum field.
func (h IPv4) SetChecksum(sum uint16) { binary.BigEndian.PutUint16(h[10:], sum) }

// Src returns the source address.
func (h IPv4) Src() netip.Addr { return netip.AddrFrom4([4]byte(h[12:16])) }

// Dst returns the destination address.
func (h IPv4) Dst() netip.Addr { return netip.AddrFrom4([4]byte(h[16:20])) }

// SrcBytes returns the source address as it stands, for a table that is looked up
// for every packet.
func (h IPv4) SrcBytes() [4]byte { return [4]byte(h[12:16]) }

// SetSrc writes the source address.
func (h IPv4) SetSrc(a netip.Addr) { v := a.As4(); copy(h[12:16], v[:]) }

// SetDst writes the destination address.
func (h IPv4) SetDst(a netip.Addr) { v := a.As4(); copy(h[16:20], v[:]) }

// UpdateChecksum computes the header checksum and writes it.
func (h IPv4) UpdateChecksum() {
	h.SetChecksum(0)
	if h.HeaderLen() != IPv4Len {
		h.SetChecksum(^Fold(Sum(h[:h.HeaderLen()], 0)))
		return
	}
	h.SetChecksum(^Fold(h.sum()))
}

// sum adds the header, which has no options, its checksum field included. Wider
// words do as well, as 2^16 is 1 in this arithmetic (RFC 1071 §2).
func (h IPv4) sum() uint64 {
	a, b, c := binary.BigEndian.Uint64(h), binary.BigEndian.Uint64(h[8:]), binary.BigEndian.Uint32(h[16:])
	return a>>32 + a&0xffffffff + b>>32 + b&0xffffffff + uint64(c)
}

// Renew makes h, a copy of the header from, that of another packet: with this
// total length and identification, and the checksum that follows. Where it can,
// it reads from alone, since a processor has to wait before it can read as one
// word what was just written in parts.
func (h IPv4) Renew(from IPv4, total int, id uint16) {
	h.SetTotalLen(total)
	h.SetID(id)
	if from.HeaderLen() != IPv4Len {
		h.UpdateChecksum()
		return
	}
	before := uint64(from.TotalLen()) + uint64(from.ID())<<16 + uint64(from.Checksum())
	h.SetChecksum(^Fold(from.sum() - before + uint64(uint16(total)) + uint64(id)<<16))
}

// ChecksumOK reports whether the header checksum is right.
func (h IPv4) ChecksumOK() bool { return Fold(Sum(h[:h.HeaderLen()], 0)) == 0xffff }

// UDP is a UDP header.
type UDP []byte

// SrcPort returns the source port.
func (h UDP) SrcPort() uint16 { return binary.BigEndian.Uint16(h[0:]) }

// DstPort returns the destination port.
func (h UDP) DstPort() uint16 { return binary.BigEndian.Uint16(h[2:]) }

// Len returns the length of header and body in bytes.
func (h UDP) Len() int { return int(binary.BigEndian.Uint16(h[4:])) }

// SetLen writes the length of header and body in bytes.
func (h UDP) SetLen(n int) { binary.BigEndian.PutUint16(h[4:], uint16(n)) }

// SetPorts writes both ports.
func (h UDP) SetPorts(src, dst uint16) {
	binary.BigEndian.PutUint16(h[0:], src)
	binary.BigEndian.PutUint16(h[2:], dst)
}

// SetChecksum writes the checksum field.
func (h UDP) SetChecksum(sum uint16) { binary.BigEndian.PutUint16(h[6:], sum) }

// TCP is a TCP header, options included.
type TCP []byte

// TCP flag bits of byte 13.
const (
	TCPFin uint8 = 1 << 0
	TCPPsh uint8 = 1 << 3
	TCPCwr uint8 = 1 << 7
)

// HeaderLen returns the header's length in bytes from the data offset field.
func (h TCP) HeaderLen() int { return int(h[12]>>4) * 4 }

// DstPort returns the destination port.
func (h TCP) DstPort() uint16 { return binary.BigEndian.Uint16(h[2:]) }

// Seq returns the sequence number of the first byte.
func (h TCP) Seq() uint32 { return binary.BigEndian.Uint32(h[4:]) }

// SetSeq writes the sequence number of the first byte.
func (h TCP) SetSeq(s uint32) { binary.BigEndian.PutUint32(h[4:], s) }

// ClearFlags clears the given flag bits.
func (h TCP) ClearFlags(bits uint8) { h[13] &^= bits }

// SetChecksum writes the checksum field.
func (h TCP) SetChecksum(sum uint16) { binary.BigEndian.PutUint16(h[16:], sum) }
