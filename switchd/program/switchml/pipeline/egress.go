package pipeline

import "github.com/inalab/inalab/switchd/tofino/ir"

// egress is what a packet meets on its way out: the drop simulator, and in a copy of
// a multicast the addresses of the worker that it is for.
func (b *builder) egress() ir.Gress {
	b.lossy(tableDepartures, "eg.port", "leaving")
	b.keyless(dropOut("lost_out", dropDeparture))
	b.table(ir.Table{Name: tableReceivers, Keys: exact("eg.rid"), Actions: []string{"receiver"}, Default: "nobody", Size: maxReceivers},
		dropOut("nobody", dropGone),
		ir.Action{
			Name: "receiver", Params: []ir.Param{{Name: "mac", Bits: 48}, {Name: "addr", Bits: 32}, {Name: "udp", Bits: 16}},
			Do: []ir.Op{set("eth.dst", ir.P("mac")), set("ipv4.dst", ir.P("addr")), set("udp.src", ir.P("udp"))},
		})
	return ir.Gress{
		Parser: []ir.State{{Name: "start", Extract: []string{"eth", "ipv4", "udp"}, Next: ir.Accept}},
		Control: []ir.Step{
			apply(tableDepartures),
			{If: &ir.Cond{Left: "eg.copy", Op: ir.Equal, Right: ir.C(1)}, Then: []ir.Step{apply(tableReceivers)}},
			{If: &ir.Cond{Left: "meta.dice", Op: ir.Less, Right: ir.F("meta.limit")}, Then: []ir.Step{apply("lost_out")}},
		},
		Deparse:   []string{"eth", "ipv4", "udp"},
		Checksums: []string{"ipv4.checksum"},
	}
}
