package pipeline

import (
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// The program for RoCE fits: the queue pair's register in stage 2, bitmaps in stage 3,
// values in stages 4 to 12.
func TestRDMAProgramFits(t *testing.T) {
	for _, faithful := range []bool{false, true} {
		cfg := bareConfig()
		cfg.Faithful = faithful
		placed, err := fit.Place(Program(cfg, Options{RDMA: true}))
		if err != nil {
			t.Fatal(err)
		}
		for register, stage := range map[string]int{"assembly": 2, "bitmap": 3, "counter": 4, "sequence": 3} {
			id, _ := placed.FindRegister(register)
			if got := placed.Registers[id].Stages[0]; got != stage {
				t.Errorf("register %s is in stage %d, want %d", register, got, stage)
			}
		}
		if !faithful {
			golden.Equal(t, "rdma.txt", placed.String())
		}
	}
}
