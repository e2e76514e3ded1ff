package sim_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/switchml"
)

// countedAll sums a counter over all nodes.
func countedAll(list []result.Counter, name string) (n uint64) {
	for _, c := range list {
		if strings.HasSuffix(c.Name, "/"+name) || c.Name == name {
			n += c.N
		}
	}
	return n
}

// Whatever way SwitchML's hosts go, under loss, on one switch and on several,
// every sum of the training is right, and one seed is one run.
func TestSwitchMLHosts(t *testing.T) {
	long(t)
	im := images(t)
	for _, set := range [][]string{
		{"switchml.threads=4"},
		{"switchml.threads=8", "switchml.tensors=stream", "switchml.backoff=client"},
		{"switchml.tensors=layers"},
		{"switchml.tensors=stream", "switchml.values=fixed16"},
		{"switchml.values=fixed16", "switchml.threads=2"},
		{"switchml.scaling=floor"},
		{"switchml.scaling=section-4.6"},
	} {
		for _, topology := range []string{"rack", "leaf-spine"} {
			system := "systems=[{system: switchml64, topology: " + topology + "}]"
			all := append([]string{"iterations=2", "stragglers.p=[0%]", "scale=2000", "hosts=4", "link.loss=0.5%", "switchml.retransmit=true", system}, set...)
			j := jobs(t, all...)[0]
			c := run(t, j, im)
			if c.Wrong != 0 || c.Checked != uint64(j.Params*4*2) {
				t.Errorf("%v on %s: %d of %d values wrong", set, topology, c.Wrong, c.Checked)
			}
			if countedAll(c.Counters, switchml.CountRetransmits) == 0 {
				t.Errorf("%v on %s: nothing was lost", set, topology)
			}
		}
	}
}

// So is every sum of SwitchML as in ATP, in packets of 180 bytes.
func TestSwitchMLAsInATP(t *testing.T) {
	im := images(t)
	j := jobs(t, "iterations=2", "stragglers.p=[0%]", "scale=2000", "hosts=4", "link.loss=0.5%", "switchml.retransmit=true", "systems=[{system: switchml180, topology: leaf-spine}]")[0]
	c := run(t, j, im)
	if c.Wrong != 0 || c.Checked != uint64(j.Params*4*2) || countedAll(c.Counters, switchml.CountRetransmits) == 0 {
		t.Errorf("%d of %d values wrong, %d sent again", c.Wrong, c.Checked, countedAll(c.Counters, switchml.CountRetransmits))
	}
}

// On hosts with a core for each queue, one thread is one core's rate, and eight
// threads take far less time; the sums are right in both.
func TestThreadsUseCores(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	took := map[string]float64{}
	for _, threads := range []string{"1", "8"} {
		j := jobs(t, "iterations=2", "stragglers.p=[0%]", "scale=50", "hosts=2", "link.rate=5000Gbit/s", "switchml.unscaled-pool=true",
			"systems=[{system: switchml256, topology: rack}]", "switchml.threads="+threads)[0]
		j.Host = hostmodel.Defaults().DPDKCores(8)
		c := run(t, j, im)
		if c.Wrong != 0 || c.Checked == 0 {
			t.Errorf("%s threads: %d of %d values wrong", threads, c.Wrong, c.Checked)
		}
		took[threads] = meanMs(c) - j.Model.Compute.Milliseconds()
	}
	if ratio := took["1"] / took["8"]; ratio < 5 || ratio > 8.5 {
		t.Errorf("an all-reduce takes %.3f ms with 1 thread, %.3f ms with 8: %.2f times", took["1"], took["8"], ratio)
	}
}

// As one stream, the layers of a network take little longer than one tensor; one
// after another they wait for each other.
func TestLayersAsOneStream(t *testing.T) {
	im := images(t)
	took := map[string]float64{}
	for _, tensors := range []string{"one", "layers", "stream"} {
		j := jobs(t, "iterations=2", "stragglers.p=[0%]", "scale=200", "hosts=2", "systems=[{system: switchml256, topology: rack}]", "switchml.tensors="+tensors, "link.delay=20us")[0]
		c := run(t, j, im)
		if c.Wrong != 0 || c.Checked == 0 {
			t.Errorf("%s: %d of %d values wrong", tensors, c.Wrong, c.Checked)
		}
		took[tensors] = meanMs(c) - j.Model.Compute.Milliseconds()
	}
	if took["stream"] > 1.5*took["one"] || took["layers"] < 2*took["stream"] {
		t.Errorf("an all-reduce takes %.3f ms whole, %.3f ms as a stream, %.3f ms layer by layer", took["one"], took["stream"], took["layers"])
	}
}
