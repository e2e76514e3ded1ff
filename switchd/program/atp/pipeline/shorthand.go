package pipeline

import (
	"fmt"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// Guards of stateful ALUs beside those of package ir.
const (
	ifEither  ir.Guard = 0b1110
	ifNeither ir.Guard = 0b0001
)

// table adds a table and the actions that no table before has brought along.
func (b *builder) table(t ir.Table, actions ...ir.Action) {
	b.p.Tables = append(b.p.Tables, t)
	b.p.Actions = append(b.p.Actions, actions...)
}

// always adds a table without keys, which does the action of its name for every packet.
func (b *builder) always(name string, do ...ir.Op) {
	b.table(ir.Table{Name: name, Default: name, Const: true}, ir.Action{Name: name, Do: do})
}

func apply(tables ...string) (list []ir.Step) {
	for _, t := range tables {
		list = append(list, ir.Step{Apply: t})
	}
	return list
}

// when does some steps where a condition holds, and others where it does not.
func when(c *ir.Cond, then, otherwise []ir.Step) []ir.Step {
	return []ir.Step{{If: c, Then: then, Else: otherwise}}
}

func valid(header string) *ir.Cond { return &ir.Cond{Valid: header} }

func compare(field string, op ir.Relation, with ir.Operand) *ir.Cond {
	return &ir.Cond{Left: field, Op: op, Right: with}
}

func set(field string, v ir.Operand) ir.Op { return ir.Op{Kind: ir.Set, Dst: field, A: v} }

// matching are keys of one kind.
func matching(kind ir.MatchKind, fields ...string) (keys []ir.Key) {
	for _, f := range fields {
		keys = append(keys, ir.Key{Field: f, Kind: kind})
	}
	return keys
}

func param(name string, bits int) ir.Param { return ir.Param{Name: name, Bits: bits} }

// onEntry is an operation on the entry of the half that the pass works on.
func (b *builder) onEntry(register, run, dst string, in ...ir.Operand) ir.Op {
	return ir.Op{Kind: ir.Execute, Register: register, Run: run, Index: ir.F("meta.entry"), IndexBits: b.entryBits(), Dst: dst, In: in}
}

// copyName is the name of one of several with a number behind it.
func copyName(name string, i int) string { return fmt.Sprintf("%s%d", name, i) }
