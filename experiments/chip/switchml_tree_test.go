package chip

import (
	"testing"

	"github.com/inalab/inalab/experiments/rig"
)

// A small tree sums, and a worker with another value than it should have is found.
func TestTreeSums(t *testing.T) {
	good := tree{layers: 3, blocks: 3, ports: 4}
	if err := good.run(); err != nil {
		t.Fatal(err)
	}
	if len(good.chips) != 1+4+12 || len(good.hosts) != 36 || good.right() != 36 {
		t.Errorf("%d pipelines, %d workers, %d with right sums; want 17, 36, 36", len(good.chips), len(good.hosts), good.right())
	}
	bad := tree{layers: 2, blocks: 3, ports: 4, spoil: func(w int, values []int32) {
		if w == 5 {
			values[2*rig.Elements]++
		}
	}}
	if err := bad.run(); err != nil {
		t.Fatal(err)
	}
	if bad.right() != 0 {
		t.Errorf("a wrong value at one worker, and the sums of %d workers are right", bad.right())
	}
}
