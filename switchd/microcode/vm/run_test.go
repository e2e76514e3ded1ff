package vm

import (
	"testing"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

func compile(t *testing.T, instrs ...isa.Instruction) *Code {
	t.Helper()
	code, err := Compile(&isa.Program{Name: "test", Instructions: instrs})
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func always(j isa.Jump, target int) []isa.Branch { return []isa.Branch{{Jump: j, Target: target}} }

// on issues one XTXN and goes on to the next branch.
func on(x isa.XTXN, reply isa.Place, next []isa.Branch, args ...isa.Expr) isa.Instruction {
	return isa.Instruction{Issues: []isa.Issue{{XTXN: x, Args: args, Reply: reply}}, Next: next}
}

// Every way in which a program can be wrong ends the thread with a reason, and
// the instruction that is wrong has done nothing.
func TestFaults(t *testing.T) {
	r0, exit := isa.LowReg(0), always(isa.Exit, 0)
	mark := isa.Move{To: isa.LowReg(9), From: isa.Const(1)}
	at := func(base isa.Expr, bit int32) isa.LMEM { return isa.LMEM{Base: base, Bit: bit, Width: 32} }
	for _, c := range []struct {
		name  string
		r0    uint64
		in    isa.Instruction
		want  Fault
		reads string
	}{
		{"read beyond", 1277, isa.Instruction{Moves: []isa.Move{mark, {To: isa.LowReg(8), From: at(r0, 0)}}, Next: exit}, BadLMEM,
			"lmem-out-of-range"},
		{"read before", 1, isa.Instruction{Moves: []isa.Move{mark, {To: isa.LowReg(8), From: at(r0, -9)}}, Next: exit}, BadLMEM,
			"lmem-out-of-range"},
		{"read at the end of all addresses", 1<<32 - 1, isa.Instruction{Moves: []isa.Move{mark,
			{To: isa.LowReg(8), From: at(r0, 8)}}, Next: exit}, BadLMEM, "lmem-out-of-range"},
		{"write beyond", 1277, isa.Instruction{Moves: []isa.Move{mark, {To: at(r0, 0), From: r0}}, Next: exit}, BadLMEM,
			"lmem-out-of-range"},
		{"condition beyond", 1277, isa.Instruction{Moves: []isa.Move{mark},
			Next: []isa.Branch{{When: at(r0, 0), Jump: isa.Exit}, exit[0]}}, BadLMEM, "lmem-out-of-range"},
		{"reply beyond", 1277, on(isa.TimeNow, at(r0, 0), exit), BadLMEM, "lmem-out-of-range"},
		{"buffer beyond", 1273, on(isa.MemRead, nil, exit, isa.Const(0), r0, isa.Const(8)), BadBuffer, "xtxn-buffer-out-of-range"},
		{"buffer far beyond", 1<<32 - 8, on(isa.MemRead, nil, exit, isa.Const(0), r0, isa.Const(8)), BadBuffer, "xtxn-buffer-out-of-range"},
		{"no length", 0, on(isa.MemRead, nil, exit, isa.Const(0), isa.Const(0), r0), BadLength, "xtxn-bad-length"},
		{"odd length", 12, on(isa.MemRead, nil, exit, isa.Const(0), isa.Const(0), r0), BadLength, "xtxn-bad-length"},
		{"too long", 72, on(isa.MemAdd32, nil, exit, isa.Const(0), isa.Const(0), isa.Const(0), r0), BadLength, "xtxn-bad-length"},
		{"return", 0, isa.Instruction{Moves: []isa.Move{mark}, Next: always(isa.Return, 0)}, NoCaller, "return-without-call"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var thread Thread
			compile(t, c.in).Start(&thread, 0, 10)
			thread.SetRegister(0, c.r0)
			h := &recorder{}
			if got := thread.Run(h); got != Faults || thread.Fault() != c.want || thread.Fault().String() != c.reads {
				t.Fatalf("stop %d, fault %q, want %q", got, thread.Fault(), c.reads)
			}
			if thread.Register(9) != 0 || len(h.requests) != 0 || thread.PC() != 0 || thread.Executed != 1 {
				t.Errorf("r9 %d, %d requests, pc %d, executed %d", thread.Register(9), len(h.requests), thread.PC(), thread.Executed)
			}
			if again := thread.Run(h); again != Faults {
				t.Errorf("a thread with a fault ran again: %d", again)
			}
		})
	}
}

// A field may end with the last bit of LMEM.
func TestLastBitOfLMEM(t *testing.T) {
	last := isa.LMEM{Base: isa.LowReg(0), Bit: 7, Width: 1}
	var thread Thread
	compile(t, isa.Instruction{Moves: []isa.Move{{To: last, From: isa.Const(1)}}, Next: always(isa.Exit, 0)}).Start(&thread, 0, 1)
	thread.SetRegister(0, isa.LMEMBytes-1)
	if got := thread.Run(nil); got != Exits || thread.LMEM[isa.LMEMBytes-1] != 1 {
		t.Errorf("stop %d, fault %q, last byte %#x", got, thread.Fault(), thread.LMEM[isa.LMEMBytes-1])
	}
}

// nest calls itself until r0 is 0, and then returns from all calls.
func nest() []isa.Instruction {
	r0 := isa.LowReg(0)
	return []isa.Instruction{
		{Next: always(isa.Call, 2)},
		{Next: always(isa.Exit, 0)},
		{Moves: []isa.Move{{To: r0, From: isa.Binary{Op: isa.Sub, X: r0, Y: isa.Const(1)}}},
			Next: []isa.Branch{{When: isa.Binary{Op: isa.Greater, X: r0, Y: isa.Const(1)}, Jump: isa.Call, Target: 2},
				{Jump: isa.Goto, Target: 3}}},
		{Moves: []isa.Move{{To: isa.LowReg(1), From: isa.Binary{Op: isa.Add, X: isa.LowReg(1), Y: isa.Const(1)}}},
			Next: always(isa.Return, 0)},
	}
}

// Calls nest eight deep (trio §2.2), and the ninth is a fault.
func TestCallDepth(t *testing.T) {
	code := compile(t, nest()...)
	for depth := uint64(1); depth <= isa.CallDepth+2; depth++ {
		var thread Thread
		code.Start(&thread, 0, 100)
		thread.SetRegister(0, depth)
		stop := thread.Run(nil)
		if depth <= isa.CallDepth {
			if stop != Exits || thread.Register(1) != depth {
				t.Errorf("%d calls: stop %d, fault %q, %d returns", depth, stop, thread.Fault(), thread.Register(1))
			}
		} else if stop != Faults || thread.Fault() != CallTooDeep {
			t.Errorf("%d calls: stop %d, fault %q", depth, stop, thread.Fault())
		}
	}
}

// A program that loops for ever is stopped after exactly as many instructions
// as it was granted, however often it has waited.
func TestInstructionLimit(t *testing.T) {
	loop := on(isa.TimeNow, isa.WholeReg(0), always(isa.Goto, 1))
	code := compile(t, loop, isa.Instruction{Next: always(isa.Goto, 0)})
	for _, limit := range []uint64{0, 1, 7, 1000} {
		var thread Thread
		code.Start(&thread, 0, limit)
		for thread.Run(nil) == Waits {
			thread.Resume(1)
		}
		if thread.Fault() != OverLimit || thread.Executed != limit || thread.Fault().String() != "instruction-limit" {
			t.Errorf("limit %d: fault %q after %d", limit, thread.Fault(), thread.Executed)
		}
		if thread.PC() != int(limit%2) || thread.Issued[isa.TimeNow] != (limit+1)/2 {
			t.Errorf("limit %d: at %d, %d XTXNs", limit, thread.PC(), thread.Issued[isa.TimeNow])
		}
	}
}

// The reply comes after the moves of its instruction, and an instruction that
// exits waits for it nevertheless.
func TestReplyOfTheLastInstruction(t *testing.T) {
	in := on(isa.TimeNow, isa.WholeReg(0), always(isa.Exit, 0))
	in.Moves = []isa.Move{{To: isa.LowReg(0), From: isa.Const(5)}, {To: isa.LowReg(1), From: isa.LowReg(0)}}
	code := compile(t, in)
	var thread Thread
	code.Start(&thread, 0, 10)
	if got := thread.Run(nil); got != Waits || thread.Register(0) != 5 || thread.PC() != -1 {
		t.Fatalf("stop %d, r0 %d, pc %d", got, thread.Register(0), thread.PC())
	}
	thread.Resume(1<<63 | 7)
	thread.Resume(1) // nothing waits any more
	if got := thread.Run(nil); got != Exits || thread.Register(0) != 1<<63|7 || thread.Register(1) != 0 {
		t.Errorf("stop %d, r0 %#x, r1 %d", got, thread.Register(0), thread.Register(1))
	}
}

// A handler may end a thread, for reasons of its own.
func TestKill(t *testing.T) {
	code := compile(t, on(isa.Drop, nil, always(isa.Exit, 0), isa.Const(3)))
	var thread Thread
	code.Start(&thread, 0, 10)
	h := &recorder{outcome: Kill}
	if got := thread.Run(h); got != Killed || thread.Fault() != NoFault {
		t.Errorf("stop %d, fault %q", got, thread.Fault())
	}
	if thread.Resume(0); thread.Run(h) != Killed {
		t.Error("a killed thread went on")
	}
}

// A thread that was never started, or at an instruction that does not exist,
// does not run.
func TestNoEntry(t *testing.T) {
	code := compile(t, isa.Instruction{Next: always(isa.Exit, 0)})
	var thread Thread
	if got := thread.Run(nil); got != Exits {
		t.Errorf("zero value: stop %d", got)
	}
	for _, entry := range []int{-1, 1, 1 << 40} {
		code.Start(&thread, entry, 10)
		if got := thread.Run(nil); got != Faults || thread.Fault() != NoEntry || thread.Executed != 0 {
			t.Errorf("entry %d: stop %d, fault %q", entry, got, thread.Fault())
		}
	}
}

// Nothing of the packet before is left in a thread that is used again.
func TestStartClears(t *testing.T) {
	code := compile(t, on(isa.TimeNow, isa.WholeReg(31), always(isa.Exit, 0)))
	var fresh, used Thread
	code.Start(&used, 0, 10)
	used.LMEM[isa.LMEMBytes-1] = 1
	used.Run(&recorder{})
	code.Start(&used, 0, 10)
	code.Start(&fresh, 0, 10)
	if used != fresh {
		t.Error("a thread that has run differs from a new one after Start")
	}
}

// Compile refuses what Validate does.
func TestCompileValidates(t *testing.T) {
	if _, err := Compile(&isa.Program{Name: "empty"}); err == nil || err.Error() != "load empty: program has no instructions" {
		t.Errorf("got %v", err)
	}
}

// Running allocates nothing, with or without waiting.
func TestRunDoesNotAllocate(t *testing.T) {
	code, err := Compile(tailLoop())
	if err != nil {
		t.Fatal(err)
	}
	var thread Thread
	h := &idle{}
	if n := testing.AllocsPerRun(100, func() {
		code.Start(&thread, 0, 1<<20)
		thread.Run(h)
		code.Start(&thread, 0, 1<<20)
		for thread.Run(nil) == Waits {
			thread.Resume(0)
		}
	}); n != 0 {
		t.Errorf("%v allocations a packet", n)
	}
}
