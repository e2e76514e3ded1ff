// Package trace holds the typed events that machines emit about themselves:
// the life of a block at a switch, the life of a gradient at a worker.
//
// A machine holds a [Sink] that may be nil; with none, nothing is built or
// formatted. Events say what happened, never what should happen.
package trace

import (
	"math/bits"

	"github.com/inalab/inalab/internal/units"
)

// Kind names what happened.
type Kind string

// Events of a switch program and of a host core.
const (
	BlockOpened  Kind = "block-opened" // a block record or slot began with this packet
	Contribution Kind = "contribution" // a packet was added to a block
	BlockSent    Kind = "block-sent"   // a result left: Mask holds its contributors
	BlockAged    Kind = "block-aged"   // a timer thread, that of Note, gave up on missing sources; a BlockSent follows
	Scanned      Kind = "timer-scan"   // a timer thread, that of Note, found the block referenced, and cleared its flag
	Dropped      Kind = "dropped"      // a packet was dropped; Note is the reason
	Sent         Kind = "sent"         // a host sent the packet of a block, for the first time
	NotSent      Kind = "not-sent"     // a host kept the packet of a block back, since its result is here
	Retransmit   Kind = "retransmit"   // a host sent a packet again
	ResultIn     Kind = "result"       // a host took a result
	DelayBegan   Kind = "delay-began"  // a straggler fell asleep
	DelayEnded   Kind = "delay-ended"  // a straggler woke up
	Reduced      Kind = "reduced"      // a host holds all results of a generation
	Skipped      Kind = "skipped"      // a host gave up on contributing to a generation
	Joined       Kind = "joined"       // a host was given the model of a generation, and takes part from it on
)

// Further events of a switch program whose aggregators are for the job that comes first (ATP).
const (
	Collided Kind = "collided"  // a packet went on unaggregated: the aggregator that it names is that of the job and number in Note
	PassedOn Kind = "passed-on" // a packet that was sent again went on, and reserved no aggregator
	Freed    Kind = "freed"     // an aggregator was freed; Note says by what, Mask who was in it
)

// Events of a server that adds what switches did not (ATP).
const (
	Stored   Kind = "stored"   // a packet was added: Count workers are in it, Source the first, and Mask holds all so far; Note: how it came, if not as the first of its sender
	Answered Kind = "answered" // parameters went to all workers; Note: which, if not the first for the block
)

// Mask is a set of sources, bit s%64 of word s/64 for source s (trio.txt Fig 17, 18).
type Mask [4]uint64

// Set adds source s, 0..255.
func (m *Mask) Set(s uint8) { m[s>>6] |= 1 << (s & 63) }

// Clear removes source s.
func (m *Mask) Clear(s uint8) { m[s>>6] &^= 1 << (s & 63) }

// Len returns the number of sources in the set.
func (m Mask) Len() int {
	return bits.OnesCount64(m[0]) + bits.OnesCount64(m[1]) + bits.OnesCount64(m[2]) + bits.OnesCount64(m[3])
}

// Has reports whether source s is in the set.
func (m Mask) Has(s uint8) bool { return m[s>>6]&(1<<(s&63)) != 0 }

// Or returns the union of both sets.
func (m Mask) Or(o Mask) Mask {
	return Mask{m[0] | o[0], m[1] | o[1], m[2] | o[2], m[3] | o[3]}
}

// Without returns the sources of m that are not in o.
func (m Mask) Without(o Mask) Mask {
	return Mask{m[0] &^ o[0], m[1] &^ o[1], m[2] &^ o[2], m[3] &^ o[3]}
}

// Bitmap writes which of the members are in the set, as a number is written: the lowest
// is the last digit of "0b011".
func (m Mask) Bitmap(members Mask) string {
	b := make([]byte, 0, 2+members.Len())
	b = append(b, "0b"...)
	for s := 255; s >= 0; s-- {
		switch {
		case !members.Has(uint8(s)):
		case m.Has(uint8(s)):
			b = append(b, '1')
		default:
			b = append(b, '0')
		}
	}
	return string(b)
}

// Event is one thing that happened. Fields that say nothing about a kind are zero.
type Event struct {
	At       units.Time `json:"at_ps"`
	Kind     Kind       `json:"kind"`
	Node     string     `json:"node"` // node and, in a chassis, PFE: "mx480/pfe1"
	Job      uint8      `json:"job"`
	Gen      uint32     `json:"gen"`             // generation (iteration), as wide as the protocol carries it
	Block    uint32     `json:"block"`           // block or slot
	Source   uint8      `json:"source"`          // the source of the packet
	Mask     Mask       `json:"mask"`            // sources in the block after the event
	Count    int        `json:"count"`           // workers behind the result (src_cnt)
	Index    uint16     `json:"index,omitempty"` // the aggregator that the packet names (ATP)
	Degraded bool       `json:"degraded,omitempty"`
	Note     string     `json:"note,omitempty"`
}

// Sink takes events; it must not keep the pointer.
type Sink interface{ Event(e *Event) }

// Wait is a packet of a host that has no result, as the host tells when it is
// asked. Gen and Block are those of its events.
type Wait struct {
	Gen   uint32 `json:"gen"`
	Block uint32 `json:"block"`
	Sent  bool   `json:"sent"` // its own packet has left
}
