// Package switchml is the wire format of SwitchML packets over UDP, as the
// public DPDK client speaks it: a 10-byte header (the length that the paper's
// goodputs imply), then 32, 64, 128 or 256 int32 values. Fields are big-endian
// but for the packet id.
//
//	 0             1     2               6                8    9    10
//	| type:4 size:3| job | packet id (LE)| set:1 0 slot:14| e0 | e1 | values ...
//
// e0 and e1 are exponents of block maxima, of which a switch keeps the largest.
package switchml

import "encoding/binary"

// Port is the UDP destination port of worker packets.
const Port uint16 = 48864

// HeaderLen is the length of the SwitchML header in bytes.
const HeaderLen = 10

// MaxSlots is the number of slots that the 14-bit field can name.
const MaxSlots = 1 << 14

// TypeConsume is the message type of every data packet.
const TypeConsume uint8 = 1

// SizeEnum codes the number of values: 0..3 for 32, 64, 128, 256.
type SizeEnum uint8

// Elements returns the number of int32 values, or 0 for an unknown code.
func (s SizeEnum) Elements() int {
	if s > 3 {
		return 0
	}
	return 32 << s
}

// SizeOf returns the code for a number of values; ok is false where there is none.
func SizeOf(elements int) (s SizeEnum, ok bool) {
	for s := range SizeEnum(4) {
		if s.Elements() == elements {
			return s, true
		}
	}
	return 0, false
}

// Header is a decoded SwitchML header.
type Header struct {
	Type     uint8 // message type, 4 bits
	Size     SizeEnum
	Job      uint8  // low 8 bits of the client's job counter
	PacketID uint32 // opaque to the switch
	Set      uint8  // pool version, 0 or 1
	Slot     uint16 // 14 bits
	E0, E1   int8   // exponents
}

// Put writes h to the first HeaderLen bytes of b.
func (h Header) Put(b []byte) {
	_ = b[HeaderLen-1]
	b[0] = h.Type<<4 | uint8(h.Size)&7
	b[1] = h.Job
	binary.LittleEndian.PutUint32(b[2:], h.PacketID)
	binary.BigEndian.PutUint16(b[6:], uint16(h.Set)<<15|h.Slot&(MaxSlots-1))
	b[8], b[9] = byte(h.E0), byte(h.E1)
}

// Problem says why a payload is no SwitchML packet; drops are counted under it.
type Problem string

// The problems [Parse] finds.
const (
	OK        Problem = ""
	Short     Problem = "switchml-short-header"
	BadType   Problem = "switchml-bad-type"
	BadSize   Problem = "switchml-bad-size-code"
	Truncated Problem = "switchml-truncated"
	Oversized Problem = "switchml-oversized"
)

// SlotOf returns the slot that a payload names, as far as its header is there.
func SlotOf(payload []byte) (slot uint16, ok bool) {
	if len(payload) < HeaderLen {
		return 0, false
	}
	return binary.BigEndian.Uint16(payload[6:]) & (MaxSlots - 1), true
}

// Parse reads the header of a UDP payload and checks that exactly the coded
// number of values follows.
func Parse(payload []byte) (Header, Problem) { return ParseUnstored(payload, 0) }

// ParseUnstored is Parse for a payload whose last bytes are unstored.
func ParseUnstored(payload []byte, unstored int) (h Header, problem Problem) {
	problem = h.Read(payload, unstored)
	return h, problem
}

// Read is [ParseUnstored] into h, which saves who reads every packet a copy.
func (h *Header) Read(payload []byte, unstored int) Problem {
	if len(payload) < HeaderLen {
		*h = Header{}
		return Short
	}
	where := binary.BigEndian.Uint16(payload[6:])
	h.Type, h.Size = payload[0]>>4, SizeEnum(payload[0]&7)
	h.Job, h.PacketID = payload[1], binary.LittleEndian.Uint32(payload[2:])
	h.Set, h.Slot = uint8(where>>15), where&(MaxSlots-1)
	h.E0, h.E1 = int8(payload[8]), int8(payload[9])
	switch want := HeaderLen + 4*h.Size.Elements(); {
	case h.Type != TypeConsume:
		return BadType
	case want == HeaderLen:
		return BadSize
	case len(payload)+unstored < want:
		return Truncated
	case len(payload)+unstored > want:
		return Oversized
	}
	return OK
}
