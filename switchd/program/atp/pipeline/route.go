package pipeline

import (
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// verdicts are the tables that say what becomes of a packet that the switch has work for.
func (b *builder) verdicts() {
	b.judge()
	b.finish()
}

// outcome tells why a packet ends here or goes on, for counters.
func outcome() ir.Op { return set("meta.outcome", ir.P("outcome")) }

// ending is an action that has an outcome.
func ending(name string, do ...ir.Op) ir.Action {
	return ir.Action{Name: name, Params: []ir.Param{param("outcome", 8)}, Do: append(do, outcome())}
}

// onward sends the packet on by the port that it came by: where forwarding takes it up.
func (b *builder) onward(port string, do ...ir.Op) []ir.Op {
	return append(do, set("ig.egress_port", ir.F(port)), set("ig.unicast", ir.C(1)), set("ig.bypass_egress", ir.C(b.bypass())))
}

// bypass is 1 where nothing is done in the egress.
func (b *builder) bypass() uint64 {
	if b.mark > 0 {
		return 0
	}
	return 1
}

// changed are what every packet gets that was changed here.
func changed(do ...ir.Op) []ir.Op {
	return append(do, set("atp.edge", ir.C(1)), set("udp.checksum", ir.C(0)))
}

// judge says what becomes of packets that bring no sums yet.
func (b *builder) judge() {
	t := ir.Table{Name: "judge", Keys: matching(ir.Ternary, "meta.op", "meta.did", "meta.way", "meta.complete", "ig.resubmitted"), Const: true,
		Actions: []string{"pass", "collide", "resubmit", "recirculate", "sweep", "absorb"}}
	add := func(action string, out uint64, values, masks [5]uint64) {
		e := ir.Entry{Values: values[:], Masks: masks[:], Action: action}
		if out != 0 {
			e.Args = []uint64{out}
		}
		t.Entries = append(t.Entries, e)
	}
	const op, did, bit = 7, every, 1
	for _, claim := range []uint64{opClaim, opClaim2} {
		add("collide", outLate, [5]uint64{claim, didNone, 0, 0, 1}, [5]uint64{op, did, 0, 0, bit})
		add("collide", outCollided, [5]uint64{claim, didNone}, [5]uint64{op, did})
		add("absorb", outDuplicate, [5]uint64{claim, 0, wayRead, 0, 1}, [5]uint64{op, 0, 3, 0, bit})
		add("absorb", outAbsorbed, [5]uint64{claim, 0, 0, 0, 1}, [5]uint64{op, 0, 0, 0, bit})
		add("resubmit", 0, [5]uint64{claim, 0, wayRead}, [5]uint64{op, 0, 3}) // as both halves are as old
		add("recirculate", 0, [5]uint64{claim, 0, 0, 1}, [5]uint64{op, 0, 0, bit})
		add("resubmit", 0, [5]uint64{claim}, [5]uint64{op})
	}
	add("recirculate", 0, [5]uint64{opMerge, inHalf}, [5]uint64{op, inHalf})
	add("sweep", 0, [5]uint64{opMerge}, [5]uint64{op})
	add("recirculate", 0, [5]uint64{opClear}, [5]uint64{op})
	add("pass", outParameter, [5]uint64{opFree, 0, 0, 0, 1}, [5]uint64{op, 0, 0, 0, bit})
	add("resubmit", 0, [5]uint64{opFree}, [5]uint64{op})
	add("pass", outRequest, [5]uint64{opRequest}, [5]uint64{op})
	b.table(t, ending("pass", b.onward("ig.port")...),
		collide(),
		ir.Action{Name: "resubmit", Do: []ir.Op{set("ig.resubmit", ir.C(1))}}, recirculate("recirculate", ir.F("meta.op")), recirculate("sweep", ir.C(opSweep)),
		ending("absorb", set("ig.drop", ir.C(1))))
}

// recirculate is an action of packets that come back for the second half by the port inside: of one with sums, which it would
// lose if it were resubmitted, and of resent ones. These must not free a half before a sum that is on its way reads it.
func recirculate(name string, op ir.Operand) ir.Action {
	return ir.Action{Name: name, Do: back(
		ir.Op{Kind: ir.Validate, Dst: "md"}, set("md.op", op), set("md.worker", ir.F("meta.worker")), set("md.full", ir.F("meta.full")),
		set("md.look", ir.C(0)), set("md.rounds", ir.C(0)), set("md.port", ir.F("ig.port")), set("md.bit", ir.F("meta.bit")), set("md.set", ir.F("meta.set")),
	)}
}

// collided is the mark, in place of rounds, of packets that come back without anything to do.
const collided = 1

// collide is the action of packets that met another's aggregator. They need no second pass, but would arrive before sums that came
// earlier, which workers take for a loss after three of them (§3.7). So they go by the port of sums.
func collide() ir.Action {
	return ending("collide", back(changed(
		set("atp.resend", ir.C(1)), set("atp.collision", ir.C(1)),
		ir.Op{Kind: ir.Validate, Dst: "md"}, set("md.op", ir.C(opSweep)), set("md.look", ir.C(1)), set("md.rounds", ir.C(collided)), set("md.port", ir.F("ig.port")),
	)...)...)
}

// back sends a packet to the port inside, whose packets stay in order.
func back(do ...ir.Op) []ir.Op {
	return append(do, set("ig.egress_port", ir.C(recirculation)), set("ig.unicast", ir.C(1)), set("ig.bypass_egress", ir.C(1)))
}

// maxRounds is how often a sum comes back to look. Each round takes [tofino.PassTime], so together longer than a second pass can
// wait for its port: [tofino.InputBytes] at the rate of a port, 2.5 us, and [tofino.ResubmitTime].
const maxRounds = 7

// finish says what becomes of packets that came back. Sums go on if both halves have the same workers. If the second half
// lacks some whose second passes are still to come, the sum comes back once more, and only looks.
func (b *builder) finish() {
	t := ir.Table{Name: "finish", Keys: matching(ir.Ternary, "meta.op", "meta.did", "meta.same", "md.rounds"), Const: true,
		Actions: []string{"finish0", "finish1", "return", "round"}, Default: "differ", Args: []uint64{outDiffer}}
	add := func(action string, arg uint64, values, masks [4]uint64) {
		t.Entries = append(t.Entries, ir.Entry{Values: values[:], Masks: masks[:], Action: action, Args: []uint64{arg}})
	}
	const op, bit, rounds = 7, 1, 7
	add("finish0", outComplete, [4]uint64{opClaim, 0, 1}, [4]uint64{op, 0, bit})
	add("finish1", outComplete, [4]uint64{opClaim2, 0, 1}, [4]uint64{op, 0, bit})
	add("finish0", outPartial, [4]uint64{opMerge, 0, 1}, [4]uint64{op, 0, bit})
	add("return", outResent, [4]uint64{opClear}, [4]uint64{op})
	add("return", 0, [4]uint64{opSweep, 0, 0, collided}, [4]uint64{op, 0, 0, rounds}) // counted as it met the other
	add("return", outResent, [4]uint64{opSweep}, [4]uint64{op})
	for r := range uint64(maxRounds) {
		did := uint64(didLook)
		if r == 0 {
			did = didLive
		}
		add("round", r+1, [4]uint64{opClaim, did, 0, r}, [4]uint64{op, every, bit, rounds})
		add("round", r+1, [4]uint64{opClaim2, did, 0, r}, [4]uint64{op, every, bit, rounds})
	}
	home := func(do ...ir.Op) []ir.Op {
		return b.onward("md.port", changed(append([]ir.Op{{Kind: ir.Remove, Dst: "md"}}, do...)...)...)
	}
	sum := func(level int) ir.Action {
		return ending(copyName("finish", level), home(set(copyName("atp.bitmap", level), ir.F("meta.set")))...)
	}
	round := ir.Action{Name: "round", Params: []ir.Param{param("round", 3)}, Do: back(set("md.look", ir.C(1)), set("md.rounds", ir.P("round")))}
	b.table(t, sum(0), sum(1), ending("return", home()...), round, ending("differ", set("ig.drop", ir.C(1))))
}

// refusals are the tables that say why the switch has nothing to do for a packet.
func (b *builder) refusals() {
	b.refuse()
	b.malformed()
	for _, a := range []struct {
		name, action string
		out          uint64
	}{{"wrong_fan", "beware", outFanIn}, {"short", "let", outShort}, {"truncated", "let", outTruncated}, {"oversized", "let", outOversized}, {"trailing", "let", outOversized}, {"options", "let", outOptions}} {
		b.table(ir.Table{Name: a.name, Default: a.action, Args: []uint64{a.out}, Const: true})
	}
	b.p.Actions = append(b.p.Actions, ending("let", b.onward("ig.port")...),
		ending("beware", b.onward("ig.port", changed(set("atp.resend", ir.C(1)))...)...), ending("forged", set("ig.drop", ir.C(1))))
}

// refuse tells why of packets that are well-formed.
func (b *builder) refuse() {
	t := ir.Table{Name: "refuse", Keys: matching(ir.Ternary, "meta.known", "atp.ack", "atp.overflow", "meta.op"), Const: true,
		Actions: []string{"let", "forged", "beware"}}
	add := func(action string, out uint64, values, masks [4]uint64) {
		t.Entries = append(t.Entries, ir.Entry{Values: values[:], Masks: masks[:], Action: action, Args: []uint64{out}})
	}
	add("let", outUnknownJob, [4]uint64{}, [4]uint64{1})
	add("forged", outForged, [4]uint64{0, 1}, [4]uint64{0, 1, 0, 7})
	add("let", outRequest, [4]uint64{0, 1, 0, opRequest}, [4]uint64{0, 1, 0, 7})
	add("let", outParameter, [4]uint64{0, 1}, [4]uint64{0, 1}) // beyond the table
	add("let", outFloats, [4]uint64{0, 0, 1}, [4]uint64{0, 0, 1})
	add("let", outNotHere, [4]uint64{}, [4]uint64{0, 0, 0, 7})
	beyond := uint64(outIndex)
	if b.aggregators == 0 {
		beyond = outNone
	}
	add("beware", beyond, [4]uint64{}, [4]uint64{})
	b.table(t)
}

// malformed tells why of those that are not.
func (b *builder) malformed() {
	t := ir.Table{Name: "malformed", Keys: matching(ir.Ternary, "atp.ack", "atp.bitmap0", "atp.bitmap1", "atp.seq"), Actions: []string{"let"}, Const: true}
	add := func(out uint64, values, masks [4]uint64) {
		t.Entries = append(t.Entries, ir.Entry{Values: values[:], Masks: masks[:], Action: "let", Args: []uint64{out}})
	}
	const bitmap, seq = 1<<bitmapWidth - 1, 1<<wire.SequenceBits - 1
	add(outNoWorker, [4]uint64{}, [4]uint64{1, bitmap})
	add(outNoWorker, [4]uint64{}, [4]uint64{1, 0, bitmap})
	add(outSequence, [4]uint64{}, [4]uint64{0, 0, 0, seq})
	add(outReserved, [4]uint64{1}, [4]uint64{1})
	b.table(t)
}

// refused are the steps of packets that the switch has nothing to do for.
func (b *builder) refused() []ir.Step {
	length := func(op ir.Relation, n uint64) *ir.Cond { return compare("udp.length", op, ir.C(n)) }
	lengths := when(length(ir.Less, inet.UDPLen+wire.HeaderLen), apply("short"),
		when(length(ir.Less, udpLength), apply("truncated"), when(length(ir.Greater, udpLength), apply("oversized"), apply("trailing"))))
	return when(valid("d"), when(compare("meta.says", ir.NotEqual, ir.F("meta.fan")), apply("wrong_fan"), apply("refuse")),
		when(valid("atp"), apply("malformed"), when(valid("udp"), lengths, apply("options"))))
}
