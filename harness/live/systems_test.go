package live

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/halving"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo/gen"
)

// share is a job of several in a lab.
type share struct {
	system      job.System
	on, servers []int
}

// Jobs of several systems run side by side on real packets: every sum of each is right, and
// each switch process has the programs of its own system.
func TestJobsOfSeveralSystemsLive(t *testing.T) {
	sml := switchml.System{Retransmit: true}
	for _, c := range []struct {
		name, topology string
		hosts          int
		shares         []share
		lab            string
	}{
		{"two SwitchML jobs and a ring", "rack", 7, []share{{sml, []int{4, 0}, nil}, {ring.System{}, []int{6, 1, 3}, nil}, {sml, []int{5, 2}, nil}}, "2 switchml256 + ring"},
		{"Trio-ML and a ring on a chassis", "mx480", 6, []share{{ring.System{}, []int{5, 1}, nil}, {trioml.System{Timeout: units.Second}, []int{0, 4, 2}, nil}}, "ring + trioml"},
		{"servers and a ring", "rack", 7, []share{{ps.System{Dedicated: true}, []int{2, 0}, []int{6, 3}}, {ring.System{}, []int{1, 5}, nil}}, "ps + ring"},
		{"programs on their own leaves", "leaf-spine", 8, []share{{sml, []int{1, 0}, nil}, {trioml.System{Timeout: units.Second}, []int{7, 4}, nil}, {halving.System{}, []int{6, 3}, nil}}, "switchml256 + trioml + halving"},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := options(t)
			link := sceneLink()
			p, err := planOf(c.topology, gen.Params{Hosts: c.hosts, Link: link, Fabric: link})
			if err != nil {
				t.Fatal(err)
			}
			var jobs []*job.Job
			for i, of := range c.shares {
				jobs = append(jobs, mustJob(t, scene{system: of.system, topology: c.topology, hosts: 2, change: func(s *job.Spec) {
					s.Plan, s.ID, s.On, s.ServersOn, s.Servers = p, uint8(i+1), of.on, of.servers, len(of.servers)
				}}))
			}
			set, err := job.NewSet(jobs...)
			if err != nil {
				t.Fatal(err)
			}
			cells, err := RunJobs(t.Context(), set, opt)
			if err != nil {
				t.Fatal(err)
			}
			for i, j := range jobs {
				checkCell(t, j, cells[i])
				if cells[i].System != j.System.Name() || cells[i].Lab != c.lab {
					t.Errorf("job %d ran %s in a lab of %q, want %s of %q", j.ID, cells[i].System, cells[i].Lab, j.System.Name(), c.lab)
				}
			}
		})
	}
}
