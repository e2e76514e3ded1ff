package microcode

import "testing"

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

// The loop over the tail has two instructions for 16 gradients; a packet without
// tail runs none of it.
func TestInstructionsPerPacket(t *testing.T) {
	p := compiled(t)
	perGradient, err := TailLoop(p)
	if err != nil || perGradient != 2.0/16 {
		t.Errorf("%v instructions per gradient in the tail loop, want 1/8: %v", perGradient, err)
	}
	var before Cost
	for _, grads := range []int{1, 38, 64, 1024, 4095} {
		c, err := Measure(p, grads)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", c)
		if chunks := uint64(max(0, grads-38)+15) / 16; before.Grads == 1 && c.Next != before.Next || before.Grads == 38 && c.Next != before.Next+2*chunks {
			t.Errorf("%+v after %+v", c, before)
		}
		before = c
	}
}
