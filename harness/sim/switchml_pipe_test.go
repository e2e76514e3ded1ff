package sim_test

import (
	"testing"

	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/switchd/tofino"
)

// In 16-bit floats, which the switch's tables convert, every worker is given the
// nearest float of every sum, under loss, with passes that take time and without; with more
// workers than a sum has room for nothing runs (see harness/job).
func TestHalfOnThePipeline(t *testing.T) {
	long(t)
	im := images(t)
	for _, set := range [][]string{
		{"hosts=4", "link.loss=0.5%", "switchml.retransmit=true"},
		{"hosts=3", "switchml.timing=tofino"},
		{"hosts=2", "switchml.threads=4", "switchml.tensors=stream", "link.loss=0.5%", "switchml.retransmit=true"},
	} {
		all := append([]string{"iterations=2", "stragglers.p=[0%]", "scale=2000", "systems=[{system: switchml64, topology: rack}]", "switchml.pipe=pipeline", "switchml.values=half"}, set...)
		j := jobs(t, all...)[0]
		c := run(t, j, im)
		if c.Wrong != 0 || c.Checked != uint64(j.Params*len(j.Hosts())*2) {
			t.Errorf("%v: %d of %d values wrong", set, c.Wrong, c.Checked)
		}
		if n := countedAll(c.Counters, switchml.CountUnfit) + countedAll(c.Counters, "tofino-parser-rejected"); n != 0 {
			t.Errorf("%v: %d values are no number, or beyond the range", set, n)
		}
	}
	if got := gradient.HalfAnswer(1<<24 + 1); got != 1<<24 {
		t.Errorf("a sum of 2^24+1 units comes back as %d", got)
	}
}

// Where packets wait for a port that leads back, those behind a threshold are marked,
// and the counter says so: the results leave with Congestion Experienced. Without a threshold
// none do, and the sums are the same.
func TestQueuesOfThePipelineMark(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	marked := func(threshold string) uint64 {
		j := jobs(t, "iterations=1", "stragglers.p=[0%]", "scale=50", "hosts=6", "link.rate=20000Gbit/s", "switchml.unscaled-pool=true",
			"systems=[{system: switchml256, topology: rack}]", "switchml.pipe=pipeline", "switchml.timing=tofino", "switchml.ecn-threshold="+threshold)[0]
		c := run(t, j, im)
		if c.Wrong != 0 || c.Checked == 0 {
			t.Errorf("threshold %s: %d of %d values wrong", threshold, c.Wrong, c.Checked)
		}
		if n := countedAll(c.Counters, tofino.CountUnmarked); n != 0 {
			t.Errorf("threshold %s: %d results cannot be marked", threshold, n)
		}
		return countedAll(c.Counters, tofino.CountMarked)
	}
	low, high, none := marked("16"), marked("256"), marked("none")
	if none != 0 || low == 0 || high > low {
		t.Errorf("%d are marked behind 16 cells, %d behind 256, %d without a threshold", low, high, none)
	}
	t.Logf("%d are marked behind 16 cells, %d behind 256", low, high)
}
