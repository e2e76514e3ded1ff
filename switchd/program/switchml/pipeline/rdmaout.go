package pipeline

import "github.com/inalab/inalab/switchd/tofino/ir"

// rdmaEgress addresses a packet to its receiver and puts it into the sequence of its
// queue pair, or holds it back. The PSN in the packet is the receiver's from there on.
func (b *builder) rdmaEgress() ir.Gress {
	b.lossy(tableDepartures, "eg.port", "leaving")
	b.keyless(ir.Action{Name: "copy", Do: []ir.Op{set("meta.rid", ir.F("eg.rid"))}})
	b.table(ir.Table{Name: tableReceivers, Keys: exact("meta.rid"), Actions: []string{"receiver"}, Default: "nobody", Size: maxReceivers},
		dropOut("nobody", dropGone),
		ir.Action{
			Name: "receiver", Params: []ir.Param{{Name: "mac", Bits: 48}, {Name: "addr", Bits: 32}, {Name: "key", Bits: 32}, {Name: "pairs", Bits: 16}},
			Do: []ir.Op{
				set("eth.dst", ir.P("mac")), set("ipv4.dst", ir.P("addr")), set("reth.key", ir.P("key")),
				{Kind: ir.Add, Dst: "meta.pair", A: ir.F("bth.queue"), B: ir.P("pairs")},
			},
		})
	b.table(ir.Table{Name: tablePairs, Keys: exact("meta.pair"), Actions: []string{"pair"}, Size: MaxQueuePairs},
		ir.Action{Name: "pair", Params: []ir.Param{{Name: "rank", Bits: 8}, {Name: "queue", Bits: 16}}, Do: []ir.Op{set("bth.rank", ir.P("rank")), set("bth.queue", ir.P("queue"))}})
	for _, name := range []string{"begin", "go_on"} {
		b.keyless(execute(name,
			ir.Op{Register: "sequence", Run: name, Index: ir.F("meta.pair"), IndexBits: queueBits, Dst: "meta.number", In: []ir.Operand{ir.F("meta.place")}}))
	}
	b.keyless(dropOut("held_back", dropHeldBack))
	b.keyless(dropOut("lost_out", dropDeparture))
	b.keyless(ir.Action{Name: "numbered", Do: []ir.Op{{Kind: ir.Shr, Dst: "meta.number", A: ir.F("meta.number"), B: ir.C(1)}}})
	b.keyless(ir.Action{Name: "sent", Do: []ir.Op{set("bth.psn", ir.F("meta.number"))}})
	return ir.Gress{Parser: rdmaOut(), Control: rdmaLeaves(), Deparse: []string{"eth", "ipv4", "udp", "bth", "reth"}, Checksums: []string{"ipv4.checksum"}}
}

// rdmaOut is the parser of the egress.
func rdmaOut() []ir.State {
	start := ir.State{Name: "start", Extract: []string{"eth", "ipv4", "udp", "bth"}, Select: []string{"bth.opcode"}, Next: ir.Accept}
	for _, s := range shapes() {
		if s.reth {
			start.Cases = append(start.Cases, ir.Case{Values: []uint64{uint64(s.op)}, Next: "reth"})
		}
	}
	return []ir.State{start, {Name: "reth", Extract: []string{"reth"}, Next: ir.Accept}}
}

// rdmaLeaves are the steps of the egress.
func rdmaLeaves() []ir.Step {
	return []ir.Step{
		apply(tableDepartures),
		{If: &ir.Cond{Left: "eg.copy", Op: ir.Equal, Right: ir.C(1)}, Then: applied("copy")},
		apply(tableReceivers),
		{If: &ir.Cond{Left: "meta.pair", Op: ir.NotEqual}, Then: []ir.Step{
			apply(tablePairs), when(ir.Cond{Valid: "reth"}, apply("begin"), apply("go_on")),
			when(ir.Cond{Left: "meta.number", Op: ir.Equal}, apply("held_back"),
				when(ir.Cond{Left: "meta.dice", Op: ir.Less, Right: ir.F("meta.limit")}, apply("lost_out"),
					ir.Step{If: &ir.Cond{Valid: "bth"}, Then: applied("numbered", "sent")})),
		}},
	}
}
