package roce

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/wire/inet"
)

// Port is the UDP destination port of RoCEv2 (IANA).
const Port uint16 = 4791

// Headers is what a packet of data has beside its payload, from behind the UDP
// header on, in bytes: base transport header and ICRC.
const Headers = overhead

// Lengths in bytes.
const (
	bthLen   = 12
	aethLen  = 4
	icrcLen  = 4
	overhead = bthLen + icrcLen
	word     = 4 // payloads are whole words
)

// opcode says what a packet is: the transport RC in the upper three bits, zero,
// and the operation in the lower five.
type opcode uint8

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

func (o opcode) ends() bool { return o == sendLast || o == sendOnly }

// Syndromes of an AETH: bits 6 and 5 tell the kind, the lower five the credits,
// of which 31 means that none are counted, or the reason.
const (
	syndromeACK         = 0x1f
	syndromeNAKSequence = 0x60 // PSN sequence error
)

// partition is the default partition key, with full membership.
const partition = 0xffff

// psn is a packet sequence number as it is on the wire, 24 bits.
type psn uint32

const psnMask = 1<<24 - 1

// unwrap returns the number near at that a PSN stands for: nearer than 2^23.
func (p psn) unwrap(near uint64) int64 {
	d := int32(uint32(p)<<8-uint32(near)<<8) >> 8
	return int64(near) + int64(d)
}

// bth is a base transport header.
type bth []byte

func (b bth) put(op opcode, pad int, peer uint32, ask bool, seq uint64) {
	b[0], b[1] = byte(op), byte(pad)<<4
	binary.BigEndian.PutUint16(b[2:], partition)
	binary.BigEndian.PutUint32(b[4:], peer)
	n := uint32(seq) & psnMask
	if ask {
		n |= 1 << 31
	}
	binary.BigEndian.PutUint32(b[8:], n)
}

func (b bth) opcode() opcode { return opcode(b[0]) }
func (b bth) pad() int       { return int(b[1] >> 4 & 3) }
func (b bth) asks() bool     { return b[8]>>7 == 1 }
func (b bth) psn() psn       { return psn(binary.BigEndian.Uint32(b[8:]) & psnMask) }

// queuePair returns the number of the queue pair that a packet is for.
func (b bth) queuePair() uint32 { return binary.BigEndian.Uint32(b[4:]) & 0xffffff }

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
	return bth(body).queuePair(), true
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
