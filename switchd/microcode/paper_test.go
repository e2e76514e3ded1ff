package microcode

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// The filter of trio §3.2: filterListing is as printed, and the other parts are
// what the paper leaves out.
const (
	filterElided = `
struct ipv4_t { ver : 4; ihl : 4; tos : 8; len : 16; id : 16; frag : 16; ttl : 8; proto : 8; sum : 16; src : 32; dst : 32; };
counter DROP_CNT_BASE[2];
register packet_work_t r_work @ WORK_REGISTER;
register u32 ir0;
register u32 ir1;
packet entry process_ether;
`
	filterHeader = `
struct ether_t {
    dmac : 48;
    smac : 48;
    etype : 16;
};
register ether_t *ether_ptr = HEAD_START;
`
	filterListing = `
process_ether:
begin
    ir0 = 0;
    if (ether_ptr->etype == 0x0800) {
        goto process_ip;
    }
    goto count_dropped;
end

process_ip:
begin
    const ipv4_t *ipv4_addr = ether_ptr +
    sizeof(ether_t);
    ir0 = 1;
    if (ipv4_addr->ver == 4 && ipv4_addr->ihl == 5) {
        goto forward_packet;
    }
    goto count_dropped;
end

count_dropped:
begin
    const : addr = DROP_CNT_BASE + ir0 * 2;
    CounterIncPhys(addr, r_work.pkt_len);
    goto drop_packet;
end

forward_packet:
// code to forward the packet
// based on the destination address
`
	filterForward = "begin Forward(0); exit; end\n"
	filterDrop    = `
drop_packet:
// code to drop the packet
begin Drop(1); exit; end
`
	filter = filterElided + filterHeader + filterListing + filterForward + filterDrop
)

// TestPaperFilter compiles the listing of trio §3.2 to the instructions that
// its text describes.
func TestPaperFilter(t *testing.T) {
	p, err := Compile("filter.mc", filter)
	if err != nil {
		t.Fatal(err)
	}
	ir0, pointer := isa.LowReg(1), isa.LowReg(3)
	is := func(bit int32, width uint8, n uint64) isa.Expr {
		return isa.Binary{Op: isa.Equal, X: isa.LMEM{Base: pointer, Bit: bit, Width: width}, Y: isa.Const(n)}
	}
	const processIP, countDropped, forwardPacket, dropPacket = 1, 2, 3, 4
	want := []isa.Instruction{
		{
			Labels: []string{"process_ether"},
			Next:   []isa.Branch{{When: is(12*8, 16, 0x0800), Jump: isa.Goto, Target: processIP}, {Jump: isa.Goto, Target: countDropped}},
			Moves:  []isa.Move{{To: ir0, From: isa.Const(0)}},
		},
		{
			Labels: []string{"process_ip"},
			Next: []isa.Branch{
				{When: isa.Binary{Op: isa.LogicalAnd, X: is(14*8, 4, 4), Y: is(14*8+4, 4, 5)}, Jump: isa.Goto, Target: forwardPacket},
				{Jump: isa.Goto, Target: countDropped},
			},
			Moves: []isa.Move{{To: ir0, From: isa.Const(1)}},
		},
		{
			Labels: []string{"count_dropped"},
			Issues: []isa.Issue{{XTXN: isa.CounterIncPhys, Args: []isa.Expr{
				isa.Binary{Op: isa.Add, X: isa.Const(2), Y: isa.Binary{Op: isa.ShiftLeft, X: ir0, Y: isa.Const(1)}},
				isa.Reg{Num: isa.WorkRegister, Bit: 0, Width: 16},
			}}},
			Next: []isa.Branch{{Jump: isa.Goto, Target: dropPacket}},
		},
		{
			Labels: []string{"forward_packet"},
			Issues: []isa.Issue{{XTXN: isa.Forward, Args: []isa.Expr{isa.Const(0)}}},
			Next:   []isa.Branch{{Jump: isa.Exit}},
		},
		{
			Labels: []string{"drop_packet"},
			Issues: []isa.Issue{{XTXN: isa.Drop, Args: []isa.Expr{isa.Const(1)}}},
			Next:   []isa.Branch{{Jump: isa.Exit}},
		},
	}
	if diff := cmp.Diff(want, p.Instructions, cmpopts.IgnoreTypes(isa.Pos{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := p.Image.Registers[3]; got != isa.HeadStart {
		t.Errorf("ether_ptr starts as %d, want the start of the head, %d", got, isa.HeadStart)
	}
	s, ok := p.Symbol("DROP_CNT_BASE")
	if !ok || s.Kind != isa.SymbolCounter || s.Value != 2 || s.Size != 32 || s.Len != 2 || !s.Export {
		t.Errorf("the counters are %+v", s)
	}
}

// TestPaperFilterWithOneOperandTooMany refuses the listing when one of its
// instructions reads once more than it can (trio §3.1).
func TestPaperFilterWithOneOperandTooMany(t *testing.T) {
	for _, c := range []struct{ old, with, want string }{
		{
			"&& ipv4_addr->ihl == 5", "&& ipv4_addr->ihl == 5 && ipv4_addr->frag == 0",
			"instruction process_ip needs 3 LMEM reads, there are 2: ipv4_addr->ver, ipv4_addr->ihl, ipv4_addr->frag " +
				"(rule: an instruction reads at most 2 LMEM operands; trio §3.1)",
		},
		{
			"r_work.pkt_len", "r_work.pkt_len + ir1 + ether_ptr->etype",
			"instruction count_dropped needs 5 register reads, there are 4: ir0, r_work.pkt_len, ir1, ether_ptr->etype " +
				"(rule: an instruction reads at most 4 registers; each LMEM operand takes the place of 2; trio §3.1",
		},
	} {
		_, err := Compile("filter.mc", strings.Replace(filter, c.old, c.with, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("with %s:\n got %v\nwant %s", c.with, err, c.want)
			continue
		}
		line := 1 + strings.Count(filter[:strings.Index(filter, c.old)], "\n")
		if e := all(t, err)[0]; e.Pos.Line != line {
			t.Errorf("with %s: %v is not on line %d, where the operand is", c.with, e.Pos, line)
		}
	}
}
