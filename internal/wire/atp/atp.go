package atp

import "encoding/binary"

// Port is the UDP destination port of gradient and of parameter packets.
const Port uint16 = 17000

// Lengths of packets, in bytes.
const (
	HeaderLen  = 16
	Values     = 62 // of 32 bits each; 31 in each pass of a switch (§4, appendix C)
	PayloadLen = HeaderLen + 4*Values
)

// Limits of the fields.
const (
	MaxFanIn       = 32      // at each level (§3.4): 1024 workers at two
	MaxAggregators = 1 << 16 // that can be named
	SequenceBits   = 24
)

// Flags of a packet (§3.3).
type Flags uint8

// The flags, by their bits. Overflow says of a gradient packet that its values are float32, and of
// a parameter packet that the server asks for such (§3.8), or with Resend that it has them.
const (
	Overflow   Flags = 1 << iota
	IsAck            // a parameter packet
	EdgeSwitch       // on its way to the second edge switch, or past it
	ECN              // a queue on its way was longer than the threshold
	Collision        // the aggregator that it names was another's
	Resend           // of a gradient packet: no switch is to reserve an aggregator for it
)

// Has reports whether all of some flags are set.
func (f Flags) Has(of Flags) bool { return f&of == of }

// Header is a decoded header.
type Header struct {
	Bitmaps  [2]uint32 // by level; of a parameter packet that collided, the first is the index to use from now on
	Job      uint8
	Sequence uint32 // 24 bits; 0 is never used
	Index    uint16 // of the aggregator
	FanIns   [2]uint8
	Flags    Flags
	Upper    Upper // of a header of more than two levels; zero: a base header
}

// Put writes h to the first bytes of b, as many as its Len: [HeaderLen] of a base header. Fan-ins are 1 to
// [MaxFanIn].
func (h *Header) Put(b []byte) {
	_ = b[HeaderLen-1]
	binary.BigEndian.PutUint32(b, h.Bitmaps[0])
	binary.BigEndian.PutUint32(b[4:], h.Bitmaps[1])
	binary.BigEndian.PutUint32(b[8:], uint32(h.Job)<<24|h.Sequence&(1<<SequenceBits-1))
	binary.BigEndian.PutUint16(b[12:], h.Index)
	fans := uint16(h.FanIns[0]-1)&(MaxFanIn-1)<<11 | uint16(h.FanIns[1]-1)&(MaxFanIn-1)<<6
	binary.BigEndian.PutUint16(b[14:], fans|uint16(h.Flags)&0x3f)
	if h.Upper.Levels > 0 {
		h.Upper.put(b[HeaderLen:])
	}
}

// read takes a header from the first bytes of b.
func (h *Header) read(b []byte) {
	h.Bitmaps = [2]uint32{binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])}
	h.Job, h.Sequence = b[8], binary.BigEndian.Uint32(b[8:])&(1<<SequenceBits-1)
	h.Index = binary.BigEndian.Uint16(b[12:])
	fans := binary.BigEndian.Uint16(b[14:])
	h.FanIns = [2]uint8{uint8(fans>>11) + 1, uint8(fans>>6)&(MaxFanIn-1) + 1}
	h.Flags = Flags(fans & 0x3f)
	h.Upper = Upper{}
}

// Problem says why a payload is no ATP packet; drops are counted under it.
type Problem string

// The problems that [Header.Read] finds.
const (
	OK          Problem = ""
	Short       Problem = "atp-short-header"
	Truncated   Problem = "atp-truncated"
	Oversized   Problem = "atp-oversized"
	NoWorker    Problem = "atp-empty-bitmap" // a gradient packet that is of nobody
	BadSequence Problem = "atp-sequence-zero"
)

// Read takes the base header of a UDP payload whose last bytes are unstored, and checks that 62 values
// follow and that a gradient packet has workers at both levels.
func (h *Header) Read(payload []byte, unstored int) Problem {
	if len(payload) < HeaderLen {
		*h = Header{}
		return Short
	}
	h.read(payload)
	return h.problem(len(payload) + unstored)
}

// problem says what is wrong with a header that was read, of a packet of n bytes.
func (h *Header) problem(n int) Problem {
	switch whole := DeepPayloadLen(int(h.Upper.Levels)); {
	case n < whole:
		return Truncated
	case n > whole:
		return Oversized
	case !h.Flags.Has(IsAck) && h.lacks():
		return NoWorker
	case h.Sequence == 0:
		return BadSequence
	}
	return OK
}
