package roce

import "encoding/binary"

// Port is the UDP destination port of RoCEv2 (IANA).
const Port uint16 = 4791

// Lengths in bytes.
const (
	BTHLen   = 12
	RETHLen  = 16
	ImmDtLen = 4
	ICRCLen  = 4
)

// MaxQueuePair is the largest number of a queue pair.
const MaxQueuePair = 1<<24 - 1

// partition is the default partition key, with full membership.
const partition = 0xffff

// Packet is a decoded UDP payload.
type Packet struct {
	Opcode    Opcode
	QueuePair uint32 // at the receiver, 24 bits
	PSN       PSN
	RETH      RETH   // where Opcode.Begins
	Immediate uint32 // where Opcode.Immediate
	Payload   []byte // of Read: what of it is there, in the memory of the UDP payload
	Unstored  int    // bytes of the payload that are counted and not stored
}

// RETH is where a message goes in the receiver's memory.
type RETH struct {
	Address uint64
	Key     uint32
	Length  uint32 // bytes of the whole message
}

// Headers returns the bytes before the payload.
func (p *Packet) Headers() int {
	n := BTHLen
	if p.Opcode.Begins() {
		n += RETHLen
	}
	if p.Opcode.Immediate() {
		n += ImmDtLen
	}
	return n
}

// Put writes the headers to b, which is a whole UDP payload, and returns the part
// of b between them and the ICRC, for the payload: whole words.
func (p *Packet) Put(b []byte) (payload []byte) {
	BTH(b).Put(p.Opcode, 0, p.QueuePair, false, p.PSN)
	at := BTHLen
	if p.Opcode.Begins() {
		binary.BigEndian.PutUint64(b[at:], p.RETH.Address)
		binary.BigEndian.PutUint32(b[at+8:], p.RETH.Key)
		binary.BigEndian.PutUint32(b[at+12:], p.RETH.Length)
		at += RETHLen
	}
	if p.Opcode.Immediate() {
		binary.BigEndian.PutUint32(b[at:], p.Immediate)
		at += ImmDtLen
	}
	return b[at : len(b)-ICRCLen]
}

// Problem says why a UDP payload is no packet of the kind; drops are counted
// under it.
type Problem string

// The problems that [Packet.Read] finds.
const (
	OK           Problem = ""
	Short        Problem = "roce-short"
	BadVersion   Problem = "roce-bad-version"
	BadOpcode    Problem = "roce-bad-opcode" // no write on an unreliable connection
	BadPartition Problem = "roce-bad-partition"
	BadPadding   Problem = "roce-bad-padding"
)

// Read decodes a UDP payload of which the last bytes before the ICRC are unstored.
// It does not look at the ICRC: see [Check].
func (p *Packet) Read(b []byte, unstored int) Problem {
	*p = Packet{Unstored: unstored}
	if len(b) < BTHLen+ICRCLen {
		return Short
	}
	h := BTH(b)
	p.Opcode = h.Opcode()
	fill := h.Pad()
	switch {
	case h.Version() != 0:
		return BadVersion
	case !p.Opcode.known():
		return BadOpcode
	case !h.defaultPartition():
		return BadPartition
	}
	at := p.Headers()
	switch rest := len(b) - ICRCLen - at; {
	case rest < 0:
		return Short
	case (rest+unstored)%4 != 0 || fill > rest:
		return BadPadding
	}
	p.QueuePair, p.PSN = h.QueuePair(), h.PSN()
	if p.Opcode.Begins() {
		p.RETH = RETH{binary.BigEndian.Uint64(b[BTHLen:]), binary.BigEndian.Uint32(b[BTHLen+8:]), binary.BigEndian.Uint32(b[BTHLen+12:])}
	}
	if p.Opcode.Immediate() {
		p.Immediate = binary.BigEndian.Uint32(b[at-ImmDtLen:])
	}
	p.Payload = b[at : len(b)-ICRCLen-fill]
	return OK
}

// Len returns the length of the payload, unstored bytes included.
func (p *Packet) Len() int { return len(p.Payload) + p.Unstored }
