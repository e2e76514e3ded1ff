package roce

import "encoding/binary"

// BTH is a base transport header in memory, of any operation on any transport: what
// follows it, and so which of its fields count, is for its reader to know. At least
// [BTHLen] bytes.
type BTH []byte

// Put writes a header: pad bytes behind the payload fill the last word, and ask wants
// an acknowledgement. The partition is the default one.
func (b BTH) Put(op Opcode, pad int, queuePair uint32, ask bool, psn PSN) {
	b[0], b[1] = byte(op), byte(pad)<<4
	binary.BigEndian.PutUint16(b[2:], partition)
	binary.BigEndian.PutUint32(b[4:], queuePair&MaxQueuePair)
	n := uint32(psn & MaxPSN)
	if ask {
		n |= 1 << 31
	}
	binary.BigEndian.PutUint32(b[8:], n)
}

// Opcode returns the operation.
func (b BTH) Opcode() Opcode { return Opcode(b[0]) }

// Pad returns how many bytes behind the payload fill its last word.
func (b BTH) Pad() int { return int(b[1] >> 4 & 3) }

// Version returns that of the header, of which there is 0.
func (b BTH) Version() int { return int(b[1] & 0xf) }

// QueuePair returns the number of the queue pair that the packet is for.
func (b BTH) QueuePair() uint32 { return binary.BigEndian.Uint32(b[4:]) & MaxQueuePair }

// Asks reports whether an acknowledgement is wanted.
func (b BTH) Asks() bool { return b[8]>>7 == 1 }

// PSN returns the sequence number.
func (b BTH) PSN() PSN { return PSN(binary.BigEndian.Uint32(b[8:])) & MaxPSN }

// defaultPartition reports whether the partition is the default one.
func (b BTH) defaultPartition() bool { return binary.BigEndian.Uint16(b[2:]) == partition }
