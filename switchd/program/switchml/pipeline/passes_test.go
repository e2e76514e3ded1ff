package pipeline

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// passes returns how many packets took how many passes.
func (c *chip) passes() map[int]uint64 {
	out := map[int]uint64{}
	for n, k := range c.e.Chip().Snapshot().Passes {
		if k > 0 {
			out[n] = k
		}
	}
	return out
}

// §5: the program parses 64 elements a pass and reads 32. So with 64 values a packet
// takes 1 pass, and where it is answered 2; with 256 values it takes 4, and 11: the
// ambiguity switchml.extra-pass-count says 4 to 8, which reads of 32 do not allow.
func TestPassesOfAPacket(t *testing.T) {
	for _, tc := range []struct {
		elements, added, answered int
	}{{64, 1, 2}, {256, 4, 11}} {
		c := newChip(t, oneJob(tc.elements, 1, 3), Options{})
		c.send(packetOf(0, 0, tc.elements))
		c.send(packetOf(0, 0, tc.elements)) // a duplicate in an open slot ends where it would be added
		c.send(packetOf(1, 0, tc.elements))
		c.send(packetOf(2, 0, tc.elements)) // complete
		c.send(packetOf(0, 0, tc.elements)) // answered
		want := map[int]uint64{tc.added: 3, tc.answered: 2}
		if got := c.passes(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d values: packets by passes %v, want %v", tc.elements, got, want)
		}
		if Passes(tc.elements, false) != tc.added || Passes(tc.elements, true) != tc.answered {
			t.Errorf("Passes says %d and %d", Passes(tc.elements, false), Passes(tc.elements, true))
		}
	}
}

// route notes which pipes a packet passes.
type route struct{ pipes []int }

func (r *route) Passed(o *tofino.Observation) {
	if o.Side == fit.Ingress {
		r.pipes = append(r.pipes, o.Pipe)
	}
}

// A packet of 256 values is added in pipes 0 to 3 and read from the last element to
// the first: the deparser writes in front of what it has not parsed.
func TestPipesOfAPacket(t *testing.T) {
	for _, tc := range []struct {
		faithful bool
		want     []int
	}{
		{false, []int{0, 1, 2, 3, 3, 2, 2, 1, 1, 0, 0}},
		{true, []int{0, 1, 2, 3, 3, 2, 3, 1, 1, 0, 0}},
	} {
		cfg := oneJob(256, 1, 1)
		cfg.Faithful = tc.faithful
		var r route
		newChip(t, cfg, Options{Observer: &r}).send(packetOf(0, 0, 256))
		if fmt.Sprint(r.pipes) != fmt.Sprint(tc.want) {
			t.Errorf("faithful %v: pipes %v, want %v", tc.faithful, r.pipes, tc.want)
		}
	}
}
