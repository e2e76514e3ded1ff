package pipeline

import (
	"slices"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// route are the tables that say where the packet goes.
func (b *builder) route() {
	if b.half {
		b.halfRoute()
	} else {
		b.wordRoute()
	}
	b.ways()
}

// wordRoute is the table that says so where values are integers.
func (b *builder) wordRoute() {
	b.table(ir.Table{
		Name: "route", Keys: exact("md.pass", "md.verdict", b.size()), Const: true, Entries: b.routes(),
		Actions: append([]string{"consume", "harvest", "harvest_on", "harvest_here", "harvest_here_on", "absorb"}, slices.Compact(slices.Clone(leaves[:b.ends()]))...),
	},
		b.consume("d0", "d1"), b.another(pass{"harvest", true, true}, "d0"), b.another(pass{"harvest_on", true, true}),
		b.another(pass{"harvest_here", false, true}, "d0"), b.another(pass{"harvest_here_on", false, true}), drop("absorb", ir.C(dropAbsorbed)))
}

// ways are the ways out of the switch, and the tables of two of them.
func (b *builder) ways() {
	b.p.Actions = append(b.p.Actions,
		b.leave("everybody", set("ig.mcast", ir.F("md.group")), set("ig.multicast", ir.C(1)), set("udp.dst", ir.F("udp.src"))),
		b.leave("sender", set("ig.egress_port", ir.F("md.port")), set("ig.unicast", ir.C(1)),
			set("udp.src", ir.F("udp.dst")), set("udp.dst", ir.F("udp.src")), set("eth.dst", ir.F("eth.src")), set("ipv4.dst", ir.F("ipv4.src"))),
		b.leave("upward", set("ig.egress_port", ir.F("md.port")), set("ig.unicast", ir.C(1))))
	b.keyless(b.leave("descend", set("ig.mcast", ir.F("md.group")), set("ig.multicast", ir.C(1))))
	b.table(ir.Table{Name: tableParents, Keys: exact("meta.group"), Actions: []string{"to_parent"}, Size: maxJobs},
		ir.Action{
			Name: "to_parent", Params: []ir.Param{{Name: "mac", Bits: 48}, {Name: "addr", Bits: 32}, {Name: "self", Bits: 32}, {Name: "udp", Bits: 16}},
			Do: []ir.Op{set("eth.dst", ir.P("mac")), set("ipv4.dst", ir.P("addr")), set("ipv4.src", ir.P("self")), set("udp.dst", ir.P("udp"))},
		})
}

// pass is an action after which the packet passes a pipe once more.
type pass struct {
	name   string
	spread bool // over the ports of the pipe; otherwise by the port given
	op     bool // with another operation on the values; otherwise that stays
}

// another sends the packet through the pipe of a port once more, without the headers
// that are done with. Packets of a slot go by one port, so that none overtakes another.
func (b *builder) another(p pass, done ...string) ir.Action {
	a := ir.Action{Name: p.name, Params: []ir.Param{{Name: "pass", Bits: 8}, {Name: "port", Bits: 9}}, Do: []ir.Op{
		set("md.pass", ir.P("pass")), set("ig.unicast", ir.C(1)), set("ig.bypass_egress", ir.C(1)),
	}}
	if p.op {
		a.Params = append(a.Params, ir.Param{Name: "op", Bits: 3})
		a.Do = append(a.Do, set("md.op", ir.P("op")))
	}
	for _, h := range done {
		a.Do = append(a.Do, remove(h))
	}
	if p.spread {
		a.Do = append(a.Do, ir.Op{Kind: ir.Or, Dst: "ig.egress_port", A: ir.P("port"), B: ir.F("md.spread")})
	} else {
		a.Do = append(a.Do, set("ig.egress_port", ir.P("port")))
	}
	return a
}

// consume leads a packet to the next pass that adds.
func (b *builder) consume(done ...string) ir.Action {
	a := b.another(pass{name: "consume", spread: true}, done...)
	a.Do = append(a.Do, set("md.newer0", ir.F("meta.newer0")), set("md.newer1", ir.F("meta.newer1")))
	return a
}

// leave is an action after which the packet leaves the switch, with headers of the
// switch. They are written here, once, before there are copies.
func (b *builder) leave(name string, do ...ir.Op) ir.Action {
	own := []ir.Op{
		remove("md"), set("eth.src", ir.C(b.mac)), set("ipv4.src", ir.C(b.addr)), set("ipv4.tos", ir.C(b.tos)), set("ipv4.id", ir.C(0)), set("ipv4.fragment", ir.C(0)),
		set("ipv4.ttl", ir.C(64)), set("udp.checksum", ir.C(0)),
		set("meta.group", ir.F("md.group")),
	}
	if b.rdma {
		own = append(own, rdmaLeave()...)
	} else {
		own = append(own, set("meta.verdict", ir.F("md.verdict")), set("meta.from", ir.F("md.from")), set("sml.unused", ir.C(0)), ir.Op{Kind: ir.And, Dst: "sml.where", A: ir.F("sml.where"), B: ir.C(^uint64(unusedBit) & 0xffff)})
	}
	if b.half && name != "descend" {
		own = append(own, remove("f3"))
	}
	return ir.Action{Name: name, Do: append(own, do...)}
}

// answers are the verdicts for which sums are read, and leaves the ways out that go
// with them.
var (
	answers = []uint64{verdictMulticast, verdictUnicast, verdictUp, verdictUpAgain}
	leaves  = []string{"everybody", "sender", "upward", "upward"}
)

// ends is how many of them the program has: jobs of RDMA hosts have no parent.
func (b *builder) ends() int {
	if b.rdma {
		return 2
	}
	return len(answers)
}

// routes says for every pass what follows.
func (b *builder) routes() (out []ir.Entry) {
	add := func(pass, verdict, size uint64, action string, args ...uint64) {
		out = append(out, ir.Entry{Values: []uint64{pass, verdict, size}, Action: action, Args: args})
	}
	add(passConsume, verdictAbsorb, size64, "absorb")
	for pass := uint64(passConsume); pass < lastConsume; pass++ { // without a verdict yet
		add(pass, 0, size256, "consume", pass+1, (pass+1)<<pipeBits)
	}
	add(lastConsume, verdictAbsorb, size256, "absorb")
	for i, v := range answers[:b.ends()] {
		add(passConsume, v, size64, "harvest_here", passLast, recirculation, opReadLower)
		b.harvest(v, add)
		for _, size := range []uint64{size64, size256} {
			add(passLast, v, size, leaves[i])
		}
	}
	return out
}

// harvest leads a packet of 256 values through the seven further halves of its sum.
func (b *builder) harvest(verdict uint64, add func(pass, verdict, size uint64, action string, args ...uint64)) {
	for i, h := range b.harvests() {
		pass, action := uint64(lastConsume), "harvest"
		if h.port&(1<<pipeBits-1) != 0 {
			action += "_here"
		}
		if i > 0 {
			pass, action = uint64(passHarvest+i-1), action+"_on"
		}
		add(pass, verdict, size256, action, uint64(passHarvest+i), h.port, h.op)
	}
}

// half is one of the eight halves of a block of 256 values, and the port that leads to it: the
// first one of a pipe stands for all that are in loopback mode.
type half struct{ port, op uint64 }

// harvests returns the halves in the order in which they are read, without the very
// last one of the block, which comes with the last pass that adds. Pipe 0 has no front port in
// loopback mode: its two ports inside carry one half each.
func (b *builder) harvests() []half {
	h := []half{
		{3 << pipeBits, opReadLower}, {2 << pipeBits, opReadUpper}, {2 << pipeBits, opReadLower}, {1 << pipeBits, opReadUpper},
		{1 << pipeBits, opReadLower}, {quad16, opReadUpper}, {recirculation, opReadLower},
	}
	if b.faithful {
		for i, port := range publicHarvests {
			h[i].port = port
		}
	}
	return h
}

// publicHarvests are the ports of the public program (p4app-switchML, controller/
// next_step_selector.py), all inside the chip. It takes the two of each pipe, but pipe 2 has
// one alone, as its quad 16 is the PCIe port, 320 (TNA 12.1). In its place is quad 16 of pipe 3,
// 448, so that the lower half of that pipe is read again for elements 128 to 159.
var publicHarvests = [...]uint64{452, 324, 448, 196, 192, quad16, recirculation}
