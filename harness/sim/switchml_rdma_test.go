package sim_test

import (
	"strings"
	"testing"
)

// SwitchML over RoCEv2 trains to the end with every sum right, in the time that the
// schedule allows; losses cost whole messages, and no sum.
func TestMessagesOfRDMA(t *testing.T) {
	im := images(t)
	const system = "systems=[{system: switchml-rdma, topology: rack}]"
	j := jobs(t, "iterations=4", "stragglers.p=[0%]", system)[0]
	c := run(t, j, im)
	if got, want := meanMs(c), c.Expected.Milliseconds(); c.Wrong != 0 || c.Checked != uint64(j.Params*6*4) || got > 1.01*want || got < 0.99*want {
		t.Errorf("%d of %d values wrong; an iteration takes %.3f ms, expected %.3f", c.Wrong, c.Checked, got, want)
	}
	for _, loss := range []string{"0.1%", "1%"} {
		j := jobs(t, "iterations=3", "stragglers.p=[0%]", "scale=1000", "link.loss="+loss, "switchml.retransmit=true", "switchml.message-packets=4", system)[0]
		c := run(t, j, im)
		lost, again := uint64(0), 0
		for _, n := range c.Counters {
			if strings.HasSuffix(n.Name, "/loss-bernoulli") {
				lost += n.N
			}
		}
		for _, s := range c.Samples {
			again += s.Retransmits
		}
		if c.Wrong != 0 || c.Checked != uint64(j.Params*6*3) || lost == 0 || again == 0 || again%4 != 0 {
			t.Errorf("loss %s: %d of %d wrong, %d packets lost, %d sent again", loss, c.Wrong, c.Checked, lost, again)
		}
	}
}
