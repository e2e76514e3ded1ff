package pipeline

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// marking is a chip with time that marks from 250 packets on, as the public program does (1000 cells).
func marking() *tofino.Timing {
	t := Timing()
	t.Mark = 1000
	return &t
}

// The program fits with the aggregators of the public one (in-ATP/ATP: 20 000):
// four stages of control, and 31 values in eight (§4).
func TestProgramFits(t *testing.T) {
	placed, err := fit.Place(Program(atp.Config{Aggregators: 20000}, Options{Timing: marking()}))
	if err != nil {
		t.Fatal(err)
	}
	for register, stage := range map[string]int{"own": 2, "bitmap": 3, "ecn": 3, "counter": 4} {
		id, _ := placed.FindRegister(register)
		if got := placed.Registers[id].Stages[0]; got != stage {
			t.Errorf("register %s is in stage %d, want %d", register, got, stage)
		}
	}
	id, _ := placed.FindRegister("values")
	if s := placed.Registers[id].Stages; s[0] != 5 || s[len(s)-1] != fit.Stages || len(s) != 31 {
		t.Errorf("values are in stages %v", s)
	}
	golden.Equal(t, "fit.txt", placed.String())
}

// The chip has room for so many aggregators and for no more: map RAM ends, of the stages of values.
func TestMostAggregators(t *testing.T) {
	place := func(n int) error {
		_, err := fit.Place(Program(atp.Config{Aggregators: n}, Options{Timing: marking()}))
		return err
	}
	for _, n := range []int{0, 1, 2, 1980, MaxAggregators} {
		if err := place(n); err != nil {
			t.Errorf("%d aggregators: %v", n, err)
		}
	}
	refusals := fit.Refusals(place(MaxAggregators + 1))
	if len(refusals) == 0 {
		t.Errorf("%d aggregators fit", MaxAggregators+1)
	}
	for _, r := range refusals {
		if r.Rule != fit.MapRAM.Rule() {
			t.Errorf("%v", r)
		}
	}
}

// What the chip has no room for is refused, and named.
func TestBadOptions(t *testing.T) {
	for _, tc := range []struct {
		cfg  atp.Config
		o    Options
		want string
	}{
		{atp.Config{Aggregators: MaxAggregators + 1}, Options{}, "22529 aggregators: the map RAM of the chip has room for 22528"},
		{atp.Config{Aggregators: 1 << 17}, Options{}, "131072 aggregators"},
		{atp.Config{}, Options{Ports: MaxPorts + 1}, "17 ports"},
		{atp.Config{Age: maxAge + 1}, Options{}, "the clock of the chip"},
		{atp.Config{Jobs: []atp.Job{{ID: 1, Servers: []atp.Server{serverOf(1, 0, 0, 3, 13)}}}}, Options{}, "port 16"},
		{configOf(1, []int{0}, []int{3}), Options{Ports: 3}, "port 3"},
	} {
		if _, err := New(tc.cfg, tc.o); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %q", err, tc.want)
		}
	}
}
