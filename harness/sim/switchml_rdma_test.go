package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/sim"
)

// SwitchML over RoCEv2 trains to the end with every sum right, in the time that the
// schedule allows; losses cost whole messages, and no sum.
func TestMessagesOfRDMA(t *testing.T) {
	sim.OneGoroutine(t)
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

// The pipeline sums messages as the reference program does, in as many packets sent
// again: instant, and with passes that take time.
func TestMessagesOfRDMAOnThePipeline(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	set := []string{"iterations=2", "stragglers.p=[0%]", "scale=2000", "hosts=3", "switchml.retransmit=true", "switchml.timeout=20ms", "switchml.message-packets=4", "systems=[{system: switchml-rdma, topology: rack}]"}
	for _, loss := range []string{"0%", "0.5%"} {
		var sent []int
		for _, pipe := range [][]string{{"switchml.pipe=reference"}, {"switchml.pipe=pipeline"}, {"switchml.pipe=pipeline", "switchml.timing=tofino"}} {
			j := jobs(t, slices.Concat(set, pipe, []string{"link.loss=" + loss})...)[0]
			if notes := j.Layout.Notes; slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "reference program") }) {
				t.Fatalf("%v: %q", pipe, notes)
			}
			c := run(t, j, im)
			again := 0
			for _, s := range c.Samples {
				again += s.Retransmits
			}
			if c.Wrong != 0 || c.Checked != uint64(j.Params*3*2) || (again > 0) != (loss != "0%") {
				t.Errorf("%v, loss %s: %d of %d wrong, %d packets sent again", pipe, loss, c.Wrong, c.Checked, again)
			}
			sent = append(sent, again)
		}
		if sent[0] != sent[1] {
			t.Errorf("loss %s: %d packets are sent again with the reference program, %d with the pipeline", loss, sent[0], sent[1])
		}
	}
}
