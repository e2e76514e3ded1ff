package microcode_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/lookup"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// TestReferenceHasTheCosts wants the reference to name the costs, the limit and the
// faults that the PFE has.
func TestReferenceHasTheCosts(t *testing.T) {
	text, err := os.ReadFile("../../docs/microcode.md")
	if err != nil {
		t.Fatal(err)
	}
	ns := func(d units.Duration) string { return fmt.Sprintf("%d ns", d/units.Nanosecond) }
	want := []string{
		"that sends it (" + ns(trio.InstructionCost),
		ns(mem.SRAMLatency) + " SRAM, " + ns(mem.DRAMLatency) + " DRAM",
		fmt.Sprintf("one of %d RMW engines", mem.DefaultEngines),
		fmt.Sprintf("%d clocks for every 32-bit add", mem.AddTime/mem.Cycle),
		"hash unit | " + ns(mem.HashLatency) + ", and " + ns(mem.HashAccess) + " for every access",
		"packet memory | " + ns(trio.TailLatency) + fmt.Sprintf("; all threads together move %d bytes a clock", trio.TailBytesPerCycle),
		"dispatch, timer | " + ns(trio.CrossbarLatency),
		"logic of the PPE | " + ns(lookup.HashLatency) + ", and " + ns(lookup.HashStep) + " for every 8 bytes",
		"route lookup | " + ns(lookup.RouteLatency),
		"filters | " + ns(lookup.FilterLatency),
		fmt.Sprintf("at most %d fields and %d bits", isa.MaxListFields, isa.MaxKeyBits),
		fmt.Sprintf("headlen: 14..%d bytes", isa.LMEMBytes-isa.HeadStart),
		"more than 1,048,576 instructions, or 65,536 of a packet's thread of a user's program",
		fmt.Sprintf("bytes pushed | %d in all", isa.HeadRoom),
		"`" + trio.DropPush + "`", "`" + trio.DropPull + "`", "`" + trio.DropNoHeader + "`",
		"`" + trio.DropEvent + "`", "`" + trio.CountNested + "`",
	}
	if trio.DefaultInstructions != 1_048_576 {
		t.Errorf("a thread may execute %d instructions", trio.DefaultInstructions)
	}
	for f := vm.BadLMEM; f < vm.NoEntry; f++ {
		want = append(want, "`pfe-"+f.String()+"`")
	}
	for f := mem.OutOfRange; f < mem.Exhausted; f++ {
		if f != mem.BadLength { // the thread finds that first
			want = append(want, "`pfe-"+strings.ReplaceAll(f.String(), " ", "-")+"`")
		}
	}
	for _, w := range want {
		if !strings.Contains(string(text), w) {
			t.Errorf("the reference lacks %q", w)
		}
	}
}
