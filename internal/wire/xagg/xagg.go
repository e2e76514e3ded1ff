package xagg

import (
	"encoding/binary"
	"math/bits"
)

// Protocol is the IPv4 protocol of gradient packets: the first number for experiments (RFC 3692).
// The paper sends "based on IP protocol" and names no number (XAgg §IV-A).
const Protocol = 253

// Lengths in bytes, and limits of a packet.
const (
	HeaderLen = 14   // 48 bytes of overhead (XAgg §IV-A) less 14 of Ethernet and 20 of IPv4
	MinValues = 32   // values of a packet, the least that the paper measures (XAgg §IV-A)
	MaxValues = 320  // the most
	Values    = 256  // what the paper chooses (XAgg §IV-A)
	Group     = 1024 // packets that are checked together (XAgg §IV-D); a power of 2
	MaxHosts  = 32   // bits of a one-hot host id (XAgg §IV-A)
)

// Flags of a packet.
type Flags uint16

// The flags. Others are ignored.
const (
	EndOfGroup Flags = 1 << iota // the sender's last packet of a group, or of all
	Retransmit                   // sent before
	Result                       // a final sum on its way down
)

// Has reports whether all of some flags are set.
func (f Flags) Has(of Flags) bool { return f&of == of }

// Header is a decoded header.
type Header struct {
	Host      uint32 // one bit: the sender
	Gradient  uint32 // index of the fragment, from 1
	Job       uint16
	Iteration uint16 // wraps
	Flags     Flags
}

// PayloadLen returns the bytes of an IPv4 payload with n values.
func PayloadLen(n int) int { return HeaderLen + 4*n }

// Put writes h to the first [HeaderLen] bytes of b.
func (h *Header) Put(b []byte) {
	_ = b[HeaderLen-1]
	binary.BigEndian.PutUint32(b, h.Host)
	binary.BigEndian.PutUint32(b[4:], h.Gradient)
	binary.BigEndian.PutUint16(b[8:], h.Job)
	binary.BigEndian.PutUint16(b[10:], h.Iteration)
	binary.BigEndian.PutUint16(b[12:], uint16(h.Flags))
}

// Read takes a header from the first [HeaderLen] bytes of b.
func (h *Header) Read(b []byte) {
	_ = b[HeaderLen-1]
	h.Host, h.Gradient = binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	h.Job, h.Iteration = binary.BigEndian.Uint16(b[8:]), binary.BigEndian.Uint16(b[10:])
	h.Flags = Flags(binary.BigEndian.Uint16(b[12:]))
}

// OneHot reports whether a host id names exactly one host.
func OneHot(host uint32) bool { return bits.OnesCount32(host) == 1 }

// EndsGroup reports whether a fragment is the last of its group: every 1024th and the last of all
// (XAgg §IV-D).
func EndsGroup(gradient, last uint32) bool { return gradient%Group == 0 || gradient == last }

// PutValues writes values to b, which holds 4 bytes for each.
func PutValues(b []byte, values []int32) {
	for i, v := range values {
		binary.BigEndian.PutUint32(b[4*i:], uint32(v))
	}
}

// ReadValues fills values from b.
func ReadValues(values []int32, b []byte) {
	for i := range values {
		values[i] = int32(binary.BigEndian.Uint32(b[4*i:]))
	}
}
