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
	entry := func(op uint64, run string) ir.Entry {
		return ir.Entry{Values: []uint64{op}, Action: "own_" + run}
	}
	b.table(ir.Table{Name: "own", Keys: matching(ir.Exact, "meta.op"), Actions: []string{"own_claim", "own_release", "own_release_old"}, Const: true, Entries: []ir.Entry{
		entry(opClaim, "claim"), entry(opClaim2, "claim"), entry(opMerge, "release"), entry(opClear, "release"), entry(opFree, "release_old"),
	}}, do("claim"), do("release"), do("release_old"))
}

// marks is a table of stage 3: it marks in a register, or takes out what was marked. Who
// comes again to free the second half without having found the first takes nothing along.
func (b *builder) marks(register, dst string, in ir.Operand, tells bool) {
	names := []string{"mark_" + register, "take_" + register, "wipe_" + register}
	marks := ir.Action{Name: names[0], Do: []ir.Op{b.onEntry(register, "mark", dst, in)}}
	takes := ir.Action{Name: names[1], Do: []ir.Op{b.onEntry(register, "take", dst)}}
	wipes := ir.Action{Name: names[2], Do: []ir.Op{b.onEntry(register, "take", "")}}
	if tells {
		wipes.Do = []ir.Op{b.onEntry(register, "take", dst)}
		for i, a := range []*ir.Action{&marks, &takes, &wipes} {
			a.Do = append(a.Do, set("meta.did", ir.C([]uint64{didLive, didTake, didWipe}[i])))
		}
	}
	t := ir.Table{Name: register, Keys: matching(ir.Exact, "meta.op", "ig.resubmitted"), Actions: names, Const: true}
	for again := range uint64(2) {
		for op, name := range []string{opClaim: names[0], opClaim2: names[0], opMerge: names[1+again], opClear: names[2], opFree: names[2]} {
			if name != "" {
				t.Entries = append(t.Entries, ir.Entry{Values: []uint64{uint64(op), again}, Action: name})
			}
		}
	}
	b.table(t, marks, takes, wipes)
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

// counter is a table of stage 4.
func (b *builder) counter() {
	do := func(run, dst string) ir.Action {
		return ir.Action{Name: run, Do: []ir.Op{b.onEntry("counter", run, dst)}}
	}
	live := ir.Entry{Values: []uint64{didLive, 0, 0}, Masks: []uint64{3, 0, 0}, Action: "count"}
	b.table(ir.Table{Name: "counter", Keys: states(), Actions: []string{"count", "peek", "clear_count"}, Default: "clear_count", Const: true,
		Entries: append(duplicates(didLive, 3, "peek"), live)},
		do("count", "meta.count"), do("peek", "meta.count"), ir.Action{Name: "clear_count", Do: []ir.Op{b.onEntry("counter", "clear", "")}})
}

// classify is a table of stage 4: the first packet finds no bit, since whoever frees clears them.
func (b *builder) classify() {
	do := func(name string, way uint64) ir.Action {
		return ir.Action{Name: name, Do: []ir.Op{
			set("meta.way", ir.C(way)), {Kind: ir.Or, Dst: "meta.set", A: ir.F("meta.before"), B: ir.F("meta.bit")},
		}}
	}
	b.table(ir.Table{Name: "classify", Keys: states(), Actions: []string{"first", "further", "again"}, Const: true, Entries: append(
		duplicates(inHalf, inHalf, "again"),
		ir.Entry{Values: []uint64{didLive, 0, 0}, Masks: []uint64{3, 1<<bitmapWidth - 1, 0}, Action: "first"},
		ir.Entry{Values: []uint64{inHalf, 0, 0}, Masks: []uint64{inHalf, 0, 0}, Action: "further"},
	)}, do("first", wayFirst), do("further", wayAdd), do("again", wayRead))
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
