// Package jobtest makes plans and jobs for tests of systems and of what runs them.
package jobtest

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// Plan returns a topology with links of 1 Gbit/s.
func Plan(t testing.TB, topology string, hosts int) *plan.Plan {
	return PlanOf(t, topology, gen.Params{Hosts: hosts, Link: topo.LinkSpec{Rate: units.GbitPerSecond}})
}

// PlanOf returns a topology of any parameters.
func PlanOf(t testing.TB, topology string, params gen.Params) *plan.Plan {
	t.Helper()
	g, err := gen.ByName(topology, params)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// LeafSpine is 3 leaves of 2 hosts below 2 spines.
func LeafSpine(t testing.TB) *plan.Plan {
	t.Helper()
	link := topo.LinkSpec{Rate: units.GbitPerSecond, Delay: units.Microsecond}
	g, err := gen.LeafSpine(gen.LeafSpineParams{Leaves: 3, Spines: 2, HostsPerLeaf: 2, Link: link, Uplink: link})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// New returns the job of a spec.
func New(t testing.TB, s job.Spec) *job.Job {
	t.Helper()
	j, err := job.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// Spec is a live benchmark of 4096 elements on all hosts of a topology.
func Spec(t testing.TB, system job.System, topology string, hosts int) job.Spec {
	t.Helper()
	model, err := profiles.Lookup("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	return job.Spec{System: system, Plan: Plan(t, topology, hosts), Model: model, Scale: 1, Iterations: 4, Seed: 1, Elements: 4096}
}

// Staffed is Spec with so many workers, and on further hosts the servers that the system
// needs.
func Staffed(t testing.TB, system job.System, topology string, workers int) job.Spec {
	t.Helper()
	servers := job.Servers(system, workers)
	s := Spec(t, system, topology, workers+servers)
	s.Servers = servers
	return s
}

// Tenant is such a job on some hosts of a plan.
func Tenant(t testing.TB, p *plan.Plan, id uint8, system job.System, on ...int) *job.Job {
	t.Helper()
	s := Spec(t, system, "rack", 2)
	s.Plan, s.ID, s.On = p, id, on
	return New(t, s)
}

// Programs returns the configurations of the programs of the first switch.
func Programs[C any](t testing.TB, s *job.Set) (out []C) {
	t.Helper()
	for _, text := range s.Switches(0)[0].Programs {
		cfg, err := job.Decode[C](text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, cfg)
	}
	return out
}
