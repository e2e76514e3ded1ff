package vm

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// A condition that three parts of an instruction ask is asked once, and what it came to is no value any more.
func TestAPathAsksOnce(t *testing.T) {
	reg := func(n uint8) isa.Reg { return isa.LowReg(n) }
	below := isa.Binary{Op: isa.Less, X: reg(1), Y: isa.Const(4)}
	p := &isa.Program{Name: "asks", AddBytes: isa.MaxAddBytes, Instructions: []isa.Instruction{{
		Wires:  []isa.Expr{below},
		Issues: []isa.Issue{{When: isa.Wire(0), XTXN: isa.MemAdd32, Args: []isa.Expr{reg(2), isa.Const(0), isa.Const(64), isa.Const(4)}, Async: true}},
		Next:   []isa.Branch{{When: isa.Unary{Op: isa.LogicalNot, X: isa.Wire(0)}, Jump: isa.Exit}, {Jump: isa.Goto, Target: 0}},
		Moves:  []isa.Move{{To: reg(3), From: isa.Select{If: isa.Wire(0), Then: isa.Const(7), Else: isa.Const(8)}}},
	}}}
	code, err := Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[flatKind]int{}
	for _, o := range code.instrs[0].flat {
		kinds[o.kind]++
	}
	if kinds[flatIf] != 1 || kinds[flatWithin] != 0 || kinds[flatMove] != 2 || kinds[flatIssue] != 1 || kinds[flatEnd] != 2 {
		t.Fatalf("operations by kind: %v", kinds)
	}
}

// Where an instruction is flat, that form and the closures leave a thread alike, and lead to the same next one.
func TestFlatIsTheClosures(t *testing.T) {
	flat, all := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		p, thread, _ := drawThread(rt)
		for pc := range p.Instructions {
			in := &thread.code.instrs[pc]
			if all++; in.flat == nil {
				continue
			}
			flat++
			one, other := *thread, *thread
			next, want := one.runFlat(in, int32(pc)), in.execute(&other, int32(pc))
			if next != want || one.fault != other.fault {
				rt.Fatalf("instruction %d leads to %d %q, want %d %q\n%s", pc, next, one.fault, want, other.fault, p.Dump())
			}
			if next != toFault {
				clear(one.file[wireFile:])
				clear(other.file[wireFile:])
				one.writes, other.writes = [isa.MaxMoves]write{}, [isa.MaxMoves]write{}
				if one != other {
					rt.Fatalf("instruction %d leaves other threads\n%s", pc, p.Dump())
				}
			}
		}
	})
	if flat == 0 {
		t.Fatalf("%d of %d instructions are flat", flat, all)
	}
}
