package virtual

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/internal/result"
)

// Frames at every level are those of the arithmetic.
func TestATPLevels(t *testing.T) {
	if testing.Short() {
		t.Skip("many packets, many times slower under the race detector")
	}
	x := atpLevels()
	experimenttest.Run(t, &x)
}

// Frames count by where they go: between switches, to the server, from workers.
func TestCrossings(t *testing.T) {
	c := result.Cell{Links: []result.Link{
		{Name: "h0:eth0->tor0:p0", Frames: 1}, {Name: "tor0:p0->h0:eth0", Frames: 10}, {Name: "tor0:p4->core:p0", Frames: 100}, {Name: "core:p0->tor0:p4", Frames: 1000},
		{Name: "tor0:p1->h1:eth0", Frames: 10_000}, {Name: "h1:eth0->tor0:p1", Frames: 100_000}, {Name: "h10:eth0->tor0:p2", Frames: 1_000_000},
	}}
	if got, want := crossings(&c, "h1"), (crossed{between: 1100, server: 10_000, workers: 1_000_001}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
