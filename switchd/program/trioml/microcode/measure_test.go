package microcode

import (
	"testing"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// The paper's program has about 60 instructions (§6.3) for what is described in
// §4; this one has the records' life under concurrency, late packets and absent
// sources beside. More would be a change worth noticing.
func TestSizeOfTheProgram(t *testing.T) {
	p := compiled(t)
	total := p.Totals()
	t.Logf("%d instructions, %d registers, %d bytes of LMEM", total.Instructions, total.Registers, total.LMEMBytes)
	if total.Instructions > 110 {
		t.Errorf("%d instructions", total.Instructions)
	}
	if _, err := Measure(p, 0); err == nil {
		t.Error("a packet without gradients is measured")
	}
}

// Each gradient of the head takes an instruction, where an add has one, and the loop
// over the tail one more for each chunk of 16; a packet without tail runs none of
// that loop. Wider adds take fewer.
func TestInstructionsPerPacket(t *testing.T) {
	for _, width := range []int{4, 8, 16, 64} {
		p, err := CompileFor(isa.Machine{AddBytes: width})
		if err != nil {
			t.Fatal(err)
		}
		chunk := uint64(1 + 64/width)
		perGradient, err := TailLoop(p)
		if want := float64(chunk) / 16; err != nil || perGradient != want {
			t.Errorf("adds of %d bytes: %v instructions per gradient in the tail loop, want %v: %v", width, perGradient, want, err)
		}
		one, err := Measure(p, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, grads := range []int{1, 38, 64, 1024, 4095} {
			c, err := Measure(p, grads)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("adds of %d bytes: %+v", width, c)
			head, chunks := uint64(4*min(grads, 38)+width-1)/uint64(width), uint64(max(0, grads-38)+15)/16
			if want := one.Next - 1 + head + chunks*chunk; c.Next != want {
				t.Errorf("adds of %d bytes: %+v, want %d in between", width, c, want)
			}
		}
	}
}
