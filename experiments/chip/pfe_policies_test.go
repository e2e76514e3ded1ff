package chip

import (
	"testing"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// Every policy that goes away takes instructions with it, and the first count is that of the
// program as it runs.
func TestPoliciesCostInstructions(t *testing.T) {
	counts, err := withoutPolicies(isa.Machine{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(counts)
	if len(counts) != len(policies)+1 || counts[0] != 91 {
		t.Errorf("counts %v", counts)
	}
	for i, p := range policies {
		if counts[i+1] >= counts[i] {
			t.Errorf("without %s %d instructions, with it %d", p.name, counts[i+1], counts[i])
		}
	}
}
