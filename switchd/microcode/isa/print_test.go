package isa

import (
	"testing"

	"github.com/inalab/inalab/internal/golden"
)

func TestDump(t *testing.T) {
	golden.Equal(t, "filter.txt", filter().Dump())
}

func TestExpressionsRead(t *testing.T) {
	a, b := LowReg(1), Reg{2, 5, 1}
	for _, c := range []struct {
		in   interface{ String() string }
		want string
	}{
		{a, "r1[31:0]"},
		{b, "r2[58]"},
		{WholeReg(7), "r7"},
		{Const(1023), "1023"},
		{Const(1024), "0x400"},
		{Bytes(66, 2), "lmem[66]:16"},
		{LMEM{nil, 66*8 + 4, 4}, "lmem[66.4]:4"},
		{LMEM{a, 12*8 + 1, 4}, "lmem[r1[31:0]+12.1]:4"},
		{LMEM{a, -12, 4}, "lmem[r1[31:0]-2.4]:4"},
		{LMEM{Binary{Add, a, Wire(0)}, 8, 4}, "lmem[(r1[31:0] + w0)+1]:4"},
		{Binary{Sub, a, Binary{Sub, b, Const(1)}}, "r1[31:0] - (r2[58] - 1)"},
		{Unary{LogicalNot, Binary{Equal, a, b}}, "!(r1[31:0] == r2[58])"},
		{Select{b, a, Unary{Negate, a}}, "r2[58] ? r1[31:0] : -r1[31:0]"},
		{Move{b, a, Pair{a, nil}}, "if r2[58]: r1[31:0] = {r1[31:0], ?}"},
		{Issue{XTXN: HashLookup, Args: []Expr{WholeReg(1)}, Reply: WholeReg(2)}, "r2 = HashLookup(r1)"},
		{Issue{When: b, XTXN: Drop, Args: []Expr{a}, Async: true}, "if r2[58]: async Drop(r1[31:0])"},
		{XTXN(0), "XTXN?"},
		{Resources{RegisterReads: 2, LMEMReads: 1, LMEMWrites: 1, Targets: 1}, "reads 2r 1m, writes 1m, 1 target"},
	} {
		if got := c.in.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
