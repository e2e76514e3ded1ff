package pipeline

import (
	"math"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// bitmapWidth is that of a bitmap: as many workers or racks as a level has at most.
const bitmapWidth = 32

// aggregate are the tables of stages 2 to 4, which reserve and free, and tell whether a packet is
// in its half already.
func (b *builder) aggregate() {
	b.owners()
	b.marks("bitmap", "meta.before", ir.F("meta.bit"), true)
	b.marks("ecn", "meta.mark", ir.F("atp.ecn"), false)
	b.counter()
	b.classify()
	b.always("marked", set("atp.ecn", ir.C(1)))
	b.always("complete", set("meta.complete", ir.C(1)))
	b.always("same", set("meta.same", ir.C(1)))
}

// owners is the table of stage 2.
func (b *builder) owners() {
	in := []ir.Operand{ir.F("meta.id"), ir.F("meta.now")}
	do := func(run string) ir.Action {
		return ir.Action{Name: "own_" + run, Do: []ir.Op{b.onEntry("own", run, "meta.owner", in...)}}
	}
	entry := func(op, look uint64, run string) ir.Entry {
		return ir.Entry{Values: []uint64{op, look}, Action: "own_" + run}
	}
	b.table(ir.Table{Name: "own", Keys: matching(ir.Exact, "meta.op", "meta.look"), Actions: []string{"own_claim", "own_look", "own_release", "own_release_old"}, Const: true, Entries: []ir.Entry{
		entry(opClaim, 0, "claim"), entry(opClaim2, 0, "claim"), entry(opClaim, 1, "look"), entry(opClaim2, 1, "look"),
		entry(opMerge, 0, "release"), entry(opClear, 0, "release"), entry(opSweep, 0, "release"), entry(opFree, 0, "release_old"),
	}}, do("claim"), do("look"), do("release"), do("release_old"))
}

// marks is a table of stage 3: it marks in a register, or takes out what was marked. Who
// frees the second half without having found the first takes nothing along.
func (b *builder) marks(register, dst string, in ir.Operand, tells bool) {
	names := []string{"mark_" + register, "take_" + register, "wipe_" + register, "peek_" + register}
	marks := ir.Action{Name: names[0], Do: []ir.Op{b.onEntry(register, "mark", dst, in)}}
	takes := ir.Action{Name: names[1], Do: []ir.Op{b.onEntry(register, "take", dst)}}
	wipes := ir.Action{Name: names[2], Do: []ir.Op{b.onEntry(register, "take", "")}}
	peeks := ir.Action{Name: names[3], Do: []ir.Op{b.onEntry(register, "peek", dst)}}
	if tells {
		wipes.Do = []ir.Op{b.onEntry(register, "take", dst)}
		for i, a := range []*ir.Action{&marks, &takes, &wipes, &peeks} {
			a.Do = append(a.Do, set("meta.did", ir.C([]uint64{didLive, didTake, didWipe, didLook}[i])))
		}
	}
	t := ir.Table{Name: register, Keys: matching(ir.Exact, "meta.op", "meta.look"), Actions: names, Const: true}
	add := func(op, look uint64, action int) {
		t.Entries = append(t.Entries, ir.Entry{Values: []uint64{op, look}, Action: names[action]})
	}
	for _, op := range []uint64{opClaim, opClaim2} {
		add(op, 0, 0)
		add(op, 1, 3)
	}
	add(opMerge, 0, 1)
	for _, op := range []uint64{opClear, opSweep, opFree} {
		add(op, 0, 2)
	}
	b.table(t, marks, takes, wipes, peeks)
}

// states are the keys by which it is told whether a packet is in its half already, and the entries
// of such packets: as wide as a block of TCAM.
func states() []ir.Key { return matching(ir.Ternary, "meta.did", "meta.before", "meta.worker") }

func duplicates(did, mask uint64, action string) (list []ir.Entry) {
	for w := range uint64(bitmapWidth) {
		list = append(list, ir.Entry{Values: []uint64{did, 1 << w, w}, Masks: []uint64{mask, 1 << w, 1<<5 - 1}, Action: action})
	}
	return list
}

// looks is the entry of packets that look at their half, whether they are in it or not.
func looks(action string) ir.Entry {
	return ir.Entry{Values: []uint64{didLook, 0, 0}, Masks: []uint64{every, 0, 0}, Action: action}
}

// every is the mask of all bits of what became of a half.
const every = 7

// counter is a table of stage 4.
func (b *builder) counter() {
	do := func(run, dst string) ir.Action {
		return ir.Action{Name: run, Do: []ir.Op{b.onEntry("counter", run, dst)}}
	}
	live := ir.Entry{Values: []uint64{didLive, 0, 0}, Masks: []uint64{every, 0, 0}, Action: "count"}
	b.table(ir.Table{Name: "counter", Keys: states(), Actions: []string{"count", "peek", "clear_count"}, Default: "clear_count", Const: true,
		Entries: append(duplicates(didLive, every, "peek"), live, looks("peek"))},
		do("count", "meta.count"), do("peek", "meta.count"), ir.Action{Name: "clear_count", Do: []ir.Op{b.onEntry("counter", "clear", "")}})
}

// classify is a table of stage 4: the first packet finds no bit, since whoever frees clears them.
func (b *builder) classify() {
	do := func(name string, way uint64) ir.Action {
		return ir.Action{Name: name, Do: []ir.Op{
			set("meta.way", ir.C(way)), {Kind: ir.Or, Dst: "meta.set", A: ir.F("meta.before"), B: ir.F("meta.bit")},
		}}
	}
	b.table(ir.Table{Name: "classify", Keys: states(), Actions: []string{"first", "further", "again", "look"}, Const: true, Entries: append(
		duplicates(inHalf, inHalf, "again"),
		ir.Entry{Values: []uint64{didLive, 0, 0}, Masks: []uint64{every, 1<<bitmapWidth - 1, 0}, Action: "first"},
		ir.Entry{Values: []uint64{inHalf, 0, 0}, Masks: []uint64{inHalf, 0, 0}, Action: "further"},
		looks("look"),
	)}, do("first", wayFirst), do("further", wayAdd), do("again", wayRead), ir.Action{Name: "look", Do: []ir.Op{
		set("meta.way", ir.C(wayRead)), set("meta.set", ir.F("meta.before")), // without its bit, if that was freed
	}})
}

// values are the tables of stages 5 to 12. An input that is an extreme stands for a sum that was
// cut, as one in the register does: it is not added, but stays (§3.8).
func (b *builder) values() {
	const v = "d.v[*]"
	do := func(run string, in ...ir.Operand) ir.Action {
		return ir.Action{Name: run, Do: []ir.Op{b.onEntry("values[*]", run, v, in...)}}
	}
	entry := func(way, value, mask uint64, action string) ir.Entry {
		return ir.Entry{Values: []uint64{way, value}, Masks: []uint64{3, mask}, Action: action}
	}
	most, least := uint64(math.MaxInt32), uint64(math.MaxInt32)+1
	b.table(ir.Table{Name: "values", Copies: passValues, Keys: matching(ir.Ternary, "meta.way", v), Actions: []string{"overwrite", "add", "cut", "read"}, Const: true, Entries: []ir.Entry{
		entry(wayAdd, most, math.MaxUint32, "cut"), entry(wayAdd, least, math.MaxUint32, "cut"),
		entry(wayAdd, 0, 0, "add"), entry(wayFirst, 0, 0, "overwrite"), entry(wayRead, 0, 0, "read"),
	}}, do("overwrite", ir.F(v)), do("add", ir.F(v)), do("cut", ir.F(v)), do("read"))
}
