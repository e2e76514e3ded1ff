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
	"github.com/inalab/inalab/topo/plan"
)

// XAgg trains on with every sum right, over each of its trees, through a lossy network, behind stragglers,
// and over several switches. It waits for every straggler.
func TestXAggTrains(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	for _, set := range [][]string{
		{"systems=[{system: xagg}]"},
		{"systems=[{system: xagg}]", "xagg.tree=star", "xagg.agents=1"},
		{"systems=[{system: xagg}]", "xagg.tree=testbed", "hosts=7", "xagg.values=320"},
		{"systems=[{system: xagg}]", "xagg.tree=plan", "xagg.k=2"},
		{"systems=[{system: xagg, topology: leaf-spine}]", "xagg.k=2", "xagg.spares=1", "xagg.values=32"},
		{"systems=[{system: xagg, topology: {generator: tree, depth: 3, fan-out: 2}}]", "hosts=4", "xagg.k=2", "xagg.spares=1"},
	} {
		whole := jobs(t, append(set, "iterations=4", "scale=1000", "stragglers.p=[16%]")...)[0]
		c := run(t, whole, im)
		overtaken := strings.Contains(set[0], "topology") // messages, by another spine, overtake gradients that then seem lost
		least := 0.99                                     // of what is expected
		if slices.Contains(set, "xagg.tree=plan") {
			least = 0.8 // that is by the star of the first iteration
		}
		if c.Wrong != 0 || c.Checked != uint64(whole.Params*len(whole.Hosts())*4) || meanMs(c) < least*c.Expected.Milliseconds() || c.ExpectedIsBound || c.Resent.Packets > 0 && !overtaken {
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
	sim.OneGoroutine(t)
	im := images(t)
	for tree, children := range map[string]int{"kary": 3, "star": 7} {
		j := jobs(t, "systems=[{system: xagg}]", "hosts=7", "iterations=3", "scale=200", "stragglers.p=[0%]", "xagg.tree="+tree)[0]
		c := run(t, j, im)
		packets := float64(3 * ((j.Params + 255) / 256))
		if got := tally(t, &c, "at_ps"); got != float64(children)*packets {
			t.Errorf("%s: %v packets came to the parameter server, want %v", tree, got, float64(children)*packets)
		}
		if got, want := meanMs(c), c.Expected.Milliseconds(); got < 0.99*want || got > 1.05*want {
			t.Errorf("%s: iterations of %.3f ms, expected %.3f", tree, got, want)
		}
	}
}

// Where links are unequal, the slowest of the tree sets the pace. A server with a slow link is the last
// that the tree takes: hosts go to their places before the first iteration.
func TestXAggOnUnequalLinks(t *testing.T) {
	im := images(t)
	for _, set := range [][]string{
		{"links=[{at: h1, rate: 20Gbit/s}, {at: h9, rate: 50Gbit/s}]"},
		{"links=[{at: h7, rate: 50Gbit/s}]", "xagg.k=2"},
	} {
		j := jobs(t, append(set, "systems=[{system: xagg}]", "hosts=7", "iterations=3", "scale=400", "stragglers.p=[0%]")...)[0]
		c := run(t, j, im)
		if c.Wrong != 0 || c.Checked == 0 || meanMs(c) < 0.95*c.Expected.Milliseconds() || meanMs(c) > 1.3*c.Expected.Milliseconds() || c.Resent.Packets > 0 {
			t.Errorf("%q: %d of %d values wrong, iterations of %.3f ms, expected %v, %d sent again", set, c.Wrong, c.Checked, meanMs(c), c.Expected, c.Resent.Packets)
		}
	}
}

// A replay with unstored values is the run with all of them, in every time and packet.
func TestXAggReplays(t *testing.T) {
	im := images(t)
	var cells []result.Cell
	for _, every := range []int{1, 8} {
		j := jobs(t, "systems=[{system: xagg, topology: leaf-spine}]", "iterations=3", "scale=400", "stragglers.p=[16%]", "xagg.k=2", "xagg.spares=1")[0]
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
			j := staffed(t, sharedPlan(t, topology, 10), 1, xagg.System{K: 2, Cores: 1000}, elements, []int{6, 7, 8}, 0, 1, 2, 3)
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
	{"two jobs of XAgg", "rack", 12, func(t *testing.T, p *plan.Plan) []*job.Job {
		return []*job.Job{
			staffed(t, p, 1, xagg.System{K: 2, Cores: 1000}, 0, []int{9, 0, 4}, 1, 7, 3), staffed(t, p, 2, xagg.System{}, 0, []int{11}, 2, 5, 8),
		}
	}, "", nil},
	{"XAgg beside a ring, SwitchML and TCP-Agg", "leaf-spine", 18, func(t *testing.T, p *plan.Plan) []*job.Job {
		return []*job.Job{
			staffed(t, p, 1, xagg.System{K: 2, Cores: 1000}, 0, []int{9, 12, 17}, 1, 7, 3), tenant(t, p, 2, ring.System{}, 0, 2, 5, 14),
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

// whole checks that a training of served went on to its end with every sum right.
func whole(t *testing.T, c *result.Cell, about any) {
	t.Helper()
	if c.Ended != nil || c.Wrong != 0 || c.Checked == 0 || c.Unchecked != 0 || len(c.Samples) != 7*6 {
		t.Errorf("%v: ended %+v, %d of %d values wrong, %d samples: %q", about, c.Ended, c.Wrong, c.Checked, len(c.Samples), c.Notes)
	}
}

// told reports whether some server decided a thing.
func told(c *result.Cell, what string) bool {
	return slices.ContainsFunc(c.Decisions, func(d result.Decision) bool { return strings.Contains(d.Text, what) })
}

// A server that is killed at any time leaves the tree, its children send all again to the node above, and
// every sum is right; so it is if two are, or one of a tree of more layers, and where frames are lost.
func TestXAggOutlivesServers(t *testing.T) {
	long(t)
	draw := rand.New(rand.NewPCG(14, 7))
	for _, kills := range [][]string{{"h7"}, {"h8"}, {"h7"}, {"h7", "h8"}} {
		for _, loss := range []float64{0, 0.01} {
			var actions []job.Action
			at := 20 + draw.IntN(300)
			for _, node := range kills {
				actions = append(actions, act(at, job.Kill, node))
			}
			c := served(t, xagg.System{Spares: 1}, loss, actions...)
			about := fmt.Sprintf("%v, loss of %v", actions, loss)
			whole(t, &c, about)
			for _, node := range kills {
				if !told(&c, node+" left: no report for 300ms") {
					t.Errorf("%s: decided %+v", about, c.Decisions)
				}
			}
			if tally(t, &c, "moves") < float64(3*len(kills)) {
				t.Errorf("%s: %v moves", about, tally(t, &c, "moves"))
			}
		}
	}
}

// The same holds for servers of a deeper tree, whose children are servers.
func TestXAggOutlivesServersOfServers(t *testing.T) {
	sim.OneGoroutine(t)
	for _, node := range []string{"h7", "h9", "h10"} {
		c := served(t, xagg.System{K: 2}, 0, act(130, job.Kill, node))
		whole(t, &c, node)
		if !told(&c, node+" left") {
			t.Errorf("%s is gone: decided %+v", node, c.Decisions)
		}
	}
}

// A server that reports no idle core in mid-iteration leaves, and the spare one comes in after it.
func TestXAggLeavesABusyServer(t *testing.T) {
	sim.OneGoroutine(t)
	for _, ms := range []int{1, 95, 190} {
		c := served(t, xagg.System{Spares: 1, Busy: xagg.Busy{Server: 1, At: units.Duration(ms) * units.Millisecond}}, 0)
		whole(t, &c, ms)
		if !told(&c, "h7 left: overloaded") || !told(&c, "h9 joined") {
			t.Errorf("busy at %d ms: decided %+v", ms, c.Decisions)
		}
	}
}

// Without its parameter server a job ends, with the reason.
func TestXAggEndsWithItsParameterServer(t *testing.T) {
	c := served(t, xagg.System{}, 0, act(100, job.Kill, "h9"))
	if c.Ended == nil || !strings.Contains(c.Ended.Reason, "server h9 was killed: it is the parameter server, which has the sums") || c.Wrong != 0 || len(c.Decisions) != 0 {
		t.Errorf("ended %+v, %d wrong, decided %+v", c.Ended, c.Wrong, c.Decisions)
	}
}

// Servers that get other places before the first iteration pass their sums on, of any number of packets.
func TestXAggMovesServersBefore(t *testing.T) {
	sim.OneGoroutine(t)
	for _, slow := range []int{7, 8, 9, 10} {
		for _, elements := range []int{100, 4096, 10_000} {
			p := sharedPlan(t, "rack", 13)
			for _, h := range []int{slow, slow + 1} {
				p.Switches[0].Ports[p.Hosts[h].SwitchPort].In.Rate = 990 * units.MbitPerSecond
			}
			j := staffed(t, p, 1, xagg.System{K: 2, Cores: 1000}, elements, []int{7, 8, 9, 10, 11, 12}, 0, 1, 2, 3, 4, 5, 6)
			c, err := sim.RunJob(t.Context(), j, images(t), nil)
			if err != nil || c.Wrong != 0 || c.Checked != uint64(7*elements) || c.Resent.Packets > 0 {
				t.Errorf("h%d is slow: %d of %d values wrong, %d packets sent again: %v", slow, c.Wrong, c.Checked, c.Resent.Packets, err)
			}
		}
	}
}
