package isa

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The instructions of the paper's example fit the engine as they are counted.
func TestResourcesOfTheFilter(t *testing.T) {
	want := []Resources{
		{LMEMReads: 1, RegisterWrites: 1, Conditions: 1, MoveALUs: 1, Targets: 2},
		{LMEMReads: 2, RegisterWrites: 1, Conditions: 2, MoveALUs: 1, Targets: 2},
		{RegisterReads: 2, Conditions: 2, Targets: 1, Issues: 1},
		{RegisterReads: 1, Targets: 1, Issues: 1},
		{RegisterReads: 1, Targets: 1, Issues: 1},
	}
	p := filter()
	for i := range p.Instructions {
		got := p.Instructions[i].Resources()
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Errorf("instruction %d (-want +got):\n%s", i, diff)
		}
		if over := got.Over(); over != nil {
			t.Errorf("instruction %d does not fit: %v", i, over)
		}
	}
}

// What one more operand, operation or target does.
func TestResourcesCount(t *testing.T) {
	reg := func(n int) Expr { return LowReg(uint8(n)) }
	sum := func(x, y Expr) Expr { return Binary{Add, x, y} }
	move := func(to Place, from Expr) Move { return Move{nil, to, from} }
	for _, c := range []struct {
		name string
		in   Instruction
		want Resources
	}{
		{"two fields of a register are one read", Instruction{Moves: []Move{
			move(LowReg(1), sum(Reg{2, 0, 8}, Reg{2, 8, 8}))}},
			Resources{RegisterReads: 1, RegisterWrites: 1, MoveALUs: 1}},
		{"an operand used twice is read once", Instruction{Moves: []Move{
			move(LowReg(1), sum(Bytes(0, 4), Bytes(0, 4)))}},
			Resources{LMEMReads: 1, RegisterWrites: 1, MoveALUs: 1}},
		{"a pointer is no read", Instruction{Moves: []Move{
			move(LMEM{sum(reg(1), Const(4)), 0, 8}, LMEM{reg(2), 0, 8})}},
			Resources{LMEMReads: 1, LMEMWrites: 1, MoveALUs: 1}},
		{"an index is computed", Instruction{Moves: []Move{
			move(LowReg(3), LMEM{sum(reg(1), reg(2)), 0, 8})}},
			Resources{RegisterReads: 2, LMEMReads: 1, RegisterWrites: 1, Conditions: 1, MoveALUs: 1}},
		{"two sources of one place are one move", Instruction{Moves: []Move{
			{reg(1), LowReg(2), Const(1)}, {Unary{LogicalNot, reg(1)}, LowReg(2), Const(2)}}},
			Resources{RegisterReads: 1, RegisterWrites: 1, Conditions: 1, MoveALUs: 1}},
		{"two fields of a register are one write of two moves", Instruction{Moves: []Move{
			move(Reg{1, 0, 8}, Const(1)), move(Reg{1, 8, 8}, Const(2))}},
			Resources{RegisterWrites: 1, MoveALUs: 2}},
		{"a reply is a write", Instruction{Issues: []Issue{{XTXN: HashLookup, Args: []Expr{Pair{reg(1), reg(2)}}, Reply: WholeReg(3)}}},
			Resources{RegisterReads: 2, RegisterWrites: 1, Issues: 1}},
		{"a select takes an ALU but at the end of a move", Instruction{Wires: []Expr{Select{reg(1), reg(2), reg(3)}},
			Moves: []Move{move(LowReg(4), Select{Wire(0), Const(1), Const(2)})}},
			Resources{RegisterReads: 3, RegisterWrites: 1, Conditions: 2, MoveALUs: 1}},
		{"branches to one target are one", Instruction{Next: []Branch{{reg(1), Goto, 7}, {nil, Goto, 7}}},
			Resources{RegisterReads: 1, Conditions: 1, Targets: 1}},
	} {
		if diff := cmp.Diff(c.want, c.in.Resources()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Each limit of the engine is a rule with its source; at the limit nothing is
// said, beyond it one rule is named (trio §2.2, §3.1).
func TestRules(t *testing.T) {
	for _, c := range []struct {
		fits, over Resources
		want       string
	}{
		{Resources{LMEMReads: 2}, Resources{LMEMReads: 3},
			"needs 3 LMEM reads, there are 2 (rule: an instruction reads at most 2 LMEM operands; trio §3.1)"},
		{Resources{RegisterReads: 4}, Resources{RegisterReads: 5},
			"needs 5 register reads, there are 4 (rule: an instruction reads at most 4 registers; each LMEM operand takes the place of 2; trio §3.1; the mixture is assumed)"},
		{Resources{RegisterReads: 2, LMEMReads: 1}, Resources{RegisterReads: 3, LMEMReads: 1},
			"needs 5 register reads, there are 4 (rule: an instruction reads at most 4 registers; each LMEM operand takes the place of 2; trio §3.1; the mixture is assumed)"},
		{Resources{RegisterWrites: 1, LMEMWrites: 1}, Resources{RegisterWrites: 2, LMEMWrites: 1},
			"needs 3 writes, there are 2 (rule: an instruction writes at most 2 registers or LMEM fields; trio §3.1)"},
		{Resources{Conditions: 4}, Resources{Conditions: 5},
			"needs 5 Condition ALUs, there are 4 (rule: an instruction has at most 4 operations for its Condition ALUs; assumed: one for each register operand)"},
		{Resources{MoveALUs: 2}, Resources{MoveALUs: 3},
			"needs 3 Move ALUs, there are 2 (rule: an instruction has at most 2 results for its Move ALUs; assumed: one for each write)"},
		{Resources{Targets: 8}, Resources{Targets: 9},
			"needs 9 branch targets, there are 8 (rule: an instruction has at most 8 branch targets; trio §2.2)"},
	} {
		if over := c.fits.Over(); over != nil {
			t.Errorf("%+v does not fit: %v", c.fits, over)
		}
		over := c.over.Over()
		if len(over) != 1 || over[0].String() != c.want {
			t.Errorf("%+v: got %v, want %s", c.over, over, c.want)
		}
	}
}

func TestTotals(t *testing.T) {
	got := filter().Totals()
	want := Totals{Instructions: 5, Issues: 3, Registers: 4, LMEMBytes: HeadBytes + 2,
		Most: Resources{RegisterReads: 2, LMEMReads: 2, RegisterWrites: 1, Conditions: 2, MoveALUs: 1, Targets: 2, Issues: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
