package microcode

import (
	"bytes"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/program/trioml/microcode/ahead"
)

// bothCodes returns the program with and without functions that were compiled ahead.
func bothCodes(t *testing.T) (p *isa.Program, with, without *vm.Code) {
	t.Helper()
	p, err := Compile()
	if err != nil {
		t.Fatal(err)
	}
	if with, err = vm.Compile(p); err != nil {
		t.Fatal(err)
	}
	if without, err = vm.Compile(p); err != nil {
		t.Fatal(err)
	}
	return p, with, without
}

// What is compiled ahead is what the program is now.
func TestAheadIsOfTheProgram(t *testing.T) {
	const file = "ahead/trioml.go"
	_, code, _ := bothCodes(t)
	want, err := vm.WriteAhead(code, "ahead", "TrioML")
	if err != nil {
		t.Fatal(err)
	}
	if golden.Updating() {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%s is not what the program compiles to (%v): run this test with -update", file, err)
	}
	if n := code.SetAhead(ahead.TrioML); n != len(ahead.TrioML) || n == 0 {
		t.Fatalf("%d of %d functions are taken", n, len(ahead.TrioML))
	}
}

// Each instruction leaves any thread alike, whether it was compiled ahead or is done by closures.
func TestAheadIsTheClosures(t *testing.T) {
	p, with, without := bothCodes(t)
	with.SetAhead(ahead.TrioML)
	rapid.Check(t, func(rt *rapid.T) {
		var one, other vm.Thread
		at := rapid.IntRange(0, len(p.Instructions)-1).Draw(rt, "instruction")
		with.Start(&one, at, 1)
		without.Start(&other, at, 1)
		drawMemory(rt, &one, &other)
		stop := one.Run(nil)
		want, stopped := other.Step()
		if !stopped {
			want, _ = other.Step() // beyond the limit, as the run is
		}
		if stop != want || one.Fault() != other.Fault() || one.PC() != other.PC() || one.LMEM != other.LMEM || one.Executed != other.Executed {
			rt.Fatalf("instruction %d: stop %d %v at %d, want %d %v at %d", at, stop, one.Fault(), one.PC(), want, other.Fault(), other.PC())
		}
		if stop == vm.Waits && one.Pending != other.Pending {
			rt.Fatalf("instruction %d asks for %+v, want %+v", at, one.Pending, other.Pending)
		}
		for n := range isa.Registers {
			if one.Register(n) != other.Register(n) {
				rt.Fatalf("instruction %d leaves %#x in register %d, want %#x", at, one.Register(n), n, other.Register(n))
			}
		}
	})
}

// drawMemory fills two threads alike: mostly with small numbers, and with bytes of which many are alike, so that
// conditions hold as often as not.
func drawMemory(rt *rapid.T, one, other *vm.Thread) {
	number := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 3), rapid.Map(rapid.Uint64Range(0, 3), func(v uint64) uint64 { return v << 62 }))
	for n := range isa.Registers {
		v := number.Draw(rt, "register")
		one.SetRegister(n, v)
		other.SetRegister(n, v)
	}
	of := rapid.SampledFrom([]int{2, 256}).Draw(rt, "values")
	seed := rapid.Uint64().Draw(rt, "memory")
	for i := range one.LMEM {
		seed = seed*6364136223846793005 + 1442695040888963407
		one.LMEM[i] = byte(seed>>56) % byte(of-1)
	}
	other.LMEM = one.LMEM
}
