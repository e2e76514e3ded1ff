package xaggctl

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/inalab/inalab/internal/units"
)

// Port is the UDP destination port of control messages.
const Port uint16 = 25300

// Version is that of this format.
const Version uint8 = 1

// Lengths, in bytes, and limits.
const (
	HeaderLen  = 16
	RequestLen = HeaderLen + 16
	NoticeLen  = HeaderLen + 12
	MaxLost    = 256 // indexes in a loss report
	MaxLen     = HeaderLen + 4*MaxLost
)

// Kind says what a message is.
type Kind uint8

// The kinds.
const (
	Request Kind = iota + 1
	Notice
	Lost
	Done
	Complete
	Tree
	TreeAck
	Report
	Round
	kinds
)

// MaxPhase is the greatest phase of a child (package rates).
const MaxPhase uint8 = 2

// Message is a decoded message. Fields that its kind has not are zero.
type Message struct {
	Kind      Kind
	Job       uint16
	Iteration uint16
	Tree      uint16 // of Tree and TreeAck the whole tree's version, else the edge's
	Host      uint32 // of the sender, one-hot
	Number    uint32
	Heard     uint32     // of Request and Notice: newest number of the other side
	Phase     uint8      // of Request
	Rate      units.Rate // of Request and Notice: bit/s of whole frames, where 0 is none
	Lost      []uint32   // of Lost: 1-based indexes
	Place     Place      // of Tree
	Load      Load       // of Report
	Times     Times      // of Round
}

// Problem says why a payload is no message; drops are counted under it.
type Problem string

// The problems that [Message.Read] finds.
const (
	OK         Problem = ""
	Short      Problem = "xaggctl-short"
	BadVersion Problem = "xaggctl-version"
	BadKind    Problem = "xaggctl-kind"
	BadLength  Problem = "xaggctl-length"
	BadHost    Problem = "xaggctl-host-id" // not one bit
	BadPhase   Problem = "xaggctl-phase"
	BadRate    Problem = "xaggctl-rate" // of more than 63 bits
	BadIndex   Problem = "xaggctl-index-zero"
	BadParent  Problem = "xaggctl-parent" // not one bit, or an address that is not one host's
	BadFlags   Problem = "xaggctl-flags"
	BadChild   Problem = "xaggctl-child" // not one bit, itself below, or a host that is elsewhere in the place
	BadLoad    Problem = "xaggctl-load"  // beyond [MaxMemory], [MaxBandwidth] or 31 bits of cores
	BadTime    Problem = "xaggctl-time"  // beyond [MaxTime]
)

// Append adds the bytes of m to b. Lost must have 1 to [MaxLost] indexes where the kind is Lost, and
// a place at most [MaxChildren] children; more are left out.
func (m *Message) Append(b []byte) []byte {
	be := binary.BigEndian
	b = append(b, Version, uint8(m.Kind))
	b = be.AppendUint16(b, m.Job)
	b = be.AppendUint16(b, m.Iteration)
	b = be.AppendUint16(b, m.Tree)
	b = be.AppendUint32(b, m.Host)
	b = be.AppendUint32(b, m.Number)
	switch m.Kind {
	case Request:
		b = be.AppendUint32(b, m.Heard)
		b = append(b, m.Phase, 0, 0, 0)
		b = be.AppendUint64(b, uint64(m.Rate))
	case Notice:
		b = be.AppendUint32(b, m.Heard)
		b = be.AppendUint64(b, uint64(m.Rate))
	case Lost:
		for _, i := range m.Lost[:min(len(m.Lost), MaxLost)] {
			b = be.AppendUint32(b, i)
		}
	case Tree:
		b = m.Place.append(b)
	case Report:
		b = m.Load.append(b)
	case Round:
		b = m.Times.append(b)
	}
	return b
}

// Read takes a message from the payload of a UDP packet. m.Lost and m.Place.Children reuse
// their memory.
func (m *Message) Read(payload []byte) Problem {
	*m = Message{Lost: m.Lost[:0], Place: Place{Children: m.Place.Children[:0]}}
	if len(payload) < HeaderLen {
		return Short
	}
	be := binary.BigEndian
	m.Kind, m.Job, m.Iteration, m.Tree = Kind(payload[1]), be.Uint16(payload[2:]), be.Uint16(payload[4:]), be.Uint16(payload[6:])
	m.Host, m.Number = be.Uint32(payload[8:]), be.Uint32(payload[12:])
	switch {
	case payload[0] != Version:
		return BadVersion
	case m.Kind < Request || m.Kind >= kinds:
		return BadKind
	case bits.OnesCount32(m.Host) != 1:
		return BadHost
	}
	return m.body(payload[HeaderLen:])
}

// body reads what follows the header.
func (m *Message) body(b []byte) Problem {
	be := binary.BigEndian
	switch m.Kind {
	case Request:
		if len(b) != RequestLen-HeaderLen {
			return BadLength
		}
		m.Heard, m.Phase = be.Uint32(b), b[4]
		if m.Phase > MaxPhase {
			return BadPhase
		}
		return m.rate(be.Uint64(b[8:]))
	case Notice:
		if len(b) != NoticeLen-HeaderLen {
			return BadLength
		}
		m.Heard = be.Uint32(b)
		return m.rate(be.Uint64(b[4:]))
	case Lost:
		return m.indexes(b)
	case Tree:
		return m.Place.read(b)
	case Report:
		return m.Load.read(b)
	case Round:
		return m.Times.read(b)
	}
	if len(b) != 0 {
		return BadLength
	}
	return OK
}

func (m *Message) rate(r uint64) Problem {
	if r > math.MaxInt64 {
		return BadRate
	}
	m.Rate = units.Rate(r)
	return OK
}

func (m *Message) indexes(b []byte) Problem {
	if len(b) == 0 || len(b)%4 != 0 || len(b) > 4*MaxLost {
		return BadLength
	}
	for ; len(b) > 0; b = b[4:] {
		i := binary.BigEndian.Uint32(b)
		if i == 0 {
			return BadIndex
		}
		m.Lost = append(m.Lost, i)
	}
	return OK
}
