package sim_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"

	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
)

// changing is a replay of six iterations of SwitchML on a rack of four hosts.
func changing(t *testing.T, sys job.System, link topo.LinkSpec, changes ...job.LinkChange) *job.Job {
	t.Helper()
	g, err := gen.ByName("rack", gen.Params{Hosts: 4, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	j, err := job.New(job.Spec{
		System: sys, Plan: p, Model: profiles.Profile{Name: "tensor", SizeMiB: 8, Compute: 20 * ms}, Scale: 1, Iterations: 6, Seed: 1,
		Virtual: true, Replay: true, Sample: gradient.Sampling{Every: 64}, Changes: changes,
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// both returns the changes of all links, in both directions.
func both(at units.Time, hosts int, spec topo.LinkSpec) (out []job.LinkChange) {
	for h := range hosts {
		host, sw := topo.End{Node: fmt.Sprintf("h%d", h), Port: "eth0"}, topo.End{Node: "tor", Port: fmt.Sprintf("p%d", h)}
		out = append(out, job.LinkChange{At: at, From: host, To: sw, Spec: spec}, job.LinkChange{At: at, From: sw, To: host, Spec: spec})
	}
	return out
}

// byIteration returns when each iteration begins and how long it takes.
func byIteration(c result.Cell) (begins []units.Time, took []units.Duration) {
	for _, s := range c.Samples {
		if s.Worker == 0 {
			begins, took = append(begins, s.Start), append(took, s.End.Sub(s.Start))
		}
	}
	return begins, took
}

// Iterations before a change of all rates take what they take at the first rate, those behind it
// what they take at the second, to the picosecond, and both take what is expected. In one that is
// cut by the change, each half of the tensor takes its time.
func TestIterationsTakeTheRateOfTheirTime(t *testing.T) {
	sim.OneGoroutine(t)
	sys := switchml.System{Elements: 256}
	fast := topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: units.Microsecond}
	slow := topo.LinkSpec{Rate: 25 * units.GbitPerSecond, Delay: units.Microsecond}
	ofFast, ofSlow := changing(t, sys, fast), changing(t, sys, slow)
	begins, before := byIteration(replayed(t, ofFast))
	_, after := byIteration(replayed(t, ofSlow))
	for _, c := range []struct {
		took []units.Duration
		job  *job.Job
	}{{before, ofFast}, {after, ofSlow}} {
		want, _ := c.job.Expect()
		if got := c.took[1]; math.Abs(got.Seconds()/want.Seconds()-1) > 0.01 {
			t.Errorf("an iteration takes %v, analytic %v", got, want)
		}
	}
	if before[1] == after[1] {
		t.Fatal("the rates make no difference: nothing is tested")
	}

	inCompute := begins[3].Add(10 * ms)
	c := replayed(t, changing(t, sys, fast, both(inCompute, 4, slow)...))
	_, took := byIteration(c)
	if want := slices.Concat(before[:3], after[3:]); !slices.Equal(took, want) {
		t.Errorf("iterations take %v, want %v", took, want)
	}
	if c.Work.Charged != 0 {
		t.Errorf("%d rounds were charged while links change", c.Work.Charged)
	}
	for _, l := range c.Links {
		if l.Changes != 1 || l.Rate != fast.Rate {
			t.Errorf("link %s: %d changes, rate %v", l.Name, l.Changes, l.Rate)
		}
	}

	reduce := before[3] - 20*ms
	_, took = byIteration(replayed(t, changing(t, sys, fast, both(begins[3].Add(20*ms+reduce/2), 4, slow)...)))
	want := 20*ms + reduce/2 + (after[3]-20*ms)/2
	if math.Abs(took[3].Seconds()/want.Seconds()-1) > 0.01 || took[2] != before[2] || took[4] != after[4] {
		t.Errorf("iterations take %v, want %v in the fourth", took, want)
	}
}

// A link that loses everything for a time stops a job for longer than one that does not get on
// may take, and the job goes on behind it: the run waits for the last change.
func TestRunWaitsForTheLastChange(t *testing.T) {
	long(t)
	sys := switchml.System{Elements: 256, Retransmit: true}
	link := topo.LinkSpec{Rate: 100 * units.GbitPerSecond, Delay: units.Microsecond}
	lost := link
	lost.Loss = 1
	const down, up = 50 * ms, 4 * units.Second
	c, err := sim.RunJob(t.Context(), changing(t, sys, link, append(both(units.Time(down), 1, lost), both(units.Time(up), 1, link)...)...), worker.Images{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Wrong != 0 || c.Checked == 0 {
		t.Errorf("%d of %d values wrong", c.Wrong, c.Checked)
	}
	_, took := byIteration(c)
	if n := len(took); n != 6 || slices.Max(took) < up-down-40*ms || slices.Index(took, slices.Max(took)) == n-1 {
		t.Errorf("iterations take %v, want one that lasts until %v", took, up)
	}
	for _, l := range c.Links {
		ofH0 := l.Name == "h0:eth0->tor:p0" || l.Name == "tor:p0->h0:eth0"
		if ofH0 != (l.Changes == 2) || l.Dropped() > 0 && !ofH0 {
			t.Errorf("link %s: %d changes, %d frames dropped", l.Name, l.Changes, l.Dropped())
		}
	}
}
