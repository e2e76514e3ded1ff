package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

func planned(t *testing.T, g *topo.Graph, err error) *plan.Plan {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func lossy(loss float64) topo.LinkSpec {
	return topo.LinkSpec{Rate: units.GbitPerSecond, Delay: units.Microsecond, Loss: loss}
}

// racks is leaves of two hosts below two spines.
func racks(t *testing.T, leaves int, loss float64) *plan.Plan {
	t.Helper()
	g, err := gen.LeafSpine(gen.LeafSpineParams{Leaves: leaves, HostsPerLeaf: 2, Link: lossy(loss), Uplink: lossy(loss)})
	return planned(t, g, err)
}

// threeLevels is a core above two switches above two leaves of two hosts each.
func threeLevels(t *testing.T, loss float64) *plan.Plan {
	t.Helper()
	g := &topo.Graph{Name: "three-levels", Nodes: []topo.Node{{Name: "core", Kind: topo.Switch, Tier: 2}}}
	join := func(below, above *topo.Node) {
		port := fmt.Sprint("p", len(above.Ports))
		above.Ports = append(above.Ports, port)
		below.Ports = append(below.Ports, "up")
		g.Links = append(g.Links, topo.Duplex(topo.End{Node: below.Name, Port: "up"}, topo.End{Node: above.Name, Port: port}, lossy(loss)))
	}
	core := &g.Nodes[0]
	var pods, leaves, hosts []topo.Node
	for i := range 2 {
		pod := topo.Node{Name: fmt.Sprint("pod", i), Kind: topo.Switch, Tier: 1}
		join(&pod, core)
		for k := range 2 {
			leaf := topo.Node{Name: fmt.Sprint("leaf", 2*i+k), Kind: topo.Switch}
			join(&leaf, &pod)
			for h := range 2 {
				host := topo.Node{Name: fmt.Sprint("h", 4*i+2*k+h), Kind: topo.Host}
				join(&host, &leaf)
				hosts = append(hosts, host)
			}
			leaves = append(leaves, leaf)
		}
		pods = append(pods, pod)
	}
	g.Nodes = append(append(append(g.Nodes, pods...), leaves...), hosts...)
	return planned(t, g, nil)
}

// switchmlJob is a job that retransmits: a benchmark, or a training.
func switchmlJob(t *testing.T, p *plan.Plan, id uint8, elements int, on ...int) *job.Job {
	t.Helper()
	model, err := profiles.Lookup("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	model.Compute = units.Millisecond
	j, err := job.New(job.Spec{
		System: switchml.System{Elements: 256, Slots: 32, Unscaled: true, Retransmit: true}, Plan: p, ID: id, On: on, Model: model,
		Scale: 1000, MiniBatch: 2, Iterations: 3, Seed: rng.Root(id), Elements: elements, Virtual: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// wantRight checks that all sums of a job were right, and that there were some.
func wantRight(t *testing.T, j *job.Job, c result.Cell) {
	t.Helper()
	checked := uint64(len(j.Hosts()) * j.Params)
	if j.Elements == 0 {
		checked *= uint64(j.Iterations)
	}
	if c.Wrong != 0 || c.Checked != checked {
		t.Errorf("job %d: %d of %d elements are wrong, want 0 of %d: %v", j.ID, c.Wrong, c.Checked, checked, c.Notes)
	}
}

// counted adds up a counter over nodes whose name begins so.
func counted(c result.Cell, node, name string) (n uint64) {
	for _, k := range c.Counters {
		if strings.HasPrefix(k.Node, node) && strings.HasSuffix(k.Name, name) {
			n += k.N
		}
	}
	return n
}

// Over racks and over three levels sums are right, whatever every link loses; and
// retransmissions climb.
func TestSwitchMLOverLevels(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	for name, p := range map[string]*plan.Plan{
		"leaf-spine": racks(t, 3, 0), "lossy leaf-spine": racks(t, 3, 0.01), "very lossy leaf-spine": racks(t, 4, 0.05),
		"three levels": threeLevels(t, 0), "lossy three levels": threeLevels(t, 0.01),
		"mx480": sharedPlan(t, "mx480", 6),
	} {
		t.Run(name, func(t *testing.T) {
			j := switchmlJob(t, p, 1, 0)
			c := run(t, j, im)
			wantRight(t, j, c)
			lost, up := counted(c, "", "/loss-bernoulli"), counted(c, "", "switchml-retransmissions-sent-up")
			if lossy := strings.Contains(name, "lossy"); lossy != (lost > 0) || lossy != (up > 0) {
				t.Errorf("%d frames are lost, %d retransmissions sent up", lost, up)
			}
			if lost == 0 {
				got, want := meanMs(c), c.Expected.Milliseconds()
				if got < 0.9*want || got > 1.1*want {
					t.Errorf("an iteration takes %.4f ms, expected %.4f", got, want)
				}
			}
		})
	}
}

// Without loss an uplink carries one packet for each block, however many workers
// there are below it (claim switchml.s7.hier-optimal).
func TestUplinksCarryOnePacketForEachBlock(t *testing.T) {
	p := racks(t, 2, 0)
	j := switchmlJob(t, p, 1, 60_000)
	c, err := sim.RunJob(t.Context(), j, worker.Images{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	blocks := uint64((j.Params + 255) / 256 * j.Iterations)
	for _, leaf := range []string{"leaf0", "leaf1"} {
		if got := counted(c, leaf, "switchml-results"); got != blocks {
			t.Errorf("%s completes %d blocks, want %d", leaf, got, blocks)
		}
		if got := counted(c, leaf, "switchml-results-passed-on"); got != blocks {
			t.Errorf("%s is sent %d results, want %d", leaf, got, blocks)
		}
	}
}

// Three jobs at the same time, a training and two benchmarks, go through the same
// leaves; two of them have the same root. Links lose packets; every sum is right,
// and nothing of one job is taken for another's.
func TestSwitchMLJobsShareLevels(t *testing.T) {
	im := images(t)
	for name, p := range map[string]*plan.Plan{"rack": sharedPlan(t, "rack", 6), "leaf-spine": racks(t, 3, 0), "lossy": racks(t, 3, 0.01)} {
		t.Run(name, func(t *testing.T) {
			jobs := []*job.Job{switchmlJob(t, p, 1, 0, 0, 2), switchmlJob(t, p, 2, 50_000, 1, 4), switchmlJob(t, p, 3, 40_000, 3, 5)}
			s, err := job.NewSet(jobs...)
			if err != nil {
				t.Fatal(err)
			}
			log := trace.NewLog(1 << 18)
			cells, err := sim.RunJobs(t.Context(), s, im, sim.Observer{Log: log})
			if err != nil {
				t.Fatal(err)
			}
			seen := check.NewTenants(s)
			for e := range trace.Merged([]*trace.Log{log}) {
				seen.Event(&e)
			}
			for i, j := range jobs {
				wantRight(t, j, cells[i])
				if k := seen.Job(j.ID); k.Landed == 0 || name != "lossy" && len(k.Dropped) > 0 {
					t.Errorf("job %d: %+v", j.ID, k)
				}
			}
			if seen.Turns() < 100 {
				t.Errorf("packets of the jobs take turns %d times: they do not run side by side", seen.Turns())
			}
		})
	}
}
