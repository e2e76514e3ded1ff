package pipeline

import (
	"fmt"

	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// The variant for 16-bit floats (SwitchML §4.6, App. E): packets carry 64 values of
// binary16, which the switch turns into fixed point, adds, and turns back. No worker
// converts or agrees on a scale, but values must be scaled into (-2, 2).
//
//	pass     pipe
//	0           0   values 0 to 31: table -> fixed point -> add
//	1           1   values 32 to 63 likewise; decide; what is answered takes their sums along
//	2 to 5      2   8 sums -> floats, the last first
//	6           0   read sums 0 to 31
//	7 to 10     3   8 sums -> floats, and out
//
// Into fixed point a value goes by one exact match on its 16 bits: 2^15 entries for
// the lower half of the exponents, 16 blocks of SRAM a value. The upper half as well
// would take 32 blocks a value, more than a pipe has for 32 values.
//
// A float of exponent code e has its value in units of 2^-24, the smallest there is:
// up to code 15 that takes 25 bits, and the sum of 32 workers 30. Codes up to 30 would
// take 45: 32-bit registers hold half the range and no more.

// HalfElements is how many values a packet of the variant has, in 128 bytes.
const HalfElements = 64

// Sizes of the variant.
const (
	halfElements = HalfElements
	sizeHalf     = 0  // code of 128 bytes of values
	group        = 8  // values of a header, and that are turned back in a pass: 6 tables each
	groups       = 4  // that are taken in in a pass
	mantissa     = 10 // bits
	signHalf     = 1 << 15

	// The limits of the values are those of workers, too: see wire.HalfLimit.
	maxCode = wire.HalfCode                        // largest exponent code
	topBit  = wire.HalfUnitBits + maxCode - 14 + 5 // of a sum of 32, if rounding carries
)

// Stages in which the sums of a group are turned back. A stage has 8 ternary tables, and from
// stage 5 on four are those of values: so four sums are turned back in stages before the others.
var (
	signStages   = []int{1, 1, 1, 1, 7, 7, 7, 7}
	roundStages  = []int{3, 3, 3, 3, 8, 8, 8, 8}
	coarseStages = []int{4, 4, 4, 5, 9, 9, 9, 9}
	fineStages   = []int{5, 5, 6, 6, 10, 10, 10, 10}
)

const scaleStage, cutStage = 11, 12

// A bitmap names as many workers as sums have room for.
var _ [MaxWorkers]struct{} = [wire.HalfWorkers]struct{}{}

// Passes of the variant beside passConsume: those that turn sums back are four
// each, the last of which leaves behind passRead.
const (
	lastHalf  = 1 // that adds
	passUpper = 2
	passRead  = passUpper + groups
	passLower = passRead + 1
)

// HalfOfAll returns the variant with a table of all exponents: the switch has no room for it, as
// SwitchML §4.6 says of its own. No engine runs it.
func HalfOfAll() *ir.Program {
	b := builder{half: true, full: true}
	return b.program()
}

// fixed returns a float in units of 2^-24, for codes up to maxCode exactly. With full
// the unit is 2^-10, as all codes would need, and what is smaller gets lost.
func fixed(h uint16, full bool) int32 {
	code, m := int(h>>mantissa&31), int64(h&(1<<mantissa-1))
	if code > 0 {
		m = (m | 1<<mantissa) << (code - 1)
	}
	if full {
		m >>= 14
	}
	if h&signHalf != 0 {
		m = -m
	}
	return int32(m)
}

// halfHeaders are the values of a packet: those that a pass takes in and, in the
// first, those of the next; sums; and what becomes of the last of them.
func halfHeaders() (list []ir.Header) {
	add := func(name string, bits int) {
		list = append(list, ir.Header{Name: name, Fields: []ir.Field{{Name: "v", Bits: bits, Count: group}}})
	}
	for i := range 2 * groups {
		add(numbered("h", i), 16)
	}
	for i := range groups {
		add(numbered("f", i), 32)
	}
	return append(list, ir.Header{Name: "r", Fields: []ir.Field{{Name: "pair", Bits: 32, Count: group / 2}}})
}

// numbered is the name of one of several, and named of some of them.
func numbered(name string, i int) string { return fmt.Sprintf("%s%d", name, i) }

func named(name string, from, to int) (list []string) {
	for i := from; i < to; i++ {
		list = append(list, numbered(name, i))
	}
	return list
}

// sums is the field of the group that is turned back.
const sums = "f3.v[*]"

// halfMetadata is what the variant has beside the rest.
func halfMetadata() []ir.Field {
	return []ir.Field{
		{Name: "acc", Bits: 32, Count: group}, // sign and exponent of a sum, in its lower half
	}
}

// halfRegisters are the sums: of one lane, since a pass takes in 32 values.
func halfRegisters() (list []ir.Register) {
	for _, name := range named("values", 0, groups) {
		list = append(list, ir.Register{Name: name, Copies: group, Size: 2 * switchml.MaxSlots, Bits: 32, Lanes: 1, Actions: []ir.RegAction{
			{Name: "overwrite", Lo: always(ir.Set, ir.In0, ir.Nothing), Out: out(ir.NewLo)},
			{Name: "add", Lo: always(ir.Add, ir.Lo, ir.In0), Out: out(ir.NewLo)},
			{Name: "read", Out: out(ir.Lo)},
		}})
	}
	return list
}

// halfTables are those of the variant.
func (b *builder) halfTables() {
	for i := range groups {
		b.fix(fmt.Sprint(i))
		b.halfValues(fmt.Sprint(i))
	}
	b.turnBack()
}

// fix turns a group of floats into fixed point.
func (b *builder) fix(n string) {
	t := ir.Table{Name: "fix" + n, Copies: group, Keys: exact("h" + n + ".v[*]"), Actions: []string{"fix" + n}, Const: true}
	codes := uint16(maxCode)
	if b.full {
		codes = 30 // 31 is infinity and what is no number
	}
	for code := range codes + 1 {
		for m := range uint16(1 << mantissa) {
			for _, sign := range []uint16{0, signHalf} {
				h := sign | code<<mantissa | m
				t.Entries = append(t.Entries, ir.Entry{Values: []uint64{uint64(h)}, Action: "fix" + n, Args: []uint64{uint64(uint32(fixed(h, b.full)))}})
			}
		}
	}
	b.table(t, ir.Action{Name: "fix" + n, Params: []ir.Param{{Name: "fixed", Bits: 32}}, Do: []ir.Op{set("f"+n+".v[*]", ir.P("fixed"))}})
}

// halfValues are the tables of a group that add and read.
func (b *builder) halfValues(n string) {
	field := ir.F("f" + n + ".v[*]")
	do := func(run string, in ...ir.Operand) ir.Action {
		return b.onEntry(run+n, "values"+n+"[*]", run, field.Field, in...)
	}
	b.table(ir.Table{
		Name: "values" + n, Copies: group, Keys: append(seenKeys(), ternary("meta.op")...),
		Entries: b.valueEntries("overwrite"+n, "read"+n, "read"+n),
		Actions: []string{"overwrite" + n, "add" + n, "read" + n}, Default: "add" + n, Const: true,
	}, do("overwrite", field), do("add", field), do("read"))
}

// turnBack makes floats of a group of sums, the nearest, as IEEE 754 has it: the sign
// aside, the place of the leading one tells by how much the rest is shifted, after half
// of what is shifted out has been added.
func (b *builder) turnBack() {
	const acc = "meta.acc[*]"
	b.table(ir.Table{
		Name: "sign", Copies: group, Stages: signStages, Keys: ternary(sums), Actions: []string{"negative"}, Const: true,
		Entries: []ir.Entry{{Values: []uint64{1 << 31}, Masks: []uint64{1 << 31}, Action: "negative"}},
	}, ir.Action{Name: "negative", Do: []ir.Op{{Kind: ir.Sub, Dst: sums, A: ir.C(0), B: ir.F(sums)}, set(acc, ir.C(signHalf))}})
	b.table(ir.Table{Name: "round", Copies: group, Stages: roundStages, Keys: ternary(sums), Actions: []string{"round"}, Entries: rounding(), Const: true},
		ir.Action{Name: "round", Params: []ir.Param{{Name: "part", Bits: 32}}, Do: []ir.Op{{Kind: ir.Add, Dst: sums, A: ir.F(sums), B: ir.P("part")}}})
	b.shifts("coarse", coarseStages, []uint64{16, 12, 8, 4})
	b.shifts("fine", fineStages, []uint64{3, 2, 1})
	b.table(ir.Table{Name: "scale", Copies: group, Stage: scaleStage, Default: "scale", Const: true}, // the leading one makes the exponent 1 more
		ir.Action{Name: "scale", Do: []ir.Op{{Kind: ir.Add, Dst: sums, A: ir.F(sums), B: ir.F(acc)}}})
	for i, name := range named("cut", 0, group/2) { // an ALU reads containers of its own width: two floats go into one of 32 bits
		pair, first, second := fmt.Sprintf("r.pair[%d]", i), fmt.Sprintf("f3.v[%d][15:0]", 2*i), fmt.Sprintf("f3.v[%d][15:0]", 2*i+1)
		b.table(ir.Table{Name: name, Stage: cutStage, Default: name, Const: true},
			ir.Action{Name: name, Do: []ir.Op{set(pair+"[31:16]", ir.F(first)), set(pair+"[15:0]", ir.F(second))}})
	}
}

// rounding says for each place of the leading one what is added to a sum: what makes
// it carry from the half on, and of two that are as near, to the even one.
func rounding() (list []ir.Entry) {
	for k := 1; mantissa+k <= topBit; k++ {
		one, last := uint64(1)<<(mantissa+k), uint64(1)<<k
		for odd := range uint64(2) {
			list = append(list, ir.Entry{Values: []uint64{one | odd*last}, Masks: []uint64{1<<32 - one | last}, Action: "round", Args: []uint64{last/2 - 1 + odd}})
		}
	}
	return list
}

// shifts moves the leading one of sums down by one of some steps, the largest after
// which it is not below its place.
func (b *builder) shifts(name string, stages []int, steps []uint64) {
	const acc = "meta.acc[*]"
	t := ir.Table{Name: name, Copies: group, Stages: stages, Keys: ternary(sums), Const: true}
	for _, k := range steps {
		action := fmt.Sprintf("shift%d", k)
		t.Actions = append(t.Actions, action)
		for p := mantissa + k; p <= topBit; p++ { // an entry for each place of the leading one
			one := uint64(1) << p
			t.Entries = append(t.Entries, ir.Entry{Values: []uint64{one}, Masks: []uint64{1<<32 - one}, Priority: len(t.Actions), Action: action})
		}
		b.p.Actions = append(b.p.Actions, ir.Action{Name: action, Do: []ir.Op{
			{Kind: ir.Shr, Dst: sums, A: ir.F(sums), B: ir.C(k)}, {Kind: ir.Or, Dst: acc, A: ir.F(acc), B: ir.C(k << mantissa)},
		}})
	}
	b.table(t)
}
