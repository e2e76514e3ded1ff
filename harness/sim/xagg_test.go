package sim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/tcpagg"
	"github.com/inalab/inalab/harness/system/xagg"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
)

// XAgg trains on with every sum right, over each of its trees, through a lossy network, behind stragglers,
// and over several switches. It waits for every straggler.
func TestXAggTrains(t *testing.T) {
	im := images(t)
	for _, set := range [][]string{
		{"systems=[{system: xagg}]"},
		{"systems=[{system: xagg}]", "xagg.tree=star", "xagg.agents=1"},
		{"systems=[{system: xagg}]", "xagg.tree=testbed", "hosts=7", "xagg.values=320"},
		{"systems=[{system: xagg}]", "xagg.tree=plan", "xagg.k=2"},
		{"systems=[{system: xagg, topology: leaf-spine}]", "xagg.k=2", "xagg.values=32"},
		{"systems=[{system: xagg, topology: {generator: tree, depth: 3, fan-out: 2}}]", "hosts=5", "xagg.k=2"},
	} {
		whole := jobs(t, append(set, "iterations=4", "scale=1000", "stragglers.p=[16%]")...)[0]
		c := run(t, whole, im)
		if c.Wrong != 0 || c.Checked != uint64(whole.Params*len(whole.Hosts())*4) || meanMs(c) < 0.99*c.Expected.Milliseconds() || c.ExpectedIsBound || c.Resent.Packets > 0 {
			t.Errorf("%q: %d of %d values wrong, iterations of %.3f ms, expected %v, %d sent again", set, c.Wrong, c.Checked, meanMs(c), c.Expected, c.Resent.Packets)
		}
		lossy := jobs(t, append(set, "iterations=3", "scale=1000", "stragglers.p=[0%]", "link.loss=1%")...)[0]
		c = run(t, lossy, im)
		if c.Wrong != 0 || c.Checked != uint64(lossy.Params*len(lossy.Hosts())*3) || c.Resent.Packets == 0 || tally(t, &c, "again") == 0 {
			t.Errorf("%q: %d of %d values wrong, %d packets sent again", set, c.Wrong, c.Checked, c.Resent.Packets)
		}
	}
}

// The layers of servers take what is to be added away from the parameter server: its link carries as many
// gradients as it has children. The time is the analytic one, with what servers and timers take.
func TestXAggTakesItsTime(t *testing.T) {
	im := images(t)
	for tree, children := range map[string]int{"kary": 3, "star": 7} {
		j := jobs(t, "systems=[{system: xagg}]", "hosts=7", "iterations=3", "scale=200", "stragglers.p=[0%]", "xagg.tree="+tree)[0]
		c := run(t, j, im)
		packets := float64(3 * ((j.Params + 255) / 256))
		if got := tally(t, &c, "at_ps"); got != float64(children)*packets {
			t.Errorf("%s: %v packets came to the parameter server, want %v", tree, got, float64(children)*packets)
		}
		if got, want := meanMs(c), c.Expected.Milliseconds(); got < want || got > 1.05*want {
			t.Errorf("%s: iterations of %.3f ms, expected %.3f", tree, got, want)
		}
	}
}

// Where links are unequal, the slowest of the tree sets the pace, and a slow worker holds up no more than that.
func TestXAggOnUnequalLinks(t *testing.T) {
	im := images(t)
	j := jobs(t, "systems=[{system: xagg}]", "hosts=7", "iterations=3", "scale=400", "stragglers.p=[0%]", "links=[{at: h1, rate: 20Gbit/s}, {at: h9, rate: 50Gbit/s}]")[0]
	c := run(t, j, im)
	if c.Wrong != 0 || c.Checked == 0 || meanMs(c) < 0.99*c.Expected.Milliseconds() || meanMs(c) > 1.3*c.Expected.Milliseconds() || c.Resent.Packets > 0 {
		t.Errorf("%d of %d values wrong, iterations of %.3f ms, expected %v, %d sent again", c.Wrong, c.Checked, meanMs(c), c.Expected, c.Resent.Packets)
	}
}

