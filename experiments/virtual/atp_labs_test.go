package virtual

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// Switches mark, towards hosts and each other, and hosts do not (ATP §3.7).
func TestSwitchesAloneMark(t *testing.T) {
	e := experimenttest.NewEnv(t)
	for _, l := range []tenantLab{
		{hosts: 3, marks: 60}, {hosts: 3},
		{topology: "dumbbell", hosts: 8, marks: 60},
		{topology: "multi-rack", racks: 3, hosts: 9, marks: 60},
	} {
		p, err := l.plan(e)
		if err != nil {
			t.Fatal(err)
		}
		above := units.Bytes(l.marks * testbed.ATPFrame)
		want := topo.Marking{Min: above, Max: above}
		for _, s := range p.Switches {
			for _, port := range s.Ports {
				if port.Out.Marking != want {
					t.Errorf("%q: marks of %s to %s are %+v, want %+v", l.topology, s.Name, port.Peer.Node, port.Out.Marking, want)
				}
				if port.PeerHost != plan.None && port.In.Marking.On() {
					t.Errorf("%q: %s marks: %+v", l.topology, port.Peer.Node, port.In.Marking)
				}
			}
		}
	}
}
