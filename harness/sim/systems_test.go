package sim_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/byteps"
	"github.com/inalab/inalab/harness/system/halving"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/tcpagg"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/topo/plan"
)

// mixed is jobs of several systems, and the systems of the switches that have programs.
type mixed struct {
	name     string
	topology string
	hosts    int
	jobs     func(t *testing.T, p *plan.Plan) []*job.Job
	lab      string
	switches map[string]string // others only forward
}

var mixes = []mixed{
	{"a ring beside SwitchML", "rack", 7, func(t *testing.T, p *plan.Plan) []*job.Job {
		return []*job.Job{tenant(t, p, 1, switchml.System{Retransmit: true}, 0, 5, 0, 2), tenant(t, p, 2, ring.System{}, 0, 6, 1, 4)}
	}, "switchml256 + ring", map[string]string{"tor": "switchml256"}},
	{"a ring beside Trio-ML, across PFEs", "mx480", 6, func(t *testing.T, p *plan.Plan) []*job.Job {
		return []*job.Job{tenant(t, p, 1, ring.System{}, 0, 4, 1), tenant(t, p, 2, trioml.System{}, 0, 5, 0, 2)}
	}, "ring + trioml", map[string]string{"mx480": "trioml"}},
	{"two SwitchML jobs and a ring", "rack", 8, func(t *testing.T, p *plan.Plan) []*job.Job {
		return []*job.Job{
			tenant(t, p, 1, switchml.System{Retransmit: true}, 0, 0, 1), tenant(t, p, 2, ring.System{Transport: stream.RoCE}, 0, 7, 2, 5),
			tenant(t, p, 3, switchml.System{Retransmit: true}, 30_000, 3, 4),
		}
	}, "2 switchml256 + ring", map[string]string{"tor": "switchml256"}},
	{"servers on hosts of their own", "rack", 8, func(t *testing.T, p *plan.Plan) []*job.Job {
		return []*job.Job{staffed(t, p, 1, ps.System{Dedicated: true}, 0, []int{0, 6}, 7, 3), tenant(t, p, 2, halving.System{}, 0, 5, 1, 2)}
	}, "ps + halving", nil},
	{"a tree of servers beside SwitchML and BytePS", "rack", 13, func(t *testing.T, p *plan.Plan) []*job.Job {
		return []*job.Job{
			staffed(t, p, 1, tcpagg.System{K: 2}, 0, []int{9, 0, 4}, 12, 1, 7, 3), tenant(t, p, 2, switchml.System{Retransmit: true}, 0, 2, 5),
			staffed(t, p, 3, byteps.System{Partition: 1000}, 0, []int{6}, 11, 8),
		}
	}, "tcpagg + switchml256 + byteps", map[string]string{"tor": "switchml256"}},
	{"programs of two systems on their own leaves", "leaf-spine", 12, func(t *testing.T, p *plan.Plan) []*job.Job {
		return []*job.Job{
			tenant(t, p, 1, switchml.System{Retransmit: true}, 0, 1, 0), tenant(t, p, 2, switchml.System{Elements: 64, Retransmit: true}, 0, 8, 6, 7),
			tenant(t, p, 3, ps.System{}, 0, 11, 2, 9),
		}
	}, "switchml256 + switchml64 + ps", map[string]string{"leaf0": "switchml256", "leaf1": "switchml64"}},
	{"Trio-ML on a leaf that is not the first", "leaf-spine", 12, func(t *testing.T, p *plan.Plan) []*job.Job {
		return []*job.Job{
			tenant(t, p, 1, trioml.System{}, 0, 8, 6, 7), tenant(t, p, 2, switchml.System{Retransmit: true}, 0, 3, 0),
			tenant(t, p, 3, trioml.System{}, 0, 9, 10), tenant(t, p, 4, ring.System{}, 0, 11, 2),
		}
	}, "2 trioml + switchml256 + ring", map[string]string{"leaf0": "switchml256", "leaf1": "trioml"}},
	{"a chassis each", "chassis-spine", 12, func(t *testing.T, p *plan.Plan) []*job.Job {
		return []*job.Job{
			tenant(t, p, 1, switchml.System{Retransmit: true}, 0, 0, 3, 5), tenant(t, p, 2, trioml.System{}, 0, 11, 6, 8),
		}
	}, "switchml256 + trioml", map[string]string{"mx0": "switchml256", "mx1": "trioml"}},
}

