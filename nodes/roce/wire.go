package roce

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/roce"
)

// Port is the UDP destination port of RoCEv2.
const Port = wire.Port

// Headers is what a packet of data has beside its payload, from behind the UDP
// header on, in bytes: base transport header and ICRC.
const Headers = overhead

// Lengths in bytes.
const (
	bthLen   = wire.BTHLen
	aethLen  = 4
	icrcLen  = wire.ICRCLen
	overhead = bthLen + icrcLen
	word     = 4 // payloads are whole words
)

// opcode says what a packet is: the transport RC in the upper three bits, zero,
// and the operation in the lower five.
type opcode = wire.Opcode

const (
	sendFirst   opcode = 0x00
	sendMiddle  opcode = 0x01
	sendLast    opcode = 0x02
	sendOnly    opcode = 0x04
	acknowledge opcode = 0x11
)

// opcodeOf returns the opcode of a packet of a message.
func opcodeOf(first, last bool) opcode {
	switch {
	case first && last:
		return sendOnly
	case first:
		return sendFirst
	case last:
		return sendLast
	}
	return sendMiddle
}

// ends reports whether the packet is the last of its message.
func ends(o opcode) bool { return o == sendLast || o == sendOnly }

// Syndromes of an AETH: bits 6 and 5 tell the kind, the lower five the credits,
// of which 31 means that none are counted, or the reason.
const (
	syndromeACK         = 0x1f
	syndromeNAKSequence = 0x60 // PSN sequence error
)

// putAETH writes what follows the BTH of an acknowledgement.
func putAETH(b []byte, syndrome byte, messages uint64) {
	binary.BigEndian.PutUint32(b, uint32(syndrome)<<24|uint32(messages)&0xffffff)
}

// QueuePair returns the number of the queue pair that the frames of a train are
// for, given its transport header and body; ok is false where it is not RoCE.
func QueuePair(transport, body []byte) (number uint32, ok bool) {
	if inet.UDP(transport).DstPort() != Port || len(body) < overhead {
		return 0, false
	}
	return wire.BTH(body).QueuePair(), true
}

// datagram returns the UDP addressing of a flow whose ports are queue pairs. The
// source port is in the dynamic range and follows from both numbers, so that
// networks with several paths spread connections over them, as Linux does it.
func datagram(f inet.Flow) inet.Flow {
	mixed := uint32(f.SrcPort) * uint32(f.DstPort)
	mixed ^= mixed >> 16
	f.SrcPort, f.DstPort = 0xc000|uint16(mixed)&0x3fff, Port
	return f
}
