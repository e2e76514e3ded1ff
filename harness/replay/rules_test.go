package replay

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Every fault has a rule of its own.
func TestEveryFaultHasARule(t *testing.T) {
	reasons := []string{trio.DropHeadLength, trio.DropTailLength, trio.DropNoRoom, trio.DropNoTail, trio.DropPush, trio.DropPull, trio.DropNoHeader}
	for f := vm.BadLMEM; f < vm.NoEntry; f++ {
		reasons = append(reasons, "pfe-"+f.String())
	}
	for f := mem.OutOfRange; f < mem.NumFaults; f++ {
		reasons = append(reasons, "pfe-"+strings.ReplaceAll(f.String(), " ", "-"))
	}
	w := &watch{run: &Run{}}
	for _, r := range reasons {
		if w.rule(r, true) == w.rule("", true) {
			t.Errorf("%s has no rule", r)
		}
	}
}
