package idiom

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// A thread whose handler streams ends as one whose handler does not, and as one
// that waits at every XTXN: in the same state at the same instruction, with the
// same memory and packet.
func TestStreamedIsStepped(t *testing.T) {
	var streams, plain int
	ends := map[vm.Stop]int{}
	rapid.Check(t, func(rt *rapid.T) {
		g := &loopGenerator{
			T: rt, paddr: isa.LowReg(1), offset: isa.LowReg(2), left: isa.Reg{Num: 2, Width: 32}, end: isa.LowReg(3),
			from: isa.LowReg(4),
		}
		p := g.program()
		code, err := vm.Compile(p)
		if err != nil {
			rt.Skip(err)
		}
		Attach(code, p)
		limit := uint64(rapid.SampledFrom([]int{1, 10, 50, 400}).Draw(rt, "limit"))
		var stepped, streamed, timed vm.Thread
		code.Start(&stepped, 0, limit+uint64(g.upTo(9)))
		drawState(rt, &stepped)
		g.registers(&stepped)
		streamed, timed = stepped, stepped
		base := uint64(plantWords)
		if g.halves {
			base = plantHalves
		}
		plant := plant{base: base, tail: rapid.SliceOfN(rapid.Byte(), 0, 900).Draw(rt, "tail"), most: uint64(g.upTo(900))}
		h := &hasty{plant: plant, patience: uint64(rapid.SampledFrom([]int{0, 1, 3, 1 << 20}).Draw(rt, "patience"))}
		w := &waits{plant: plant}
		if got, want := w.run(&timed), stepped.Run(&plant); got != want {
			rt.Fatalf("stop %d in time, want %d", got, want)
		}
		stop := stepped.Run(nil) // it stays as it is
		equalThreads(rt, &stepped, &timed)
		if got := streamed.Run(h); got != stop {
			rt.Fatalf("stop %d, want %d", got, stop)
		}
		equalThreads(rt, &stepped, &streamed)
		if w.memory != plant.memory || !bytes.Equal(w.result, plant.result) {
			rt.Fatalf("memory or the result differ in time\n%s", p.Dump())
		}
		if h.memory != plant.memory || !bytes.Equal(h.result, plant.result) {
			rt.Fatalf("memory or the result differ\n%s", p.Dump())
		}
		ends[stop]++
		if h.streamed > 0 {
			streams++
		} else {
			plain++
		}
	})
	t.Logf("%d streamed, %d did not; ends %v", streams, plain, ends)
	if streams == 0 {
		t.Error("no loop was a stream")
	}
}

// drawState fills registers and LMEM.
func drawState(rt *rapid.T, t *vm.Thread) {
	for n := range 3 {
		t.SetRegister(n, rapid.Uint64().Draw(rt, "register"))
	}
	seed := rapid.Uint64().Draw(rt, "lmem")
	for i := range t.LMEM {
		seed = seed*6364136223846793005 + 1442695040888963407
		t.LMEM[i] = byte(seed >> 56)
	}
}

// equalThreads fails unless two threads differ at most in what no one sees.
func equalThreads(rt *rapid.T, want, got *vm.Thread) {
	rt.Helper()
	if got.Executed != want.Executed || got.Issued != want.Issued || got.PC() != want.PC() || got.Fault() != want.Fault() {
		rt.Fatalf("executed %d, issued %v, at %d, fault %q; want %d, %v, %d, %q", got.Executed, got.Issued, got.PC(), got.Fault(),
			want.Executed, want.Issued, want.PC(), want.Fault())
	}
	for n := range isa.Registers {
		if got.Register(n) != want.Register(n) {
			rt.Fatalf("r%d is %#x, want %#x", n, got.Register(n), want.Register(n))
		}
	}
	if diff := cmp.Diff(want.LMEM, got.LMEM); diff != "" {
		rt.Fatalf("LMEM (-want +got):\n%s", diff)
	}
}
