package pipeline

import (
	"fmt"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// state are the tables of stages 2 to 5 that only packets meet that have just come
// from a worker.
func (b *builder) state() {
	b.table(ir.Table{Name: "admit", Keys: ternary("sml.where"), Actions: []string{"admit0", "admit1"}, Entries: bySet("admit0", "admit1"), Const: true},
		ir.Action{Name: "admit0", Do: []ir.Op{set("meta.go", ir.C(1)), set("md.entry", ir.F("meta.where"))}},
		ir.Action{Name: "admit1", Do: []ir.Op{set("meta.go", ir.C(1)), {Kind: ir.Or, Dst: "md.entry", A: ir.F("meta.where"), B: ir.C(1 << slotBits)}}})
	b.spread("meta.where")
	if !b.faithful {
		b.tags()
	}
	b.slot()
}

// slot are the tables of what is known of a slot, which every pass that adds meets.
func (b *builder) slot() {
	b.bitmap()
	b.table(ir.Table{
		Name: "counter", Keys: seenKeys(), Actions: []string{"count", "recount"}, Default: "count", Const: true, Entries: b.seen("recount"),
	}, b.onEntry("count", "counter", "step", "meta.left", ir.F("meta.fill")), b.onEntry("recount", "counter", "peek", "meta.left"))
	b.exponent("0")
	b.exponent("1")
	b.table(ir.Table{Name: "again", Keys: seenKeys(), Actions: []string{"again"}, Const: true, Entries: b.duplicates("again")},
		ir.Action{Name: "again", Do: []ir.Op{set("meta.dup", ir.C(1))}})
	b.verdict()
}

// spread gives packets with the same low bits of a field, such as those of a slot of the
// pool, a port of their own in the pipes of further passes.
func (b *builder) spread(field string) {
	t := ir.Table{Name: "spread", Keys: ternary(field), Actions: []string{"spread"}, Const: true}
	for i := range uint64(portsPerPipe) {
		t.Entries = append(t.Entries, ir.Entry{Values: []uint64{i}, Masks: []uint64{portsPerPipe - 1}, Action: "spread", Args: []uint64{i << channelBits}})
	}
	b.table(t, ir.Action{Name: "spread", Params: []ir.Param{{Name: "port", Bits: 9}}, Do: []ir.Op{set("md.spread", ir.P("port"))}})
}

// tags tells packets of phases that are over. Those that are two quarters behind leave no tag.
func (b *builder) tags() {
	for set, name := range []string{"stamp0", "stamp1"} {
		t := ir.Table{Name: name, Keys: ternary("sml.where", "meta.quarters", "sml.job"), Const: true}
		for _, run := range []string{"take", "judge", "take_behind", "judge_behind"} {
			action := fmt.Sprintf("%s%d", run, set)
			t.Actions = append(t.Actions, action)
			b.p.Actions = append(b.p.Actions, b.onSlot(action, name, run, fmt.Sprintf("meta.newer%d", set), ir.F("meta.quarters"), ir.F("meta.tag")))
		}
		own, other := uint64(set)*setBit, uint64(1-set)*setBit
		for byteQuarter := range uint64(4) {
			for behind, actions := range [][2]string{{t.Actions[0], t.Actions[1]}, {t.Actions[2], t.Actions[3]}, {t.Actions[3], t.Actions[3]}} {
				counted := (byteQuarter + uint64(behind)) % 4
				for i, where := range []uint64{own, other} {
					t.Entries = append(t.Entries, ir.Entry{Values: []uint64{where, counted, byteQuarter * quarter}, Masks: []uint64{setBit, 3, 3 * quarter}, Action: actions[i]})
				}
			}
		}
		b.table(t)
	}
}

func (b *builder) bitmap() {
	field, setBit := b.set()
	t := ir.Table{Name: "bitmap", Keys: ternary(field, "meta.newer1", "meta.newer0"), Actions: []string{"mark0", "mark1", "peek0", "peek1"}, Const: true}
	for i, action := range t.Actions {
		own, late := uint64(i%2), uint64(i/2) // late: the other set is newer
		t.Entries = append(t.Entries, ir.Entry{Values: []uint64{own * setBit, late, late}, Masks: []uint64{setBit, 1 - own, own}, Action: action})
	}
	bit, before := ir.F("meta.bit"), "meta.before"
	peek := func(name string) ir.Action {
		a := b.onSlot(name, "bitmap", name, before)
		a.Do = append(a.Do, set("meta.late", ir.C(1)))
		return a
	}
	b.table(t, b.onSlot("mark0", "bitmap", "mark0", before, bit), b.onSlot("mark1", "bitmap", "mark1", before, bit), peek("peek0"), peek("peek1"))
}

func (b *builder) exponent(n string) {
	name, read, raise, first := "exponent"+n, "read_e"+n, "raise_e"+n, "first_e"+n
	field := "sml.e" + n
	if b.rdma {
		field = "imm.e" + n
	}
	b.table(ir.Table{
		Name: name, Keys: seenKeys(), Actions: []string{read, raise, first}, Default: raise, Const: true,
		Entries: append(b.seen(read), empty(first)),
	}, b.onEntry(first, name, "overwrite", field, ir.F(field)), b.onEntry(raise, name, "raise", field, ir.F(field)), b.onEntry(read, name, "read", field))
}

// values are the 32 tables that add and read, in the passes of all kinds.
func (b *builder) values() {
	do := func(run, dst string, in ...ir.Operand) ir.Action { return b.onEntry(run, "values[*]", run, dst, in...) }
	lower, upper := ir.F("d0.v[*]"), ir.F("d1.v[*]")
	b.table(ir.Table{
		Name: "values", Copies: lanes, Keys: append(seenKeys(), ternary("meta.op")...),
		Entries: b.valueEntries("overwrite", "lower", "upper"),
		Actions: []string{"overwrite", "add", "lower", "upper"}, Default: "add", Const: true,
	}, do("overwrite", "d1.v[*]", lower, upper), do("add", "d1.v[*]", lower, upper), do("lower", "d0.v[*]"), do("upper", "d1.v[*]"))
}

// valueEntries are the entries of a table of values: packets that read the lower or the upper
// half, those that do not add, and the first of a phase.
func (b *builder) valueEntries(first, lower, upper string) []ir.Entry {
	list := []ir.Entry{
		{Values: []uint64{0, 0, 0, opReadLower}, Masks: []uint64{0, 0, 0, 7}, Action: lower},
		{Values: []uint64{0, 0, 0, opReadUpper}, Masks: []uint64{0, 0, 0, 7}, Action: upper},
	}
	for _, e := range append(b.seen(upper), empty(first)) {
		e.Values, e.Masks = append(e.Values, 0), append(e.Masks, 0)
		list = append(list, e)
	}
	return list
}

// seenKeys are what tells whether a packet is the first of a phase, is new, or has
// been seen: together they are as wide as a block of TCAM.
func seenKeys() []ir.Key { return ternary("meta.before", "meta.worker", "meta.late") }

// seen are the entries of packets that only read: late ones, and duplicates.
func (b *builder) seen(action string) []ir.Entry {
	late := ir.Entry{Values: []uint64{0, 0, 1}, Masks: []uint64{0, 0, 1}, Action: action}
	return append(b.duplicates(action), late)
}

// duplicates are the entries that a packet meets whose bit is set already.
func (b *builder) duplicates(action string) (out []ir.Entry) {
	for w := range uint64(MaxWorkers) {
		out = append(out, ir.Entry{Values: []uint64{1 << w, w, 0}, Masks: []uint64{1 << w, 1<<5 - 1, 0}, Action: action})
	}
	return out
}

// empty is the entry of the first packet of a phase, behind that of late ones.
func empty(action string) ir.Entry {
	return ir.Entry{Values: []uint64{0, 0, 0}, Masks: []uint64{1<<MaxWorkers - 1, 0, 0}, Action: action}
}

// verdict says what becomes of the packet in the end: in the last pass that adds,
// since only what has come so far is in all pipes.
func (b *builder) verdict() {
	t := ir.Table{
		Name: "verdict", Keys: ternary("meta.late", "meta.newer0", "meta.newer1", "meta.dup", "meta.left", "meta.part"), Const: true, Counter: true,
		Actions: []string{"verdict", "duplicate", "too_late"},
	}
	add := func(values, masks [6]uint64, action string, args ...uint64) {
		t.Entries = append(t.Entries, ir.Entry{Values: values[:], Masks: masks[:], Action: action, Args: args})
	}
	complete := func(values, masks [6]uint64, here, part uint64) {
		masks[5] = 1
		add(values, masks, "verdict", here)
		values[5] = 1
		add(values, masks, "verdict", part)
	}
	add([6]uint64{1, 1, 1}, [6]uint64{1, 1, 1}, "too_late") // its own set is newer, too
	complete([6]uint64{0, 0, 0, 1, 0}, [6]uint64{0, 0, 0, 1, 0xff}, verdictUnicast, verdictUpAgain)
	add([6]uint64{1}, [6]uint64{1}, "too_late")
	add([6]uint64{0, 0, 0, 1}, [6]uint64{0, 0, 0, 1}, "duplicate")
	complete([6]uint64{}, [6]uint64{0, 0, 0, 0, 0xff}, verdictMulticast, verdictUp)
	add([6]uint64{}, [6]uint64{}, "verdict", verdictAbsorb)
	judge := func(name string, code ir.Operand, do ...ir.Op) ir.Action {
		return ir.Action{Name: name, Do: append(do, set("md.verdict", code), set("meta.judged", ir.C(1)))}
	}
	end := func(name string, code uint64) ir.Action {
		return judge(name, ir.C(verdictDrop), drop("", ir.C(code)).Do...)
	}
	verdict := judge("verdict", ir.P("code"))
	verdict.Params = []ir.Param{{Name: "code", Bits: 8}}
	b.table(t, verdict, end("duplicate", dropDuplicate), end("too_late", dropLate))
}
