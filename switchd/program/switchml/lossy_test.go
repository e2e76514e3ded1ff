package switchml

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/switchd/dataplane"
)

// What is refused changes nothing; what is set is listed by port, arrivals first.
func TestDropSimulator(t *testing.T) {
	s := NewDropSimulator("tor", 1)
	for want, l := range map[string]dataplane.Loss{
		"bad-drop: losing packets at port -1 of tor: name a port of the front panel":      {Port: dataplane.Served, Probability: 1},
		"bad-drop: losing packets at port 2 of tor with probability 1.5: use 0 to 1":      {Port: 2, Probability: 1.5},
		"bad-drop: losing packets at port 2 of tor with probability NaN: use 0 to 1":      {Port: 2, Probability: math.NaN()},
		"bad-drop: losing packets at port 1048579 of tor: name a port of the front panel": {Port: dataplane.Fabric(3), Probability: 1},
	} {
		if err := s.Lose(l); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if err := s.ReseedLosses(dataplane.Served, true, 1); err == nil {
		t.Error("dice of no port")
	}
	want := []dataplane.Loss{{Port: 0, Probability: 1}, {Port: 1, Probability: 0.5}, {Port: 1, Leaving: true, Probability: 0.25}}
	for _, i := range []int{2, 0, 1} {
		if err := s.Lose(want[i]); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, s.Losses()); diff != "" {
		t.Errorf("set (-want +got):\n%s", diff)
	}
	if !s.Dice(0, false).Lost() || s.Dice(0, true).Lost() || s.Dice(2, false).Lost() {
		t.Error("losses at other ports, or none")
	}
}

func TestDropBelow(t *testing.T) {
	for p, want := range map[float64]uint64{0: 0, 1e-300: 1, 0.5: 1 << 21, 1: 1 << 22, 1.5 / (1 << 22): 2} {
		if got := DropBelow(p); got != want {
			t.Errorf("%v is %d faces of the dice, want %d", p, got, want)
		}
	}
}
