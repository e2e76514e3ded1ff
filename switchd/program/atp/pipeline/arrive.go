package pipeline

import (
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// What the parser asks of a packet.
const (
	etherIPv4 = 0x0800
	plainIPv4 = 0x45 // without options
	protoUDP  = 17
	fragments = 0x3fff // offset and more-fragments of the fragment field
	udpLength = inet.UDPLen + wire.PayloadLen
)

// Codepoints of explicit congestion notification (RFC 3168 §5).
const (
	codepointECT = 2
	codepointCE  = 3
)

// Tables that the control plane fills.
const (
	tableJobs       = "job"
	tableParameters = "parameter"
)

// tableLevels are those of sources, by level.
var tableLevels = [2]string{"first_edge", "second_edge"}

// parser takes the headers, and the values that the pass adds: the first half of those that come
// fresh, the second of those that come again. What it finds malformed has none.
func parser() []ir.State {
	to := func(next string, values ...uint64) ir.Case { return ir.Case{Values: values, Next: next} }
	return []ir.State{
		{Name: "start", Select: []string{"ig.port"}, Cases: []ir.Case{to("back", recirculation)}, Next: "ethernet"},
		{Name: "back", Extract: []string{"md", "eth", "ipv4", "udp", "atp", "done", "d"}, Next: ir.Accept},
		{Name: "ethernet", Extract: []string{"eth"}, Select: []string{"eth.type"}, Cases: []ir.Case{to("ipv4", etherIPv4)}, Next: ir.Accept},
		{Name: "ipv4", Extract: []string{"ipv4"}, Select: []string{"ipv4.version_ihl", "ipv4.protocol", "ipv4.fragment"}, Cases: []ir.Case{
			{Values: []uint64{plainIPv4, protoUDP, 0}, Masks: []uint64{0xff, 0xff, fragments}, Next: "udp"},
		}, Next: ir.Accept},
		{Name: "udp", Extract: []string{"udp"}, Select: []string{"udp.dst", "udp.length"}, Cases: []ir.Case{to("whole", uint64(wire.Port), udpLength)}, Next: ir.Accept},
		{Name: "whole", Select: []string{"ig.bytes"}, Cases: []ir.Case{to("atp", udpLength+inet.IPv4Len+inet.EtherLen)}, Next: ir.Accept},
		{Name: "atp", Extract: []string{"atp"}, Select: []string{"atp.ack", "atp.edge"}, Cases: []ir.Case{to("sequence", 1, 0), to(ir.Accept, 1, 1)}, Next: "bitmap0"},
		{Name: "bitmap0", Select: []string{"atp.bitmap0"}, Cases: []ir.Case{to(ir.Accept, 0)}, Next: "bitmap1"},
		{Name: "bitmap1", Select: []string{"atp.bitmap1"}, Cases: []ir.Case{to(ir.Accept, 0)}, Next: "sequence"},
		{Name: "sequence", Select: []string{"atp.seq"}, Cases: []ir.Case{to(ir.Accept, 0)}, Next: "pass"},
		{Name: "pass", Select: []string{"ig.resubmitted"}, Cases: []ir.Case{to("first", 0)}, Next: "second"},
		{Name: "first", Extract: []string{"d"}, Next: ir.Accept},
		{Name: "second", Extract: []string{"done", "d"}, Next: ir.Accept},
	}
}

// arrive are the tables of stage 1, which tell what the packet is for, and that of marks.
func (b *builder) arrive() {
	b.always("start", ir.Op{Kind: ir.Concat, Dst: "meta.id", In: []ir.Operand{ir.F("atp.job"), ir.F("atp.seq")}}, set("meta.now", ir.F("ig.time[47:16]")))
	upper := ir.Op{Kind: ir.Add, Dst: "meta.entry", A: ir.F("atp.index"), B: ir.C(uint64(b.halves() / 2))}
	b.halfTable(upper)
	b.table(ir.Table{Name: tableJobs, Keys: matching(ir.Exact, "atp.job"), Actions: []string{"know"}, Size: maxJobs},
		ir.Action{Name: "know", Do: []ir.Op{set("meta.known", ir.C(1))}})
	b.levels()
	b.table(ir.Table{Name: tableParameters, Keys: matching(ir.Exact, "ig.port", "atp.job", "atp.overflow", "atp.resend", "ipv4.src"), Actions: []string{"free", "request"}, Size: maxWays},
		ir.Action{Name: "free", Do: []ir.Op{set("meta.op", ir.C(opFree))}}, ir.Action{Name: "request", Do: []ir.Op{set("meta.op", ir.C(opRequest))}})
	b.always("resume", upper,
		ir.Op{Kind: ir.Concat, Dst: "meta.id", In: []ir.Operand{ir.F("atp.job"), ir.F("atp.seq")}}, set("meta.now", ir.F("ig.time[47:16]")),
		set("meta.op", ir.F("md.op")), set("meta.look", ir.F("md.look")), set("meta.worker", ir.F("md.worker")), set("meta.full", ir.F("md.full")), set("meta.bit", ir.F("md.bit")))
	b.unmark()
}

// unmark moves a mark from the IP header to that of ATP. The sum of the IP header grows by one
// (RFC 1624), and where it would be all ones is 0.
func (b *builder) unmark() {
	moves := []ir.Op{set("meta.marked", ir.C(1)), set("atp.ecn", ir.C(1)), set("ipv4.ecn", ir.C(codepointECT)), set("udp.checksum", ir.C(0))}
	b.table(ir.Table{Name: "unmark", Keys: matching(ir.Exact, "ipv4.checksum"), Actions: []string{"unmark_wrap"}, Default: "unmark", Const: true,
		Entries: []ir.Entry{{Values: []uint64{0xfffe}, Action: "unmark_wrap"}}},
		ir.Action{Name: "unmark", Do: append([]ir.Op{{Kind: ir.Add, Dst: "ipv4.checksum", A: ir.F("ipv4.checksum"), B: ir.C(1)}}, moves...)},
		ir.Action{Name: "unmark_wrap", Do: append([]ir.Op{set("ipv4.checksum", ir.C(0))}, moves...)})
}

// halfTable says which half of the aggregator a pass works on: the first, and then the second. A
// parameter packet frees them the other way round, so that who reserves the first anew does
// not find the second taken.
func (b *builder) halfTable(upper ir.Op) {
	entry := func(resubmitted, ack uint64, action string) ir.Entry {
		return ir.Entry{Values: []uint64{resubmitted, ack}, Action: action}
	}
	b.table(ir.Table{Name: "half", Keys: matching(ir.Exact, "ig.resubmitted", "atp.ack"), Actions: []string{"lower", "upper"}, Const: true, Entries: []ir.Entry{
		entry(0, 0, "lower"), entry(1, 0, "upper"), entry(0, 1, "upper"), entry(1, 1, "lower"),
	}}, ir.Action{Name: "lower", Do: []ir.Op{set("meta.entry", ir.F("atp.index"))}}, ir.Action{Name: "upper", Do: []ir.Op{upper}})
}

// levels are the tables that know by its port whose packet it is, and so whether this switch is
// where it is to be added. Floats meet no aggregator (§3.8).
func (b *builder) levels() {
	for level, actions := range levelActions {
		bitmap, fan := copyName("atp.bitmap", level), copyName("atp.fan", level)
		ops := [2][2]uint64{{opClaim, opMerge}, {opClaim2, opClear}}[level]
		var list []ir.Action
		for i, name := range actions {
			list = append(list, ir.Action{Name: name, Params: []ir.Param{param("worker", 5), param("fan", 5), param("full", 8)}, Do: []ir.Op{
				set("meta.op", ir.C(ops[i])), set("meta.worker", ir.P("worker")), set("meta.bit", ir.F(bitmap)),
				set("meta.fan", ir.P("fan")), set("meta.says", ir.F(fan)), set("meta.full", ir.P("full")),
			}})
		}
		b.table(ir.Table{
			Name: tableLevels[level], Keys: matching(ir.Exact, "ig.port", "atp.job", "atp.resend", "atp.overflow", bitmap, "ipv4.dst"), Actions: actions[:], Size: maxSources,
		}, list...)
	}
}
