package pipeline

import (
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// Further tables that the control plane fills.
const (
	tableQueues = "queue"   // queue pairs of workers
	tableBegins = "message" // keys that their messages begin with
	tablePairs  = "pair"    // numbers of the workers' ends
)

// rdmaArrive are the tables of stages 1 and 2.
func (b *builder) rdmaArrive() {
	b.keyless(ir.Action{Name: "start", Do: []ir.Op{
		{Kind: ir.Validate, Dst: "md"}, {Kind: ir.Concat, Dst: "meta.seq", In: []ir.Operand{ir.F("bth.psn"), ir.F("meta.clear")}},
	}})
	b.rdmaPeers()
	b.lossy(tableArrivals, "ig.port", "arriving")
	b.operations()
	b.table(ir.Table{Name: "sized", Keys: ternary("udp.length"), Actions: []string{"sized"}, Const: true, Entries: []ir.Entry{
		{Values: []uint64{1 << 10}, Masks: []uint64{1 << 10}, Action: "sized", Args: []uint64{size256}}, // no packet of 64 values is as long
		{Values: []uint64{0}, Masks: []uint64{0}, Action: "sized", Args: []uint64{size64}},
	}}, ir.Action{Name: "sized", Params: []ir.Param{{Name: "size", Bits: 3}}, Do: []ir.Op{set("md.size", ir.P("size"))}})
	b.resume()
	b.p.Actions = append(b.p.Actions, drop("gone", ir.C(dropGone)))
	for _, d := range []struct {
		name string
		code uint64
	}{{"lost", dropArrival}, {"no_queue_pair", dropQueuePair}, {"out_of_sequence", dropSequence}} {
		b.keyless(drop(d.name, ir.C(d.code)))
	}
	b.keyless(drop("malformed", ir.F("meta.fault")))
	b.table(ir.Table{Name: "late", Default: "misshapen", Const: true}, drop("misshapen", ir.C(dropShape)))
	b.table(ir.Table{Name: "early", Default: "misshapen", Const: true})
	b.table(ir.Table{Name: "unusable", Default: "malformed", Const: true})
}

// rdmaPeers tells whose packet it is, by its address.
func (b *builder) rdmaPeers() {
	b.table(ir.Table{
		Name: tablePeers, Keys: ternary("ipv4.src", "udp.dst"), Actions: []string{"member", "waiting", "speaks_udp", "stranger_of_roce"}, Default: "stranger",
		Size: rdmaPeers, Counter: true,
		Entries: []ir.Entry{{Values: []uint64{0, uint64(roce.Port)}, Masks: []uint64{0, 1<<16 - 1}, Priority: 2, Action: "stranger_of_roce"}},
	},
		ir.Action{
			Name: "member",
			Params: []ir.Param{
				{Name: "worker", Bits: 5}, {Name: "bit", Bits: 32}, {Name: "fill", Bits: 8}, {Name: "size", Bits: 3},
				{Name: "group", Bits: 16}, {Name: "port", Bits: 9}, {Name: "rid", Bits: 16}, {Name: "bytes", Bits: 16},
			},
			Do: []ir.Op{
				set("meta.role", ir.C(roleMember)), set("meta.worker", ir.P("worker")), set("md.from", ir.P("worker")), set("meta.bit", ir.P("bit")), set("md.bit", ir.P("bit")),
				set("meta.fill", ir.P("fill")), set("meta.size", ir.P("size")), set("md.group", ir.P("group")), set("md.port", ir.P("port")), set("md.rid", ir.P("rid")),
				set("meta.bytes", ir.P("bytes")),
			},
		},
		ir.Action{Name: "waiting", Params: []ir.Param{{Name: "group", Bits: 16}}, Do: append(drop("", ir.C(dropIncomplete)).Do, set("md.group", ir.P("group")))},
		drop("speaks_udp", ir.C(dropSpeaksUDP)), drop("stranger_of_roce", ir.C(dropStrangeQueue)), drop("stranger", ir.C(dropUnknownWorker)))
	b.table(ir.Table{Name: tableQueues, Keys: exact("ipv4.src", "bth.rank", "bth.queue"), Actions: []string{"queue_pair"}, Size: MaxQueuePairs},
		ir.Action{Name: "queue_pair", Params: []ir.Param{{Name: "pair", Bits: 16}, {Name: "first", Bits: 16}, {Name: "bound", Bits: 16}}, Do: []ir.Op{
			set("meta.pair", ir.P("pair")), set("meta.first", ir.P("first")), set("meta.bound", ir.P("bound")),
		}})
	b.table(ir.Table{Name: tableBegins, Keys: exact("ipv4.src", "bth.rank", "bth.queue", "reth.key"), Actions: []string{"begins"}, Size: maxBegins},
		ir.Action{Name: "begins", Params: []ir.Param{{Name: "index", Bits: 16}}, Do: []ir.Op{set("meta.index", ir.P("index"))}})
}

// operations says what an operation is, or what is wrong with its header.
func (b *builder) operations() {
	t := ir.Table{Name: "form", Keys: ternary("bth.flags", "bth.opcode", "bth.pkey"), Actions: []string{"goes_on", "ends", "faulty"}, Default: "faulty", Args: []uint64{dropBadOpcode}, Const: true}
	for bit := range 4 { // of the version
		t.Entries = append(t.Entries, ir.Entry{Values: []uint64{1 << bit, 0, 0}, Masks: []uint64{1 << bit, 0, 0}, Action: "faulty", Args: []uint64{dropBadVersion}})
	}
	for _, s := range shapes() {
		e := ir.Entry{Values: []uint64{0, uint64(s.op), partition}, Masks: []uint64{0, 0xff, 0xffff}, Action: "goes_on"}
		if s.op.Ends() {
			e.Action = "ends"
		}
		t.Entries = append(t.Entries, e)
	}
	for _, s := range shapes() {
		t.Entries = append(t.Entries, ir.Entry{Values: []uint64{0, uint64(s.op), 0}, Masks: []uint64{0, 0xff, 0}, Action: "faulty", Args: []uint64{dropBadPartition}})
	}
	b.table(t,
		ir.Action{Name: "goes_on", Do: []ir.Op{set("meta.ends", ir.C(0))}}, ir.Action{Name: "ends", Do: []ir.Op{set("meta.ends", ir.C(1))}},
		ir.Action{Name: "faulty", Params: []ir.Param{{Name: "code", Bits: 8}}, Do: []ir.Op{set("meta.fault", ir.P("code"))}})
}

// queueRegisters are those of queue pairs. That of the ingress has the PSN that comes
// next in the upper 24 bits of its lower half, bit 0 of which says that no message has
// begun, and the pool index of the next packet in its upper half. That of the egress
// has twice the PSN that goes out next, plus one, and the md.place of the packet that goes
// on with the message sent.
func (b *builder) queueRegisters() []ir.Register {
	const next, done = 1 << 8, 1<<8 + 1 // the PSN after this; and no message is left
	const further = 2                   // from a place to the next
	before := &ir.Compare{Left: ir.Lo, Right: ir.In0, Const: 7, Op: ir.GreaterSigned}
	taken := ir.IfNotA
	if b.faithful {
		before, taken = nil, ir.Always
	}
	sequence := &ir.Compare{Left: ir.Lo, Right: ir.In0, Op: ir.Equal}
	assembly := ir.Register{Name: "assembly", Size: MaxQueuePairs, Bits: 32, Lanes: 2, Actions: []ir.RegAction{
		{
			Name: "first", A: before,
			Lo:  []ir.Update{{If: taken, Op: ir.Add, X: ir.In0, Y: ir.Imm, Imm: next}},
			Hi:  []ir.Update{{If: taken, Op: ir.Add, X: ir.In1, Y: ir.Imm, Imm: 1 << indexSlot}},
			Out: []ir.Output{{If: taken, Value: ir.In1}},
		},
		{
			Name: "only", A: before,
			Lo:  []ir.Update{{If: taken, Op: ir.Add, X: ir.In0, Y: ir.Imm, Imm: done}},
			Out: []ir.Output{{If: taken, Value: ir.In1}},
		},
		{
			Name: "middle", A: sequence, B: &ir.Compare{Left: ir.Hi, Right: ir.In1, Op: ir.LessSigned},
			Lo:  []ir.Update{{If: ir.IfBoth, Op: ir.Add, X: ir.Lo, Y: ir.Imm, Imm: next}, {If: ir.IfA, Op: ir.Add, X: ir.Lo, Y: ir.Imm, Imm: done}},
			Hi:  []ir.Update{{If: ir.IfBoth, Op: ir.Add, X: ir.Hi, Y: ir.Imm, Imm: 1 << indexSlot}},
			Out: []ir.Output{{If: ir.IfA, Value: ir.Hi}},
		},
		{
			Name: "last", A: sequence,
			Lo:  []ir.Update{{If: ir.IfA, Op: ir.Add, X: ir.Lo, Y: ir.Imm, Imm: done}},
			Out: []ir.Output{{If: ir.IfA, Value: ir.Hi}},
		},
	}}
	goesOn, sent := &ir.Compare{Left: ir.Hi, Right: ir.In0, Op: ir.Equal}, ir.IfA
	if b.faithful {
		goesOn, sent = nil, ir.Always
	}
	return []ir.Register{assembly, {Name: "sequence", Size: MaxQueuePairs, Bits: 32, Lanes: 2, Actions: []ir.RegAction{
		{
			Name: "begin", Lo: []ir.Update{{If: ir.Always, Op: ir.Add, X: ir.Lo, Y: ir.Imm, Imm: 2}},
			Hi: []ir.Update{{If: ir.Always, Op: ir.Add, X: ir.In0, Y: ir.Imm, Imm: further}}, Out: out(ir.Lo),
		},
		{
			Name: "go_on", A: goesOn,
			Lo:  []ir.Update{{If: sent, Op: ir.Add, X: ir.Lo, Y: ir.Imm, Imm: 2}},
			Hi:  []ir.Update{{If: sent, Op: ir.Add, X: ir.In0, Y: ir.Imm, Imm: further}},
			Out: []ir.Output{{If: sent, Value: ir.Lo}},
		},
	}}}
}

// assembly are the tables that take a packet to its queue pair, one for each kind of
// packet, and those that a packet meets for which the next slot of its message is. What is
// wrong with a packet but not with its number ends its message.
func (b *builder) assembly() {
	kind := func(name, run, in string, more ...ir.Op) {
		b.keyless(ir.Action{Name: name, Do: append([]ir.Op{
			{Kind: ir.Execute, Register: "assembly", Run: run, Index: ir.F("meta.pair"), IndexBits: queueBits, Dst: "meta.where", In: []ir.Operand{ir.F("meta.seq"), ir.F(in)}},
			set("meta.reason", ir.C(dropSequence)), // if that is what it comes to
		}, more...)})
	}
	kind("first", "first", "meta.index")
	kind("only", "only", "meta.index")
	kind("middle", "middle", "meta.bound")
	kind("last", "last", "meta.bound")
	kind("other_length", "only", "meta.first", set("meta.fault", ir.C(dropShape)))
	kind("wrong_key", "only", "meta.first", set("meta.fault", ir.C(dropKey)))
	kind("broken", "last", "meta.bound", set("meta.fault", ir.C(dropShape)))
	b.keyless(ir.Action{Name: "admit", Do: []ir.Op{set("meta.go", ir.C(1)), set("md.entry", ir.F("meta.where"))}})
	b.spread("bth.queue")
	b.keyless(ir.Action{Name: "distance", Do: []ir.Op{
		{Kind: ir.Sub, Dst: "md.place", A: ir.F("meta.where"), B: ir.F("meta.first")},
	}})
	b.keyless(ir.Action{Name: "place", Do: []ir.Op{{Kind: ir.Shr, Dst: "md.place", A: ir.F("md.place"), B: ir.C(indexSlot - 1)}}})
}

// rdmaControl joins the steps of the ingress.
func (b *builder) rdmaControl() []ir.Step {
	yes := func(field string) ir.Cond { return ir.Cond{Left: field, Op: ir.Equal, Right: ir.C(1)} }
	fresh := append(applied(tableArrivals, "start", tablePeers),
		ir.Step{If: &ir.Cond{Valid: "bth"}, Then: []ir.Step{
			apply("form"), apply("sized"), apply(tableQueues),
			{If: &ir.Cond{Valid: "reth"}, Then: applied(tableBegins)},
		}},
		ir.Step{If: &ir.Cond{Left: "meta.role", Op: ir.NotEqual}, Then: []ir.Step{
			when(ir.Cond{Left: "meta.dice", Op: ir.Less, Right: ir.F("meta.limit")}, apply("lost"),
				when(ir.Cond{Left: "meta.fault", Op: ir.NotEqual}, apply("malformed"),
					when(ir.Cond{Left: "meta.pair", Op: ir.Equal}, apply("no_queue_pair"), b.kinds()))),
		}})
	resumed := []ir.Step{apply(tableJobs), {If: &ir.Cond{Valid: "d0"}, Else: applied("room")}}
	tried := ir.Cond{Left: "meta.reason", Op: ir.Equal, Right: ir.C(dropSequence)}
	add := append(applied("admit"), ir.Step{If: &tried, Then: applied("spread", "distance", "place")}, apply("bitmap"))
	add = append(add, b.judgement()...)
	adds := ir.Step{If: &ir.Cond{Left: "meta.op", Op: ir.Equal, Right: ir.C(opDecide)}, Then: add}
	early, late := yes("meta.ends"), ir.Cond{Left: "meta.ends", Op: ir.Equal}
	early.And = &ir.Cond{Left: "meta.where", Op: ir.Less, Right: ir.F("meta.bound")}
	late.And = &ir.Cond{Left: "meta.where", Op: ir.Greater, Right: ir.F("meta.bound")}
	follows := when(ir.Cond{Left: "meta.fault", Op: ir.NotEqual}, apply("unusable"), when(early, apply("early"), when(late, apply("late"), adds)))
	wanted := yes("meta.go")
	return []ir.Step{
		{If: resumes(), Then: resumed, Else: fresh},
		when(ir.Cond{Left: "meta.where", Op: ir.NotEqual}, follows, ir.Step{If: &tried, Then: applied("out_of_sequence")}),
		{If: &wanted, Then: applied("values", "route")},
	}
}

// kinds takes a packet to the table of its kind.
func (b *builder) kinds() ir.Step {
	whole := ir.Cond{Valid: "d0", And: &ir.Cond{Left: "md.size", Op: ir.Equal, Right: ir.F("meta.size")}}
	begin := ir.Cond{Left: "reth.long", Op: ir.Equal, And: &ir.Cond{Left: "reth.length", Op: ir.Equal, Right: ir.F("meta.bytes"), And: &whole}}
	yes := func(field string) ir.Cond { return ir.Cond{Left: field, Op: ir.Equal, Right: ir.C(1)} }
	return when(ir.Cond{Valid: "reth"},
		when(ir.Cond{Left: "meta.index", Op: ir.Equal}, apply("wrong_key"),
			when(begin, when(yes("meta.ends"), apply("only"), apply("first")), apply("other_length"))),
		when(whole, when(yes("meta.ends"), apply("last"), apply("middle")), apply("broken")))
}
