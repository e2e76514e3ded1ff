package pipeline

import (
	"cmp"
	"strings"

	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// Sizes of the tables of queue pairs; assumed. 16 workers with a queue pair for each of
// 512 slots, or 512 each for the whole pool in messages of 16 packets.
const (
	queueBits = 13
	maxBegins = 2 * MaxQueuePairs // of each, for either set
	rdmaPeers = 1024              // two entries for a worker
	known     = 1 << 15           // set in every pool index and number of a queue pair inside the chip, so that 0 is none
	indexSet  = 1 << 1            // set in a pool index
	indexSlot = 2                 // lowest bit of the slot in it
)

// MaxQueuePairs is how many queue pairs a chip has registers for, those of all workers
// of all jobs.
const MaxQueuePairs = 1 << queueBits

// rdmaInternal are further fields of the internal header.
func rdmaInternal() []ir.Field {
	return []ir.Field{
		{Name: "pad2", Bits: 5}, {Name: "size", Bits: 3}, // packet size, coded as over UDP
		{Name: "rid", Bits: 16},   // of the sender in its group, for an answer to it alone
		{Name: "place", Bits: 16}, // of the packet in its message, twice, plus the set
	}
}

// rdmaHeaders are those of RoCEv2 behind UDP. The ICRC behind the values no pass looks at.
func rdmaHeaders() []ir.Header {
	return []ir.Header{
		{Name: "bth", Fields: []ir.Field{
			{Name: "opcode", Bits: 8}, {Name: "flags", Bits: 8}, {Name: "pkey", Bits: 16}, {Name: "reserved", Bits: 8},
			{Name: "rank", Bits: 8}, {Name: "queue", Bits: 16}, // number of the queue pair: see switchml.QPN
			{Name: "ack", Bits: 8}, {Name: "psn", Bits: 24},
		}},
		{Name: "reth", Fields: []ir.Field{{Name: "address", Bits: 64}, {Name: "key", Bits: 32}, {Name: "long", Bits: 16}, {Name: "length", Bits: 16}}},
		{Name: "imm", Fields: []ir.Field{{Name: "number", Bits: 16}, {Name: "e0", Bits: 8}, {Name: "e1", Bits: 8}}},
	}
}

// rdmaMetadata is what a pass of RoCE has besides. A pool index is four times the slot
// and twice the set, so that there is a number between any two, and has the bit of a known one.
func rdmaMetadata() []ir.Field {
	return []ir.Field{
		{Name: "clear", Bits: 8},   // always 0
		{Name: "seq", Bits: 32},    // PSN in the upper 24 bits, so that differences have a sign
		{Name: "pair", Bits: 16},   // number of the queue pair in registers: of the sender, then of the receiver; 0: none
		{Name: "first", Bits: 16},  // pool index of the queue pair's first slot, set 0
		{Name: "bound", Bits: 16},  // below that of its last slot, and above those before
		{Name: "index", Bits: 16},  // that the key of a message says; 0: it is of none
		{Name: "bytes", Bits: 16},  // that a message of the job has
		{Name: "ends", Bits: 1},    // the operation ends a message
		{Name: "rid", Bits: 16},    // of the receiver
		{Name: "place", Bits: 16},  // from md
		{Name: "number", Bits: 32}, // as the register of the receiver has PSNs, then that which goes out; 0: the packet is held back
	}
}

// rdmaProgram is the program for RoCE: its own ways in and out, and between them slots,
// values and passes of that for UDP.
func (b *builder) rdmaProgram() *ir.Program {
	b.p.Name, b.p.Metadata, b.p.Bridged = "switchml-rdma", append(b.p.Metadata, rdmaMetadata()...), []string{"meta.rid", "meta.place"}
	b.rdmaArrive()
	b.assembly()
	b.slot()
	b.values()
	b.wordRoute()
	b.p.Actions = append(b.p.Actions,
		b.leave("everybody", set("ig.mcast", ir.F("md.group")), set("ig.multicast", ir.C(1))),
		b.leave("sender", set("ig.egress_port", ir.F("md.port")), set("ig.unicast", ir.C(1)), set("meta.rid", ir.F("md.rid"))))
	b.p.Ingress = ir.Gress{Parser: b.rdmaParser(), Control: b.rdmaControl(), Deparse: b.deparse()}
	b.p.Egress = b.rdmaEgress()
	return &b.p
}

// rdmaLeave are the fields that a packet to a worker has from the switch.
func rdmaLeave() []ir.Op {
	return []ir.Op{
		set("udp.src", ir.C(uint64(roce.Port))), set("udp.dst", ir.C(uint64(roce.Port))), set("bth.flags", ir.C(0)), set("bth.reserved", ir.C(0)), set("bth.ack", ir.C(0)),
		set("meta.place", ir.F("md.place")),
	}
}

// shape is what the headers of an operation are.
type shape struct {
	op        roce.Opcode
	name      string
	reth, imm bool
}

// bytes is what its headers behind the base transport header take.
func (s shape) bytes() (n uint64) {
	if s.reth {
		n += roce.RETHLen
	}
	if s.imm {
		n += roce.ImmDtLen
	}
	return n
}

// shapes lists the operations.
func shapes() (out []shape) {
	for op := roce.WriteFirst; op <= roce.WriteOnlyImmediate; op++ {
		s := shape{op: op, reth: op.Begins(), imm: op.Immediate()}
		s.name = cmp.Or(strings.Join(s.extract(), "_"), "plain")
		out = append(out, s)
	}
	return out
}

func (s shape) extract() (out []string) {
	if s.reth {
		out = append(out, "reth")
	}
	if s.imm {
		out = append(out, "imm")
	}
	return out
}

const (
	padVersion = 0x3f // of bth.flags: pad count and version, both 0
	partition  = 0xffff
)

// rdmaParser takes the headers of RoCE by the operation, and 64 values of those that are
// still to be added, where all lengths are those of a whole packet of a size that there is.
func (b *builder) rdmaParser() []ir.State {
	udp := ir.State{Name: "udp", Extract: []string{"udp"}, Select: []string{"udp.dst"}, Cases: []ir.Case{{Values: []uint64{uint64(roce.Port)}, Next: "bth"}}, Next: ir.Accept}
	bth := ir.State{Name: "bth", Extract: []string{"bth"}, Select: []string{"bth.opcode", "bth.flags", "bth.pkey"}, Next: ir.Accept}
	back := ir.State{Name: "back", Extract: []string{"md", "eth", "ipv4", "udp", "bth"}, Select: []string{"bth.opcode"}, Next: ir.Reject}
	states, there := b.lowerParser(), map[string]bool{}
	for _, s := range shapes() {
		bth.Cases = append(bth.Cases, ir.Case{Values: []uint64{uint64(s.op), 0, partition}, Masks: []uint64{0xff, padVersion, 0xffff}, Next: s.name})
		back.Cases = append(back.Cases, ir.Case{Values: []uint64{uint64(s.op)}, Next: s.name + "_back"})
		if there[s.name] {
			continue
		}
		there[s.name] = true
		fresh := ir.State{Name: s.name, Extract: s.extract(), Select: []string{"udp.length", "ipv4.length"}, Next: ir.Accept}
		for _, size := range []wire.SizeEnum{size64, size256} {
			n := inet.UDPLen + roce.BTHLen + s.bytes() + uint64(4*size.Elements()) + roce.ICRCLen
			whole := numbered(s.name, size.Elements())
			fresh.Cases = append(fresh.Cases, ir.Case{Values: []uint64{n, n + inet.IPv4Len}, Next: whole})
			states = append(states, ir.State{Name: whole, Select: []string{"ig.bytes"}, Cases: []ir.Case{{Values: []uint64{n + inet.IPv4Len + inet.EtherLen}, Next: "values"}}, Next: ir.Accept})
		}
		again := ir.State{Name: s.name + "_back", Extract: s.extract(), Select: []string{"md.pass"}, Next: ir.Accept}
		for pass := range uint64(lastConsume + 1) {
			again.Cases = append(again.Cases, ir.Case{Values: []uint64{pass}, Next: "values"})
		}
		states = append(states, fresh, again)
	}
	return append(states, udp, bth, back, ir.State{Name: "values", Extract: []string{"d0", "d1"}, Next: ir.Accept})
}
