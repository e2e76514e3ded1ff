package switchml

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	host "github.com/inalab/inalab/nodes/switchml"
)

// SwitchML as in ATP has packets of 180 bytes, and a timeout of 1 ms under both clocks unless its own
// knob says otherwise. A pipeline does not take it, and a note says so.
func TestSwitchMLAsInATP(t *testing.T) {
	for _, c := range []struct {
		say  words
		want units.Duration
	}{
		{words{"switchml.pool": "256"}, units.Millisecond},
		{words{"switchml.pool": "256", "switchml.timeout": "10ms", "switchml.pipe": "pipeline"}, units.Millisecond},
		{words{"switchml.pool": "256", "switchml.timeout180": "3ms", "switchml.pipe": "reference"}, 3 * units.Millisecond},
	} {
		for _, virtual := range []bool{false, true} {
			sys := System{Elements: inATP}.Configure(c.say).(System)
			s := jobtest.Spec(t, sys, "rack", 3)
			s.Virtual = virtual
			j := jobtest.New(t, s)
			core := j.Layout.Cores[0].(host.Config)
			if core.Timeout != c.want || core.Elements != 32 || j.Layout.Packet+inet.EtherLen != 180 {
				t.Errorf("%v, virtual %v: %d values in %d bytes, again after %v", c.say, virtual, core.Elements, j.Layout.Packet+inet.EtherLen, core.Timeout)
			}
			const note = "switches run the reference program, not the pipeline: that has no packets of 32 values"
			asked := c.say["switchml.pipe"] != "reference"
			if got := strings.Contains(strings.Join(j.Layout.Notes, "\n"), note); got != asked {
				t.Errorf("%v: notes %q", c.say, j.Layout.Notes)
			}
			if p := j.Layout.Programs[0][0].(switchmlConfig); p.Pipe.Pipeline || p.Program.Jobs[0].Elements != 32 {
				t.Errorf("%v: switch %+v", c.say, p)
			}
		}
	}
}

// Jobs of two sizes of packets are in one switch.
func TestSizesShareASwitch(t *testing.T) {
	small, large := System{Elements: inATP}, System{Elements: 64}
	var programs []any
	for i, sys := range []System{small, large} {
		s := jobtest.Spec(t, sys, "rack", 6)
		s.On, s.ID = []int{2 * i, 2*i + 1}, uint8(i+1)
		programs = append(programs, jobtest.New(t, s).Layout.Programs[0][0])
	}
	merged, err := small.Merge(programs)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, j := range merged.(switchmlConfig).Program.Jobs {
		sizes = append(sizes, j.Elements)
	}
	if len(sizes) != 2 || sizes[0] != 32 || sizes[1] != 64 {
		t.Errorf("jobs of %v values", sizes)
	}
}
