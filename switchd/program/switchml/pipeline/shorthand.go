package pipeline

import "github.com/inalab/inalab/switchd/tofino/ir"

// table adds a table and the actions that it brings along.
func (b *builder) table(t ir.Table, actions ...ir.Action) {
	b.p.Tables = append(b.p.Tables, t)
	b.p.Actions = append(b.p.Actions, actions...)
}

// keyless adds a table without keys, which does the action of its name for every packet.
func (b *builder) keyless(a ir.Action) {
	b.table(ir.Table{Name: a.Name, Default: a.Name, Const: true}, a)
}

func apply(table string) ir.Step { return ir.Step{Apply: table} }

// applied are the steps that apply several tables.
func applied(tables ...string) (list []ir.Step) {
	for _, t := range tables {
		list = append(list, apply(t))
	}
	return list
}

// when does then where the condition holds, and otherwise the rest.
func when(c ir.Cond, then ir.Step, otherwise ...ir.Step) ir.Step {
	return ir.Step{If: &c, Then: []ir.Step{then}, Else: otherwise}
}

func set(field string, v ir.Operand) ir.Op { return ir.Op{Kind: ir.Set, Dst: field, A: v} }

func remove(header string) ir.Op { return ir.Op{Kind: ir.Remove, Dst: header} }

// drop is an action that ends the packet for a reason.
func drop(name string, code ir.Operand) ir.Action {
	return ir.Action{Name: name, Do: []ir.Op{set("ig.drop", ir.C(1)), set("meta.reason", code)}}
}

// dropOut is drop on the way out.
func dropOut(name string, code uint64) ir.Action {
	return ir.Action{Name: name, Do: []ir.Op{set("eg.drop", ir.C(1)), set("meta.reason", ir.C(code))}}
}

// onSlot is an action that runs a register action on the slot. In the low bits of
// meta.where it stands, or above the set.
func (b *builder) onSlot(name, register, run, dst string, in ...ir.Operand) ir.Action {
	o := ir.Op{Register: register, Run: run, Index: ir.F("meta.where"), IndexBits: slotBits, Dst: dst, In: in}
	if b.rdma {
		o.IndexFrom = indexSlot
	}
	return execute(name, o)
}

// onEntry is an action that runs a register action on set and slot.
func (b *builder) onEntry(name, register, run, dst string, in ...ir.Operand) ir.Action {
	o := ir.Op{Register: register, Run: run, Index: ir.F("md.entry"), IndexBits: entryBits, Dst: dst, In: in}
	if b.rdma {
		o.IndexFrom = indexSlot - 1
	}
	return execute(name, o)
}

func execute(name string, o ir.Op) ir.Action {
	o.Kind = ir.Execute
	return ir.Action{Name: name, Do: []ir.Op{o}}
}

func exact(fields ...string) []ir.Key   { return keys(ir.Exact, fields) }
func ternary(fields ...string) []ir.Key { return keys(ir.Ternary, fields) }

func keys(kind ir.MatchKind, fields []string) (out []ir.Key) {
	for _, f := range fields {
		out = append(out, ir.Key{Field: f, Kind: kind})
	}
	return out
}

// bySet are the entries of a table whose key is sml.where.
func bySet(zero, one string) []ir.Entry {
	return []ir.Entry{{Values: []uint64{0}, Masks: []uint64{setBit}, Action: zero}, {Values: []uint64{setBit}, Masks: []uint64{setBit}, Action: one}}
}
