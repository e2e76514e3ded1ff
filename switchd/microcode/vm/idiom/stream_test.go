package idiom

import (
	"testing"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// tailLoop adds a tail to memory: r1 is the offset in the tail, r2 the address in memory.
func tailLoop() *isa.Program {
	offset, paddr, buffer, bytes := isa.LowReg(1), isa.LowReg(2), isa.Const(512), isa.Const(64)
	plus := func(r isa.Reg, n isa.Const) isa.Move {
		return isa.Move{To: r, From: isa.Binary{Op: isa.Add, X: r, Y: n}}
	}
	again := isa.Branch{When: isa.Binary{Op: isa.Less, X: offset, Y: isa.Const(4096)}, Jump: isa.Goto}
	return &isa.Program{Name: "tail", AddBytes: isa.MaxAddBytes, Instructions: []isa.Instruction{
		{Moves: []isa.Move{plus(offset, 64)}, Next: always(isa.Goto, 1),
			Issues: []isa.Issue{{XTXN: isa.TailRead, Args: []isa.Expr{offset, buffer, bytes}}}},
		{Moves: []isa.Move{plus(paddr, 8)}, Next: always(isa.Goto, 2),
			Issues: []isa.Issue{{XTXN: isa.MemAdd32, Args: []isa.Expr{paddr, isa.Const(0), buffer, bytes}, Async: true}}},
		{Next: []isa.Branch{again, {Jump: isa.Exit}}},
	}}
}

// A loop is a stream only if all of it is understood.
func TestStreams(t *testing.T) {
	loop := func(change func(*isa.Program)) []int {
		p := tailLoop()
		change(p)
		code, err := vm.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		return Attach(code, p)
	}
	if got := loop(func(*isa.Program) {}); len(got) != 1 || got[0] != 0 {
		t.Errorf("streams at %v, want 0", got)
	}
	for name, change := range map[string]func(in []isa.Instruction){
		"wire":             func(in []isa.Instruction) { in[1].Wires = []isa.Expr{isa.Const(1)} },
		"condition":        func(in []isa.Instruction) { in[0].Issues[0].When = isa.LowReg(9) },
		"conditional step": func(in []isa.Instruction) { in[0].Moves[0].When = isa.LowReg(9) },
		"other move":       func(in []isa.Instruction) { in[0].Moves[0].From = isa.LowReg(9) },
		"other XTXN": func(in []isa.Instruction) {
			in[1].Issues[0] = isa.Issue{XTXN: isa.MemRead, Args: []isa.Expr{isa.LowReg(2), isa.Const(512), isa.Const(64)}}
		},
		"other buffer": func(in []isa.Instruction) { in[1].Issues[0].Args[2] = isa.Const(520) },
		"no wait":      func(in []isa.Instruction) { in[0].Issues[0].Async = true },
		"stride of memory": func(in []isa.Instruction) {
			in[1].Moves[0].From = isa.Binary{Op: isa.Add, X: isa.LowReg(2), Y: isa.Const(16)}
		},
		"stride of tail": func(in []isa.Instruction) {
			in[0].Moves[0].From = isa.Binary{Op: isa.Add, X: isa.LowReg(1), Y: isa.Const(32)}
		},
		"equality": func(in []isa.Instruction) {
			in[2].Next[0].When = isa.Binary{Op: isa.Equal, X: isa.LowReg(1), Y: isa.LowReg(9)}
		},
		"away from its end": func(in []isa.Instruction) {
			in[2].Next[0].When = isa.Binary{Op: isa.Greater, X: isa.LowReg(1), Y: isa.LowReg(9)}
		},
		"part of a step": func(in []isa.Instruction) {
			in[2].Next[0].When = isa.Binary{Op: isa.Less, X: isa.Reg{Num: 1, Bit: 48, Width: 16}, Y: isa.LowReg(9)}
		},
		"end that moves": func(in []isa.Instruction) {
			in[2].Next[0].When = isa.Binary{Op: isa.Less, X: isa.LowReg(1), Y: isa.LowReg(2)}
		},
		"truth of a value": func(in []isa.Instruction) { in[2].Next[0].When = isa.LowReg(9) },
		"way out": func(in []isa.Instruction) {
			in[1].Next = []isa.Branch{{When: isa.LowReg(9), Jump: isa.Exit}, in[1].Next[0]}
		},
	} {
		if got := loop(func(p *isa.Program) { change(p.Instructions) }); len(got) != 0 {
			t.Errorf("%s: streams at %v", name, got)
		}
	}
}

// A loop that ends at equality goes on where it passes its end; one that meets it goes on behind
// the loop, without an instruction of the loop being executed one by one.
func TestEndOfALoop(t *testing.T) {
	for end, want := range map[isa.Const]vm.Stop{128: vm.Exits, 100: vm.Faults} {
		p := tailLoop()
		p.Instructions[2].Next = []isa.Branch{
			{When: isa.Binary{Op: isa.NotEqual, X: isa.LowReg(1), Y: end}, Jump: isa.Goto}, {Jump: isa.Goto, Target: 3},
		}
		p.Instructions = append(p.Instructions, isa.Instruction{Next: always(isa.Exit, 0)})
		code, err := vm.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		Attach(code, p)
		var thread vm.Thread
		code.Start(&thread, 0, 30)
		thread.SetRegister(2, plantWords)
		h := &hasty{plant: plant{base: plantWords, tail: make([]byte, 2000)}, patience: 1 << 20}
		if got := thread.Run(h); got != want {
			t.Errorf("a loop up to %d ends with %d, want %d", end, got, want)
		}
		if want == vm.Exits && (h.streamed != 2 || thread.Executed != 7) {
			t.Errorf("%d iterations were a stream and %d instructions executed, want 2 and 7", h.streamed, thread.Executed)
		}
	}
}
