package fit

import "github.com/inalab/inalab/switchd/tofino/ir"

// trait says what an operation asks of an action ALU.
type trait uint8

const (
	twoSources   trait = 1 << iota // of which one at least is a container
	shifts                         // a field by a constant
	wholeALU                       // works on whole containers: what shares one would be changed, or would change the result
	highestBit                     // of a container is the sign, or the end of the numbers
	secondField                    // the second source is a container
	secondTurned                   // the second source is a container, or a constant that can be turned round
)

// operations are those of an action ALU but Set (p4c: bf-asm/instruction.cpp;
// bf-p4c/phv/cluster_phv_operations.cpp for what they ask of their fields). The second source of
// a difference is always a container: a constant with a sign is turned round and added, which the
// least number cannot be (bf-p4c/mau/instruction_selection.cpp, SubSat).
var operations = map[ir.OpKind]trait{
	ir.Add: twoSources | wholeALU, ir.Sub: twoSources | wholeALU | secondTurned,
	ir.SatAdd: twoSources | wholeALU | highestBit, ir.SatAddSigned: twoSources | wholeALU | highestBit,
	ir.SatSub: twoSources | wholeALU | secondField, ir.SatSubSigned: twoSources | wholeALU | highestBit | secondTurned,
	ir.Min: twoSources | wholeALU, ir.MinSigned: twoSources | wholeALU | highestBit,
	ir.Max: twoSources | wholeALU, ir.MaxSigned: twoSources | wholeALU | highestBit,
	ir.Shl: shifts | wholeALU, ir.Shr: shifts | wholeALU, ir.ShrSigned: shifts | wholeALU | highestBit,
	ir.And: twoSources, ir.Or: twoSources, ir.Xor: twoSources, ir.AndNot: twoSources,
}

func (t trait) has(o trait) bool { return t&o != 0 }

// arithmetic resolves an operation of an action ALU that is more than a move.
func (c scope) arithmetic(op *Op, o *ir.Op) bool {
	t, most := operations[o.Kind], 64
	if t.has(wholeALU) {
		most = MaxALUBits
	}
	if !c.dst(op, o, most) || !c.fills(op, o, t) {
		return false
	}
	if t.has(shifts) {
		return c.shift(op, o)
	}
	return c.pair(op, o) && c.difference(op, o, t)
}

// fills refuses a field that leaves bits of its container free where the highest of them counts.
func (c scope) fills(op *Op, o *ir.Op, t trait) bool {
	if n := c.bits(op.Dst); t.has(highestBit) && n != 8 && n != 16 && n != 32 {
		c.bad.add(RuleALUSign, c.where, "make it 8, 16 or 32 bits wide",
			"%s to field %q of %d bits; its highest bit must be that of a container", o.Kind, o.Dst, n)
		return false
	}
	return true
}

// difference refuses what an ALU cannot subtract.
func (c scope) difference(op *Op, o *ir.Op, t trait) bool {
	least := t.has(highestBit) && op.B.Kind == Const && op.B.Const == 1<<(op.DstBits-1)
	if t.has(secondField) && op.B.Kind != FromField || t.has(secondTurned) && (op.B.Kind == FromParam || least) {
		c.bad.add(RuleALUSource, c.where, "set a field to it in an earlier stage",
			"%s of %s and %s: the second must be a container", o.Kind, spell(o.A), spell(o.B))
		return false
	}
	return true
}
