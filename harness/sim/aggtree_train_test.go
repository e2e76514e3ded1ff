package sim_test

import (
	"testing"

	"github.com/inalab/inalab/harness/sim"
)

// TCP-Agg and BytePS train on with every sum right, through a lossy network, behind stragglers, and
// over several switches. They wait for every straggler.
func TestBaselinesOfXAggTrain(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	for _, set := range [][]string{
		{"systems=[{system: tcpagg}]"},
		{"systems=[{system: tcpagg}]", "tcpagg.down=direct", "tcpagg.k=2"},
		{"systems=[{system: tcpagg, topology: leaf-spine}]", "tcpagg.tree=testbed", "hosts=5"},
		{"systems=[{system: byteps}]", "byteps.partition=409600"},
		{"systems=[{system: byteps, topology: leaf-spine}]", "byteps.servers=colocated", "byteps.count=4"},
	} {
		whole := jobs(t, append(set, "iterations=4", "scale=1000", "stragglers.p=[16%]")...)[0]
		c := run(t, whole, im)
		if c.Wrong != 0 || c.Checked != uint64(whole.Params*len(whole.Hosts())*4) || meanMs(c) < 0.99*c.Expected.Milliseconds() || c.ExpectedIsBound {
			t.Errorf("%q: %d of %d values wrong, iterations of %.3f ms, expected %v", set, c.Wrong, c.Checked, meanMs(c), c.Expected)
		}
		lossy := jobs(t, append(set, "iterations=3", "scale=1000", "stragglers.p=[0%]", "link.loss=1%")...)[0]
		c = run(t, lossy, im)
		if c.Wrong != 0 || c.Checked != uint64(lossy.Params*len(lossy.Hosts())*3) || c.Resent.Packets == 0 {
			t.Errorf("%q: %d of %d values wrong, %d segments sent again", set, c.Wrong, c.Checked, c.Resent.Packets)
		}
	}
}
