package capacity_test

import (
	"testing"

	"github.com/inalab/inalab/harness/capacity"
	"github.com/inalab/inalab/internal/units"
)

// Steps of halving end with a whole frame in its switch, which takes a visible time where links are slow and
// tensors short; rings and SwitchML have a closed form with those, and large tensors are not simulated.
func TestTwin(t *testing.T) {
	for _, c := range []struct {
		system, scale string
		more          units.Duration // than the closed form; zero: there is no twin
	}{
		{"halving", "2000", 10 * units.Millisecond},
		{"halving", "10", 0},
		{"ring", "2000", 0},
		{"switchml256", "2000", 0},
	} {
		sets := setsOf(t, "hosts: 8\nmtu: 9000\nlink: {rate: 100Gbit/s}\nsystems: [{system: "+c.system+"}]\n", "scale="+c.scale)
		brief, err := capacity.Brief(sets[0])
		if err != nil {
			t.Fatal(err)
		}
		closed, _ := brief.First().Expect()
		got, err := capacity.Twin(&capacity.Live{}, t.Context(), brief)
		if err != nil || (got == 0) != (c.more == 0) || got > 0 && (got < closed+c.more/2 || got > closed+2*c.more) {
			t.Errorf("%s at scale %s: %v, %v; the closed form has %v", c.system, c.scale, got, err, closed)
		}
	}
}
