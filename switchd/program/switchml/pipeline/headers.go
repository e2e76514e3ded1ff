package pipeline

import (
	"slices"

	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// lanes is how many values one header of a packet holds: as many as there are
// registers, of which each puts out one word in a pass.
const lanes = 32

// Bits of fields that are compared or cut.
const (
	slotBits  = 13                // of a slot of the pool: 8192
	entryBits = 14                // of a slot and its set
	groupBits = 12                // of a multicast group: spareNumbers * maxJobs
	diceBits  = switchml.DiceBits // of the drop simulator
	setBit    = 1 << 15
	unusedBit = 1 << 14
)

// headers are those of a packet of the public client, behind the internal one that
// packets have between two passes.
func (b *builder) headers() []ir.Header {
	headers := []ir.Header{
		{Name: "md", Fields: []ir.Field{
			{Name: "pass", Bits: 8},    // this one
			{Name: "verdict", Bits: 8}, // what becomes of the packet in the end
			{Name: "from", Bits: 5},    // number of the worker that sent it, for traces
			{Name: "op", Bits: 3},      // what becomes of the values
			{Name: "newer0", Bits: 1},  // set 0 of its slot is in a later phase, as the first pass found
			{Name: "newer1", Bits: 1},  // likewise set 1
			{Name: "unused", Bits: 6},
			{Name: "pad0", Bits: 7}, {Name: "port", Bits: 9}, // it leaves by, if it goes to one receiver
			{Name: "pad1", Bits: 7}, {Name: "spread", Bits: 9}, // port within a pipe
			{Name: "group", Bits: 16}, // multicast group of its job
			{Name: "entry", Bits: 16}, // of the registers: the low 14 bits are set and slot
			{Name: "bit", Bits: 32},   // of the worker in bitmaps
		}},
		{Name: "eth", Fields: []ir.Field{{Name: "dst", Bits: 48}, {Name: "src", Bits: 48}, {Name: "type", Bits: 16}}},
		{Name: "ipv4", Fields: []ir.Field{
			{Name: "version_ihl", Bits: 8}, {Name: "tos", Bits: 8}, {Name: "length", Bits: 16}, {Name: "id", Bits: 16}, {Name: "fragment", Bits: 16},
			{Name: "ttl", Bits: 8}, {Name: "protocol", Bits: 8}, {Name: "checksum", Bits: 16}, {Name: "src", Bits: 32}, {Name: "dst", Bits: 32},
		}},
		{Name: "udp", Fields: []ir.Field{{Name: "src", Bits: 16}, {Name: "dst", Bits: 16}, {Name: "length", Bits: 16}, {Name: "checksum", Bits: 16}}},
	}
	if b.rdma {
		headers[0].Fields = append(headers[0].Fields, rdmaInternal()...)
	}
	return slices.Concat(headers, b.transport(), b.valueHeaders())
}

// transport is what stands between UDP and values.
func (b *builder) transport() []ir.Header {
	if b.rdma {
		return rdmaHeaders()
	}
	return []ir.Header{{Name: "sml", Fields: []ir.Field{
		{Name: "type", Bits: 4}, {Name: "unused", Bits: 1}, {Name: "size", Bits: 3}, {Name: "job", Bits: 8},
		{Name: "id0", Bits: 8}, {Name: "id1", Bits: 8}, {Name: "id2", Bits: 8}, {Name: "id3", Bits: 8}, // the packet id, lowest byte first
		{Name: "where", Bits: 16}, // set, an unused bit, slot of 14 bits
		{Name: "e0", Bits: 8}, {Name: "e1", Bits: 8},
	}}}
}

// size is the field that holds the packet size.
func (b *builder) size() string {
	if b.rdma {
		return "md.size"
	}
	return "sml.size"
}

// set is the field that has the set in one bit, and that bit.
func (b *builder) set() (field string, bit uint64) {
	if b.rdma {
		return "meta.where", indexSet
	}
	return "sml.where", setBit
}

// valueHeaders are the values that a pass looks at.
func (b *builder) valueHeaders() []ir.Header {
	if b.half {
		return halfHeaders()
	}
	return []ir.Header{
		{Name: "d0", Fields: []ir.Field{{Name: "v", Bits: 32, Count: lanes}}}, // for the lower lanes of the registers
		{Name: "d1", Fields: []ir.Field{{Name: "v", Bits: 32, Count: lanes}}}, // for the upper lanes
	}
}

// metadata of one pass. What is needed in several is in md, from the first one on.
func metadata() []ir.Field {
	return []ir.Field{
		{Name: "role", Bits: 2},         // of the sender
		{Name: "worker", Bits: 5},       // its number in bitmaps
		{Name: "bit", Bits: 32},         // of the worker in bitmaps
		{Name: "fill", Bits: 8},         // workers less one: what the counter starts from
		{Name: "where", Bits: 16},       // sml.where with the base of the job's pool added: its low 13 bits are the slot
		{Name: "slot", Bits: 14},        // as the packet counts it
		{Name: "slots", Bits: 14},       // of the job's pool
		{Name: "size", Bits: 3},         // packet size of the job
		{Name: "part", Bits: 1},         // the job has a parent
		{Name: "fault", Bits: 8},        // what is wrong with type or size
		{Name: "length", Bits: 16},      // that UDP should have
		{Name: "frame", Bits: 16},       // that the frame should have
		{Name: "room", Bits: 16},        // that it has for IP
		{Name: "inside", Bits: 16},      // that IP has for UDP
		{Name: "go", Bits: 1},           // its values are wanted
		{Name: "op", Bits: 3},           // what becomes of them; zero: to be decided
		{Name: "tag", Bits: 32},         // what tells phases of a slot apart
		{Name: "quarters", Bits: 32},    // of all job bytes that the job has come through
		{Name: "newer0", Bits: 1},       // set 0 is in a later phase
		{Name: "newer1", Bits: 1},       // set 1 is
		{Name: "late", Bits: 1},         // the other set is
		{Name: "before", Bits: 32},      // bitmap of the set before this packet
		{Name: "dup", Bits: 1},          // the worker's bit was in it
		{Name: "left", Bits: 8},         // workers that lack after this packet
		{Name: "judged", Bits: 1},       // it has its verdict by this pass
		{Name: "reason", Bits: 8},       // of a drop
		{Name: "limit", Bits: diceBits}, // of the drop simulator
		{Name: "dice", Bits: diceBits},  // less than that: the packet is lost
		{Name: "verdict", Bits: 8},      // of a packet that leaves the switch, from md
		{Name: "from", Bits: 5},         // likewise
		{Name: "group", Bits: 16},       // likewise
	}
}
