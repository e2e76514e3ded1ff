package scenarios

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/nodes/train/profiles"
)

// Tenant is one of several jobs that share a lab.
type Tenant struct {
	Name       string
	Hosts      []int            // by number
	Model      profiles.Profile // zero value: that of the scenario
	Iterations int              // zero: those of the scenario
	at         string           // where it stands
}

// tenants reads the jobs of a scenario.
func (r *resolver) tenants(list []rawJob) (out []Tenant) {
	for i, f := range list {
		at := fmt.Sprintf("jobs[%d]", i)
		t := Tenant{Name: cmp.Or(f.Name, fmt.Sprintf("job%d", i+1)), at: at}
		if !scenarioName.MatchString(t.Name) || slices.ContainsFunc(out, func(o Tenant) bool { return o.Name == t.Name }) {
			r.wrong(at, fmt.Errorf("%q: each job needs a name of its own of a-z, 0-9 and -", t.Name))
		}
		for k, h := range f.Hosts {
			n, ok := hostNumber(h)
			if !ok {
				r.wrong(fmt.Sprintf("%s.hosts[%d]", at, k), fmt.Errorf("%q: write the hosts of the job, as in [h0, h1]", h))
				continue
			}
			t.Hosts = append(t.Hosts, n)
		}
		if len(f.Hosts) == 0 {
			r.wrong(at, fmt.Errorf("job %s has no hosts: write them, as in hosts: [h0, h1]", t.Name))
		}
		if f.Model != "" {
			var err error
			t.Model, err = profiles.Lookup(f.Model)
			r.wrong(at+".model", err)
		}
		if f.Iterations != 0 {
			t.Iterations = r.between(at+".iterations", f.Iterations, 1, MaxIterations)
		}
		out = append(out, t)
	}
	return out
}

// tenants lays the jobs of the scenario out beside one another. Flows and programs in transit
// belong to the lab, and stand with the first.
func (s *Scenario) tenants(spec job.Spec) (*job.Set, error) {
	if spec.Servers > 0 {
		return nil, fmt.Errorf("%s has servers on hosts of their own, and one job has all hosts of its topology: leave jobs out", spec.System.Name())
	}
	var jobs []*job.Job
	for i, t := range s.Tenants {
		one := spec
		one.Name, one.ID, one.On = t.Name, uint8(job.DefaultID+i), t.Hosts
		one.Iterations = cmp.Or(t.Iterations, spec.Iterations)
		if t.Model.Name != "" {
			one.Model = t.Model
		}
		if i > 0 {
			one.HostPrograms, one.Flows, one.Transit = nil, nil, nil
		}
		j, err := job.New(one)
		if err != nil {
			return nil, s.doc.wrong(t.at, fmt.Errorf("job %s: %w", t.Name, err))
		}
		jobs = append(jobs, j)
	}
	return job.NewSet(jobs...)
}
