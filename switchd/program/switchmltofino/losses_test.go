package switchmltofino

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/dataplane"
)

// What a control plane sets is listed by port; dice that begin anew fall as before.
func TestLosses(t *testing.T) {
	c := newChip(t, oneJob(64, 1, 2), Options{})
	for _, l := range []dataplane.Loss{{Port: 1, Probability: 0.25}, {Port: 0, Leaving: true, Probability: 1}, {Port: 0, Probability: 0.5}} {
		if err := c.e.Lose(l); err != nil {
			t.Fatal(err)
		}
	}
	want := []dataplane.Loss{{Port: 0, Probability: 0.5}, {Port: 0, Leaving: true, Probability: 1}, {Port: 1, Probability: 0.25}}
	if got := c.e.Losses(); !slices.Equal(got, want) {
		t.Errorf("set %v, want %v", got, want)
	}
	if err := c.e.Lose(dataplane.Loss{Port: sansio.Port(MaxPorts)}); err == nil {
		t.Error("a port that is none")
	}
	lost := func(seed uint64) (pattern []uint64) {
		c.e.ReseedLosses(seed)
		for range 40 {
			before := c.count(DropArrival)
			c.send(packetOf(0, 0, 64))
			pattern = append(pattern, c.count(DropArrival)-before)
		}
		return pattern
	}
	first := lost(7)
	if !slices.Equal(first, lost(7)) || slices.Equal(first, lost(8)) || !slices.Contains(first, 0) || !slices.Contains(first, 1) {
		t.Errorf("seed 7 gives %v, again %v, seed 8 %v", first, lost(7), lost(8))
	}
}
