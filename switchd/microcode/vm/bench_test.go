package vm

import (
	"testing"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// chunks is how many chunks of 64 bytes the tail of a packet with 1024
// gradients has: all but 38 come in the tail (trio §4).
const chunks = 62

// tailLoop adds the tail of a packet to memory as Trio-ML's second phase does
// (trio §4, Fig 10), with the widest add: r1 is the offset in the tail, r2 the address in
// memory.
func tailLoop() *isa.Program {
	offset, paddr, buffer := isa.LowReg(1), isa.LowReg(2), isa.Const(512)
	add := func(r isa.Reg, n isa.Const) []isa.Move {
		return []isa.Move{{To: r, From: isa.Binary{Op: isa.Add, X: r, Y: n}}}
	}
	to := func(n int) []isa.Branch { return []isa.Branch{{Jump: isa.Goto, Target: n}} }
	return &isa.Program{Name: "tail", AddBytes: 64, Instructions: []isa.Instruction{
		{Moves: add(offset, 64), Next: to(1),
			Issues: []isa.Issue{{XTXN: isa.TailRead, Args: []isa.Expr{offset, buffer, isa.Const(64)}}}},
		{Moves: add(paddr, 8), Next: to(2),
			Issues: []isa.Issue{{XTXN: isa.MemAdd32, Args: []isa.Expr{paddr, isa.Const(0), buffer, isa.Const(64)}, Async: true}}},
		{Next: []isa.Branch{
			{When: isa.Binary{Op: isa.Less, X: offset, Y: isa.Const(chunks * 64)}, Jump: isa.Goto, Target: 0},
			{Jump: isa.Exit}}},
	}}
}

// idle serves every XTXN at once and moves no data.
type idle struct{ bytes uint64 }

func (h *idle) XTXN(t *Thread) (uint64, Outcome) {
	h.bytes += uint64(t.Pending.Len)
	return 0, Done
}

// BenchmarkTailLoop shows what the engine itself costs for a chunk: three
// instructions and two XTXNs.
func BenchmarkTailLoop(b *testing.B) {
	code, err := Compile(tailLoop())
	if err != nil {
		b.Fatal(err)
	}
	var t Thread
	h := &idle{}
	b.ReportAllocs()
	for b.Loop() {
		code.Start(&t, 0, 1<<20)
		if got := t.Run(h); got != Exits || t.Executed != 3*chunks {
			b.Fatalf("stop %d, fault %s, %d instructions", got, t.Fault(), t.Executed)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
}

// BenchmarkTailLoopSuspended is the same as a machine with time runs it: the
// thread leaves Run at every XTXN.
func BenchmarkTailLoopSuspended(b *testing.B) {
	code, err := Compile(tailLoop())
	if err != nil {
		b.Fatal(err)
	}
	var t Thread
	b.ReportAllocs()
	for b.Loop() {
		code.Start(&t, 0, 1<<20)
		for t.Run(nil) == Waits {
			t.Resume(0)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunks, "ns/chunk")
}

// BenchmarkStart is what a thread costs before its first instruction.
func BenchmarkStart(b *testing.B) {
	code, err := Compile(tailLoop())
	if err != nil {
		b.Fatal(err)
	}
	var t Thread
	for b.Loop() {
		code.Start(&t, 0, 1)
	}
}
