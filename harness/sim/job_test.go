package sim_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/scenarios"
)

// jobs lays the default scenario out for the virtual clock, with overrides.
func jobs(t *testing.T, set ...string) []*job.Job {
	t.Helper()
	return embedded(t, "straggler", set...)
}

// embedded lays a scenario of the catalogue out.
func embedded(t *testing.T, name string, set ...string) []*job.Job {
	t.Helper()
	text, err := scenarios.Embedded(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Load(scenarios.Source{Name: name, Text: text, Set: set}, system.All())
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// loaded are the images, decoded once for all tests.
var loaded = sync.OnceValues(worker.LoadImages)

func images(t *testing.T) worker.Images {
	t.Helper()
	im, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return im
}

func run(t *testing.T, j *job.Job, im worker.Images) result.Cell {
	t.Helper()
	c, err := sim.RunJob(t.Context(), j, im, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func meanMs(c result.Cell) float64 {
	sum := 0.0
	for _, s := range c.Samples {
		sum += s.End.Sub(s.Start).Milliseconds()
	}
	return sum / float64(len(c.Samples))
}

// Every system trains to the end with every sum right, in the time that the
// schedule allows.
func TestSystemsTrainAsExpected(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	for _, j := range jobs(t, "iterations=12", "stragglers.p=[0%,16%]") {
		c := run(t, j, im)
		if c.Wrong != 0 || c.Checked != uint64(j.Params*6*12) || len(c.Samples) != 6*12 {
			t.Errorf("%s p=%g: %d of %d values wrong, %d samples; %v", j.System.Name(), j.StraggleP, c.Wrong, c.Checked, len(c.Samples), c.Notes)
		}
		got, want := meanMs(c), c.Expected.Milliseconds()
		if got > 1.01*want || !c.ExpectedIsBound && got < 0.99*want {
			t.Errorf("%s p=%g: iteration takes %.3f ms, expected %.3f (bound: %v)", j.System.Name(), j.StraggleP, got, want, c.ExpectedIsBound)
		}
		if c.Compute != j.Model.Compute {
			t.Errorf("%s p=%g: computing takes %v, nominal %v", j.System.Name(), j.StraggleP, c.Compute, j.Model.Compute)
		}
	}
}

// One seed is one run, to the last byte; another seed is another.
func TestOneSeedIsOneRun(t *testing.T) {
	im := images(t)
	samples := func(seed string) string {
		var all []result.Sample
		for _, j := range jobs(t, "iterations=5", "stragglers.p=[16%]", "scale=1000", "link.jitter=1us", "seed="+seed) {
			all = append(all, run(t, j, im).Samples...)
		}
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first := samples("7")
	if again := samples("7"); again != first {
		t.Error("two runs of one seed differ")
	}
	if samples("8") == first {
		t.Error("two seeds give one run")
	}
}

// A lost packet that nobody sends again stops a job for good; the run says so
// instead of waiting.
func TestStalledRunEnds(t *testing.T) {
	j := jobs(t, "iterations=3", "stragglers.p=[0%]", "scale=1000", "links=[{from: h3, queue: 2MB}]", "systems=[{system: switchml256, topology: rack}]")[0]
	_, err := sim.RunJob(t.Context(), j, images(t), nil)
	if err == nil || !strings.Contains(err.Error(), "nothing can happen any more; model updates so far: worker 0: 0") {
		t.Errorf("got %v", err)
	}
}

// With retransmission the same losses cost time and no sum.
func TestLossesAreRepaired(t *testing.T) {
	for _, system := range []string{"{system: switchml256, topology: rack}", "{system: ring, topology: rack}", "{system: ring, topology: leaf-spine}"} {
		j := jobs(t, "iterations=3", "stragglers.p=[0%]", "scale=1000", "link.loss=1%", "switchml.retransmit=true", "systems=["+system+"]")[0]
		c := run(t, j, images(t))
		again := uint64(0)
		for _, n := range c.Counters {
			if n.Name == "link/h0:eth0->tor:p0/loss-bernoulli" || strings.HasSuffix(n.Name, "/loss-bernoulli") {
				again += n.N
			}
		}
		if c.Wrong != 0 || c.Checked == 0 || again == 0 {
			t.Errorf("%s: %d of %d wrong, %d frames lost", system, c.Wrong, c.Checked, again)
		}
	}
}
