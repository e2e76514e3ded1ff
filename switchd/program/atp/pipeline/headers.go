package pipeline

import (
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// headers are those of a packet, behind the internal one that it has where it comes back with sums.
func headers() []ir.Header {
	values := []ir.Field{{Name: "v", Bits: 32, Count: passValues}}
	return []ir.Header{
		{Name: "md", Fields: []ir.Field{
			{Name: "op", Bits: 3}, {Name: "worker", Bits: 5}, // as meta.op and meta.worker
			{Name: "full", Bits: 8},                            // likewise
			{Name: "look", Bits: 1}, {Name: "rounds", Bits: 3}, // the packet is in both halves, and came back so often since
			{Name: "pad", Bits: 3}, {Name: "port", Bits: 9}, // that the packet came by
			{Name: "bit", Bits: 32}, // of the packet
			{Name: "set", Bits: 32}, // of the first half
		}},
		{Name: "eth", Fields: []ir.Field{{Name: "dst", Bits: 48}, {Name: "src", Bits: 48}, {Name: "type", Bits: 16}}},
		{Name: "ipv4", Fields: []ir.Field{
			{Name: "version_ihl", Bits: 8}, {Name: "dscp", Bits: 6}, {Name: "ecn", Bits: 2}, {Name: "length", Bits: 16}, {Name: "id", Bits: 16}, {Name: "fragment", Bits: 16},
			{Name: "ttl", Bits: 8}, {Name: "protocol", Bits: 8}, {Name: "checksum", Bits: 16}, {Name: "src", Bits: 32}, {Name: "dst", Bits: 32},
		}},
		{Name: "udp", Fields: []ir.Field{{Name: "src", Bits: 16}, {Name: "dst", Bits: 16}, {Name: "length", Bits: 16}, {Name: "checksum", Bits: 16}}},
		{Name: "atp", Fields: []ir.Field{
			{Name: "bitmap0", Bits: 32}, {Name: "bitmap1", Bits: 32}, {Name: "job", Bits: 8}, {Name: "seq", Bits: wire.SequenceBits}, {Name: "index", Bits: 16},
			{Name: "fan0", Bits: 5}, {Name: "fan1", Bits: 5}, // less one
			{Name: "resend", Bits: 1}, {Name: "collision", Bits: 1}, {Name: "ecn", Bits: 1}, {Name: "edge", Bits: 1}, {Name: "ack", Bits: 1}, {Name: "overflow", Bits: 1},
		}},
		{Name: "done", Fields: values}, // the first half in a second pass: no table looks at it
		{Name: "d", Fields: values},    // the half that the pass works on
	}
}

// metadata of one pass. What a second pass needs is in md, or is found once more.
func metadata() []ir.Field {
	return []ir.Field{
		{Name: "id", Bits: 32},     // of the fragment: job and sequence number
		{Name: "now", Bits: 32},    // in ticks
		{Name: "entry", Bits: 16},  // of registers: the half's
		{Name: "known", Bits: 1},   // the job is
		{Name: "marked", Bits: 1},  // in the IP header
		{Name: "op", Bits: 3},      // what the packet is for here
		{Name: "look", Bits: 1},    // it is in the half already, or the half is not to be reserved anew
		{Name: "worker", Bits: 5},  // number of its bit
		{Name: "bit", Bits: 32},    // in the bitmap of the level
		{Name: "fan", Bits: 5},     // fan-in of the level less one
		{Name: "says", Bits: 5},    // likewise, as the packet has it
		{Name: "full", Bits: 8},    // fan-in of the level
		{Name: "owner", Bits: 32},  // of the half, if it is the packet's or was freed; otherwise 0
		{Name: "did", Bits: 3},     // to the half
		{Name: "before", Bits: 32}, // its set as it was
		{Name: "set", Bits: 32},    // and with the packet's bit
		{Name: "mark", Bits: 1},    // it was marked
		{Name: "count", Bits: 8},   // of packets in it
		{Name: "way", Bits: 2},     // of values
		{Name: "complete", Bits: 1},
		{Name: "same", Bits: 1}, // both halves have the same set
		{Name: "outcome", Bits: 8},
	}
}