// Jobs of several systems run side by side, each right in every sum, and each switch has the
// programs of its own system.
func TestJobsOfSeveralSystems(t *testing.T) {
	sim.OneGoroutine(t)
	for _, m := range mixes {
		t.Run(m.name, func(t *testing.T) {
			list := m.jobs(t, sharedPlan(t, m.topology, m.hosts))
			s, err := job.NewSet(list...)
			if err != nil {
				t.Fatal(err)
			}
			for _, cfg := range s.Switches(0) {
				if cfg.System != m.switches[cfg.Switch.Name] {
					t.Errorf("switch %s has programs of %q, want %q", cfg.Switch.Name, cfg.System, m.switches[cfg.Switch.Name])
				}
			}
			cells, err := sim.RunJobs(t.Context(), s, images(t), sim.Observer{})
			if err != nil {
				t.Fatal(err)
			}
			for i, j := range list {
				checkMixed(t, &cells[i], j, m.lab)
			}
		})
	}
}

func checkMixed(t *testing.T, c *result.Cell, j *job.Job, lab string) {
	t.Helper()
	checked := uint64(len(j.Hosts()) * j.Params)
	if j.Elements == 0 {
		checked *= uint64(j.Iterations)
	}
	if c.Wrong != 0 || c.Checked != checked || len(c.Samples) != len(j.Hosts())*j.Iterations {
		t.Errorf("job %d: %d of %d elements are wrong, want 0 of %d; %d samples", j.ID, c.Wrong, c.Checked, checked, len(c.Samples))
	}
	for _, s := range c.Samples {
		if j.Elements == 0 && s.System != j.System.Name() {
			t.Fatalf("job %d of %s has a sample of %s", j.ID, j.System.Name(), s.System)
		}
	}
	if c.System != j.System.Name() || c.Lab != lab {
		t.Errorf("job %d ran %s in a lab of %q, want %s of %q", j.ID, c.System, c.Lab, j.System.Name(), lab)
	}
}

// Where links are its own, a ring takes beside another system's job the time that it takes
// alone.
func TestARingBesideAProgramTakesNoLonger(t *testing.T) {
	p := sharedPlan(t, "rack", 6)
	one := tenant(t, p, 1, ring.System{}, 0, 4, 0, 2)
	alone, err := sim.RunJob(t.Context(), one, images(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	cells, _ := together(t, one, tenant(t, p, 2, switchml.System{}, 0, 5, 1, 3))
	if a, b := alone.Samples[len(alone.Samples)-1].End, cells[0].Samples[len(alone.Samples)-1].End; a != b {
		t.Errorf("it ends at %v alone, at %v beside the other", a, b)
	}
}

// A job that can get no further is told of though one with streams, which has long
// timeouts, is in the lab; and of a stream that stalls it is its own link that is named.
func TestAStallIsToldBesideStreams(t *testing.T) {
	for _, c := range []struct {
		host int
		is   error
		want []string
	}{
		{1, sim.ErrNoProgress, []string{"at tor waits for h1: it has 0b01 (1 of 2)", "first hop without packets: h1:eth0->tor:p1"}},
		{4, nil, []string{"h4:eth0->tor:p4"}},
	} {
		p := sharedPlan(t, "rack", 6)
		p.Switches[0].Ports[p.Hosts[0].SwitchPort].Out.LossEvery = 40 // its losses are made good
		p.Switches[0].Ports[p.Hosts[c.host].SwitchPort].In.LossEvery = 1
		s, err := job.NewSet(tenant(t, p, 1, switchml.System{Retransmit: true}, 0, 0, 1), tenant(t, p, 2, ring.System{}, 0, 3, 4, 5))
		if err != nil {
			t.Fatal(err)
		}
		_, err = sim.RunJobs(t.Context(), s, images(t), sim.Observer{})
		if err == nil || c.is != nil && !errors.Is(err, c.is) {
			t.Fatalf("h%d sends nothing: error %v, want %v", c.host, err, c.is)
		}
		for _, want := range append(c.want, "switchml256 + ring") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v\nlacks %q", err, want)
			}
		}
	}
}
