package pipeline

import "github.com/inalab/inalab/switchd/tofino/ir"

// egress marks packets that found a long queue (§3.3): in the header of ATP, as the public program
// does.
func (b *builder) egress() ir.Gress {
	if b.mark == 0 {
		return ir.Gress{}
	}
	b.always("congested", set("atp.ecn", ir.C(1)), set("udp.checksum", ir.C(0)))
	headers := []string{"eth", "ipv4", "udp", "atp"}
	congested := valid("atp")
	congested.And = compare("eg.enq_depth", ir.Greater, ir.C(uint64(b.mark-1)))
	return ir.Gress{
		Parser: []ir.State{
			{Name: "start", Extract: []string{"eth"}, Select: []string{"eth.type"}, Cases: []ir.Case{{Values: []uint64{etherIPv4}, Next: "ipv4"}}, Next: ir.Accept},
			{Name: "ipv4", Extract: []string{"ipv4"}, Select: []string{"ipv4.version_ihl", "ipv4.protocol", "ipv4.fragment"}, Cases: []ir.Case{
				{Values: []uint64{plainIPv4, protoUDP, 0}, Masks: []uint64{0xff, 0xff, fragments}, Next: "udp"},
			}, Next: ir.Accept},
			{Name: "udp", Extract: []string{"udp"}, Select: []string{"udp.length"}, Cases: []ir.Case{{Values: []uint64{udpLength}, Next: "atp"}}, Next: ir.Accept},
			{Name: "atp", Extract: []string{"atp"}, Next: ir.Accept},
		},
		Control: when(congested, apply("congested"), nil),
		Deparse: headers,
	}
}
