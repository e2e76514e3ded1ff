package pipeline

import (
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// Tables that the control plane fills.
const (
	tablePeers      = "peer"
	tableFirstPeers = "first_peer" // likewise, of packets with a job byte of the first quarter
	tableParents    = "parent"
	tableJobs       = "resume" // jobs that there are, for packets after their first pass
	tableTurned     = "turn"   // likewise, of the variant for 16-bit floats
	tableReceivers  = "receiver"
	tableArrivals   = "arrival"
	tableDepartures = "departure"
)

// arrive are the tables of stage 1, which look at headers alone, and those of stage
// 2 that drop what is wrong.
func (b *builder) arrive() {
	b.keyless(ir.Action{Name: "start", Do: []ir.Op{
		{Kind: ir.Validate, Dst: "md"},
		{Kind: ir.Concat, Dst: "meta.tag", In: []ir.Operand{ir.F("sml.job"), ir.F("sml.id2"), ir.F("sml.id1"), ir.F("sml.id0")}},
		set("meta.slot", ir.F("sml.where")),
		{Kind: ir.Sub, Dst: "meta.room", A: ir.F("ig.bytes"), B: ir.C(inet.EtherLen)}, {Kind: ir.Sub, Dst: "meta.inside", A: ir.F("ipv4.length"), B: ir.C(inet.IPv4Len)},
	}})
	b.peers()
	b.lossy(tableArrivals, "ig.port", "arriving")
	b.forms()
	b.resume()
	for _, d := range []struct {
		name string
		code uint64
	}{{"truncated", dropTruncated}, {"oversized", dropOversized}, {"lost", dropArrival}, {"wrong_size", dropWrongSize}, {"out_of_pool", dropSlotRange},
		{"bad_ip_length", dropIPLength}, {"bad_udp_length", dropUDPLength}} {
		b.keyless(drop(d.name, ir.C(d.code)))
	}
	b.table(ir.Table{Name: "short_ip_length", Default: "bad_ip_length", Const: true})
	b.table(ir.Table{Name: "short_udp_length", Default: "bad_udp_length", Const: true})
	b.table(ir.Table{Name: "other_size", Default: "wrong_size", Const: true})
	b.table(ir.Table{Name: "trailing", Default: "oversized", Const: true})
	b.keyless(drop("malformed", ir.F("meta.fault")))
	b.p.Actions = append(b.p.Actions, drop("gone", ir.C(dropGone)))
}

// peers tells whose packet it is: a worker is known by its address and the UDP port
// that it sends to, a parent by its address and the port that it sends from. A worker's job
// byte counts for its job, in one of two tables: see [quarters].
func (b *builder) peers() {
	table := func(name, member, run string) {
		a := memberOf(member)
		if run != "" {
			a.Do = append(a.Do, ir.Op{Kind: ir.Execute, Register: "quarters", Run: run, Index: ir.P("group"), IndexBits: groupBits, Dst: "meta.quarters", In: []ir.Operand{ir.F("sml.job")}})
		}
		b.table(ir.Table{
			Name: name, Keys: ternary("ipv4.src", "udp.src", "udp.dst"), Actions: []string{member, "parent_of", "waiting"}, Default: "stranger",
			Size: peerEntries, Counter: true,
		}, a)
	}
	if b.faithful {
		table(tablePeers, "member", "")
	} else {
		table(tablePeers, "member", "later")
		table(tableFirstPeers, "first_member", "first")
	}
	b.p.Actions = append(b.p.Actions,
		ir.Action{
			Name: "parent_of", Params: []ir.Param{{Name: "slots", Bits: 14}, {Name: "size", Bits: 3}, {Name: "group", Bits: 16}},
			Do: []ir.Op{
				set("meta.role", ir.C(roleParent)), set("meta.slots", ir.P("slots")), set("meta.size", ir.P("size")), set("md.group", ir.P("group")),
			},
		},
		ir.Action{Name: "waiting", Params: []ir.Param{{Name: "group", Bits: 16}, {Name: "why", Bits: 8}}, Do: append(drop("", ir.P("why")).Do, set("md.group", ir.P("group")))},
		drop("stranger", ir.C(dropUnknownWorker)))
}

// memberOf is the action of a worker's packet.
func memberOf(name string) ir.Action {
	return ir.Action{
		Name: name,
		Params: []ir.Param{
			{Name: "worker", Bits: 5}, {Name: "bit", Bits: 32}, {Name: "fill", Bits: 8}, {Name: "base", Bits: 16}, {Name: "slots", Bits: 14},
			{Name: "size", Bits: 3}, {Name: "group", Bits: 16}, {Name: "port", Bits: 9}, {Name: "part", Bits: 1},
		},
		Do: []ir.Op{
			set("meta.role", ir.C(roleMember)), set("meta.worker", ir.P("worker")), set("md.from", ir.P("worker")), set("meta.bit", ir.P("bit")), set("md.bit", ir.P("bit")), set("meta.fill", ir.P("fill")),
			{Kind: ir.Add, Dst: "meta.where", A: ir.F("sml.where"), B: ir.P("base")}, set("meta.slots", ir.P("slots")),
			set("meta.size", ir.P("size")), set("md.group", ir.P("group")), set("md.port", ir.P("port")), set("meta.part", ir.P("part")),
		},
	}
}

// lossy is a table of ports that lose packets.
func (b *builder) lossy(table, port, prefix string) {
	b.table(ir.Table{Name: table, Keys: exact(port), Actions: []string{prefix + "_some", prefix + "_all"}, Size: portEntries},
		ir.Action{Name: prefix + "_some", Params: []ir.Param{{Name: "below", Bits: diceBits}}, Do: []ir.Op{
			set("meta.limit", ir.P("below")), {Kind: ir.Random, Dst: "meta.dice"},
		}},
		ir.Action{Name: prefix + "_all", Do: []ir.Op{set("meta.limit", ir.C(1))}}) // the dice show 0
}

// forms holds type and size against what there is. The parser takes values only
// where the length is right, too.
func (b *builder) forms() {
	t := ir.Table{Name: "form", Keys: ternary("sml.type", "sml.size"), Actions: []string{"expect", "bad_size"}, Default: "bad_type", Const: true}
	for size := range uint64(8) {
		e := ir.Entry{Values: []uint64{uint64(wire.TypeConsume), size}, Action: "bad_size"}
		if n := wire.SizeEnum(size).Elements(); n > 0 {
			udp := udpLength(n)
			e.Action, e.Args = "expect", []uint64{udp, udp + inet.IPv4Len + inet.EtherLen}
		}
		t.Entries = append(t.Entries, e)
	}
	b.table(t,
		ir.Action{Name: "expect", Params: []ir.Param{{Name: "length", Bits: 16}, {Name: "frame", Bits: 16}}, Do: []ir.Op{
			set("meta.length", ir.P("length")), set("meta.frame", ir.P("frame")),
		}},
		ir.Action{Name: "bad_size", Do: []ir.Op{set("meta.fault", ir.C(dropBadSize))}},
		ir.Action{Name: "bad_type", Do: []ir.Op{set("meta.fault", ir.C(dropBadType))}})
}

// udpLength is the length that UDP has with so many values.
func udpLength(elements int) uint64 { return uint64(inet.UDPLen + wire.HeaderLen + 4*elements) }

// resume takes up a packet where the pass before has left it, unless its job has been
// removed, and makes room for what is read where its values are in.
func (b *builder) resume() {
	resume := ir.Action{Name: "resume", Params: []ir.Param{{Name: "fill", Bits: 8}, {Name: "part", Bits: 1}}, Do: []ir.Op{
		set("meta.role", ir.C(roleMember)), set("meta.go", ir.C(1)), set("meta.op", ir.F("md.op")), set("meta.worker", ir.F("md.from")), set("meta.bit", ir.F("md.bit")),
		set("meta.where", ir.F("md.entry")), set("meta.newer0", ir.F("md.newer0")), set("meta.newer1", ir.F("md.newer1")), set("meta.fill", ir.P("fill")), set("meta.part", ir.P("part")),
	}}
	if b.rdma { // its pool index may be any, as that of the end of a message of one packet
		resume.Do = append(resume.Do, set("meta.ends", ir.C(1)))
	}
	b.table(ir.Table{Name: tableJobs, Keys: exact("md.group"), Actions: []string{"resume"}, Default: "gone", Size: maxJobs}, resume)
	if b.half {
		b.halfResume()
		return
	}
	b.table(ir.Table{Name: "room", Keys: exact("md.op"), Actions: []string{"lower_room", "upper_room"}, Const: true, Entries: []ir.Entry{
		{Values: []uint64{opReadLower}, Action: "lower_room"}, {Values: []uint64{opReadUpper}, Action: "upper_room"},
	}}, ir.Action{Name: "lower_room", Do: []ir.Op{{Kind: ir.Validate, Dst: "d0"}}}, ir.Action{Name: "upper_room", Do: []ir.Op{{Kind: ir.Validate, Dst: "d1"}}})
}