// A replay with unstored values is the run with all of them, in every time and packet.
func TestXAggReplays(t *testing.T) {
	im := images(t)
	var cells []result.Cell
	for _, every := range []int{1, 8} {
		j := jobs(t, "systems=[{system: xagg, topology: leaf-spine}]", "iterations=3", "scale=400", "stragglers.p=[16%]", "xagg.k=2")[0]
		spec := j.Spec
		spec.Replay, spec.Exact, spec.Sample = true, true, gradient.Sampling{Every: every}
		again, err := job.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, run(t, again, im))
	}
	whole, part := cells[0], cells[1]
	if whole.Wrong+part.Wrong != 0 || part.Checked == 0 || part.Checked >= whole.Checked {
		t.Errorf("%d and %d values wrong of %d and %d", whole.Wrong, part.Wrong, whole.Checked, part.Checked)
	}
	for i, s := range whole.Samples {
		if part.Samples[i].End != s.End || part.Samples[i].Worker != s.Worker {
			t.Fatalf("worker %d ends iteration %d at %v, with a sample of the values worker %d at %v", s.Worker, s.Iteration, s.End, part.Samples[i].Worker, part.Samples[i].End)
		}
	}
	if part.Work.Frames != whole.Work.Frames {
		t.Errorf("%d and %d frames", whole.Work.Frames, part.Work.Frames)
	}
}

// Integers of a benchmark are added as they are, iteration after iteration.
func TestXAggAddsIntegers(t *testing.T) {
	for _, topology := range []string{"rack", "leaf-spine"} {
		for _, elements := range []int{1, 255, 10_000} {
			j := staffed(t, sharedPlan(t, topology, 9), 1, xagg.System{K: 2}, elements, []int{6, 7, 8}, 0, 1, 2, 3)
			c, err := sim.RunJob(t.Context(), j, images(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.Wrong != 0 || c.Checked != uint64(4*elements) {
				t.Errorf("%d elements on %s: %d of %d wrong", elements, topology, c.Wrong, c.Checked)
			}
		}
	}
}

var besides = []mixed{
	{"two jobs of XAgg", "rack", 12, func(t *testing.T, p *plan) []*job.Job {
		return []*job.Job{
			staffed(t, p, 1, xagg.System{K: 2}, 0, []int{9, 0, 4}, 1, 7, 3), staffed(t, p, 2, xagg.System{}, 0, []int{11}, 2, 5, 8),
		}
	}, "2 xagg", nil},
	{"XAgg beside a ring, SwitchML and TCP-Agg", "leaf-spine", 18, func(t *testing.T, p *plan) []*job.Job {
		return []*job.Job{
			staffed(t, p, 1, xagg.System{K: 2}, 0, []int{9, 12, 17}, 1, 7, 3), tenant(t, p, 2, ring.System{}, 0, 2, 5, 14),
			tenant(t, p, 3, switchml.System{Retransmit: true}, 0, 0, 4), staffed(t, p, 4, tcpagg.System{}, 0, []int{16}, 11, 8),
		}
	}, "xagg + ring + switchml256 + tcpagg", map[string]string{"leaf0": "switchml256"}},
}

// Jobs of XAgg run beside each other and beside those of other systems.
func TestXAggBesideOthers(t *testing.T) {
	for _, m := range besides {
		t.Run(m.name, func(t *testing.T) {
			list := m.jobs(t, sharedPlan(t, m.topology, m.hosts))
			cells, _ := together(t, list...)
			for i, j := range list {
				checkMixed(t, &cells[i], j, m.lab)
			}
		})
	}
}

// served runs a training of XAgg, seven workers below two servers, through a course.
func served(t *testing.T, sys xagg.System, loss float64, actions ...job.Action) result.Cell {
	t.Helper()
	p := sharedPlan(t, "rack", 7+sys.Servers(7))
	for i := range p.Switches[0].Ports {
		p.Switches[0].Ports[i].In.Loss, p.Switches[0].Ports[i].Out.Loss = loss, loss
	}
	spec := tenantSpec(t, p, sys)
	spec.Iterations, spec.Scale, spec.Actions, spec.Servers = 6, 100, actions, sys.Servers(7)
	spec.Model.Compute = 20 * units.Millisecond
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := sim.RunJobs(t.Context(), job.Alone(j), images(t), sim.Observer{})
	if err != nil {
		t.Fatalf("%v: %v", actions, err)
	}
	return cells[0]
}
