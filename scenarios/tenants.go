package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Tenant is one of several jobs that share a lab.
type Tenant struct {
	Name       string
	System     job.System       // its knobs set; nil: that of the run
	Hosts      []int            // of workers, by number
	Servers    []int            // hosts of its servers
	Model      profiles.Profile // zero value: that of the scenario
	Iterations int              // zero: those of the scenario
	Timeout    units.Duration   // of a [job.Patient]; zero: that of the system
	Times      worker.Times
	Until      units.Duration // when it is ended; zero: when it is done
	at         string         // where it stands
}

// maxTenants is how many jobs a lab has ids for: 8 bits, and a job's id is [job.DefaultID] at least.
const maxTenants = dataplane.MaxJobID - job.DefaultID + 1

// tenants reads the jobs of a scenario.
func (r *resolver) tenants(list []rawJob, scale int) (out []Tenant) {
	if n := len(list); n > maxTenants {
		r.wrong(fmt.Sprintf("jobs[%d]", maxTenants), fmt.Errorf("%d jobs: a lab has at most %d, whose ids are 1 to %[2]d: leave some out", n, maxTenants))
	}
	taken := map[int]string{} // host -> job; looked up
	for i, f := range list {
		at := fmt.Sprintf("jobs[%d]", i)
		t := Tenant{Name: cmp.Or(f.Name, fmt.Sprintf("job%d", i+1)), at: at}
		if !scenarioName.MatchString(t.Name) || slices.ContainsFunc(out, func(o Tenant) bool { return o.Name == t.Name }) {
			r.wrong(at, fmt.Errorf("%q: each job needs a name of its own of a-z, 0-9 and -", t.Name))
		}
		if f.System != "" {
			t.System = r.system(at+".system", f.System)
		}
		t.Hosts = r.hostsOf(at+".hosts", t.Name, f.Hosts, taken)
		t.Servers = r.hostsOf(at+".servers", t.Name, f.Servers, taken)
		if len(f.Hosts) == 0 {
			r.wrong(at, fmt.Errorf("job %s has no hosts: write them, as in hosts: [h0, h1]", t.Name))
		}
		if !f.Model.IsZero() {
			t.Model = r.model(at+".model", f.Model, scale)
		}
		if f.Iterations != 0 {
			t.Iterations = r.between(at+".iterations", f.Iterations, 1, MaxIterations)
		}
		if f.Timeout != "" {
			t.Timeout = r.timeout(at+".timeout", f.Timeout)
		}
		t.Times = r.times(at, f)
		if f.Stop != "" {
			t.Until = r.duration(at+".stop", f.Stop)
		}
		r.wrong(at+".stop", checkSpan("job "+t.Name, t.Times.Start, t.Until))
		out = append(out, t)
	}
	return out
}

// hostsOf reads hosts of a job. Those that have a job are taken.
func (r *resolver) hostsOf(path, job string, list []string, taken map[int]string) (out []int) {
	for k, h := range list {
		at := fmt.Sprintf("%s[%d]", path, k)
		n, ok := r.hostNumber(h)
		if !ok {
			r.wrong(at, fmt.Errorf("%q: write the hosts of the job, as in [h0, h1]", h))
			continue
		}
		if other, has := taken[n]; has {
			r.wrong(at, fmt.Errorf("%s: job %s has it already: each worker and server of each job needs a host of its own", h, other))
		}
		taken[n] = job
		out = append(out, n)
	}
	return out
}

// allNamed reports whether there are jobs, and each says which system it runs.
func allNamed(jobs []rawJob) bool {
	return len(jobs) > 0 && !slices.ContainsFunc(jobs, func(f rawJob) bool { return f.System == "" })
}

// timeout reads that of a job.
func (r *resolver) timeout(path, text string) units.Duration {
	before := len(r.errs)
	d := r.duration(path, text)
	if d <= 0 && len(r.errs) == before {
		r.wrong(path, errors.New("write a time above 0, as in 20ms"))
	}
	return d
}

// checkTimeouts refuses the timeout of a job that no system of it has.
func (r *resolver) checkTimeouts(s *Scenario) {
	for _, t := range s.Tenants {
		var list []job.System
		for _, sys := range s.Systems {
			list = append(list, t.system(sys.System))
		}
		if t.Timeout > 0 && !slices.ContainsFunc(list, isPatient) {
			r.wrong(t.at+".timeout", fmt.Errorf("%s has no timeout of each job: leave it out; it is for %s", job.NameOf(list), strings.Join(job.Names(slices.DeleteFunc(slices.Clone(r.systems), isImpatient)), ", ")))
		}
	}
}

func isPatient(s job.System) bool {
	_, ok := s.(job.Patient)
	return ok
}

func isImpatient(s job.System) bool { return !isPatient(s) }

// system returns what a job runs in a run of a system, which may be nil.
func (t *Tenant) system(run job.System) job.System {
	out := run
	if t.System != nil {
		out = t.System
	}
	if p, ok := out.(job.Patient); ok && t.Timeout > 0 {
		out = p.WithTimeout(t.Timeout)
	}
	return out
}

// ran names the systems of a run.
func (s *Scenario) ran(sys System) string {
	if len(s.Tenants) == 0 {
		return sys.Name()
	}
	var list []job.System
	for _, t := range s.Tenants {
		list = append(list, t.system(sys.System))
	}
	return job.NameOf(list)
}

// tenants lays the jobs of the scenario out beside one another. Flows, programs in transit and
// changes belong to the lab, and stand with the first.
func (s *Scenario) tenants(spec job.Spec) (*job.Set, error) {
	var jobs []*job.Job
	var idle []idleHosts
	for i, t := range s.Tenants {
		one := spec
		one.Times = t.Times
		one.System, one.Name, one.ID = t.system(spec.System), t.Name, uint8(job.DefaultID+i)
		one.On = t.Hosts
		one.Iterations = cmp.Or(t.Iterations, spec.Iterations)
		if t.Model.Name != "" {
			one.Model = t.Model
			replayed(&one)
		}
		one.Until = t.Until
		if i > 0 {
			one.HostPrograms, one.Flows, one.Transit, one.Collectors, one.Changes = nil, nil, nil, nil, nil
		}
		needed := len(t.Servers) - s.idleServers(&t, one.System)
		one.ServersOn = t.Servers[:needed]
		one.Servers = len(one.ServersOn)
		if err := s.checkServers(&t, &one); err != nil {
			return nil, err
		}
		j, err := job.New(one)
		if err != nil {
			return nil, s.doc.Wrong(t.at, fmt.Errorf("job %s: %w", t.Name, err))
		}
		if needed < len(t.Servers) {
			idle = append(idle, idleHosts{j, t.Servers[needed:]})
		}
		jobs = append(jobs, j)
	}
	noteIdle(idle)
	set, err := job.NewSet(jobs...)
	var misfit *job.Misfit
	if errors.As(err, &misfit) {
		return nil, s.doc.Wrong(s.Tenants[slices.Index(jobs, misfit.Job)].at, err)
	}
	return set, err
}

// idleServers returns how many hosts for servers of a job a system leaves idle, because another one of
// the scenario needs more: they are those behind its own.
func (s *Scenario) idleServers(t *Tenant, sys job.System) int {
	has, most := len(t.Servers), 0
	for _, o := range s.Systems {
		if t.System == nil {
			most = max(most, job.Servers(o.System, len(t.Hosts)))
		}
	}
	if has > most {
		return 0 // nobody needs them
	}
	return max(0, has-job.Servers(sys, len(t.Hosts)))
}

// idleHosts is the hosts for servers that a job leaves idle.
type idleHosts struct {
	job   *job.Job
	hosts []int
}

// noteIdle says in the notes of jobs which hosts those of one system leave idle, in the same words for all of
// them.
func noteIdle(list []idleHosts) {
	names := map[string][]string{} // by system; looked up
	for _, i := range list {
		for _, h := range i.hosts {
			system := i.job.System.Name()
			names[system] = append(names[system], i.job.Plan.Hosts[h].Name)
		}
	}
	for _, i := range list {
		name := i.job.System.Name()
		note := fmt.Sprintf("%s idle: %s runs without servers there", strings.Join(names[name], ", "), name)
		i.job.Layout.Notes = append(slices.Clone(i.job.Layout.Notes), note)
	}
}

// checkServers says how many hosts for servers a job needs, where it has another number.
func (s *Scenario) checkServers(t *Tenant, spec *job.Spec) error {
	sys, workers := spec.System, len(t.Hosts)
	need, has := job.Servers(sys, workers), len(spec.ServersOn)
	if need == has {
		return nil
	}
	at, what := t.at, ""
	if has > 0 {
		at += ".servers"
	}
	_, staffed := sys.(job.Staffed)
	switch {
	case !staffed:
		what = fmt.Sprintf("%s has no servers: leave servers out", sys.Name())
	case need == 0:
		what = fmt.Sprintf("%s, with the knobs that it has here, needs no hosts for servers: leave servers out", sys.Name())
	default:
		what = fmt.Sprintf("%s needs %d hosts for the servers of %d workers, and %d are named: %s", sys.Name(), need, workers, has, s.freeHosts(spec, need-has))
	}
	return s.doc.Wrong(at, fmt.Errorf("job %s: %s", t.Name, what))
}

// freeHosts says where a job finds so many hosts more.
func (s *Scenario) freeHosts(spec *job.Spec, n int) string {
	if n < 0 {
		return fmt.Sprintf("leave %d out", -n)
	}
	var free []string
	for i, h := range spec.Plan.Hosts {
		if !slices.ContainsFunc(s.Tenants, func(t Tenant) bool { return slices.Contains(t.Hosts, i) || slices.Contains(t.Servers, i) }) {
			free = append(free, h.Name)
		}
	}
	if len(free) < n {
		return fmt.Sprintf("only %d of the %d hosts of the lab have no job: set hosts to %d, and name them in servers", len(free), len(spec.Plan.Hosts), len(spec.Plan.Hosts)+n-len(free))
	}
	return fmt.Sprintf("add to servers %d hosts without a job, as %v", n, free[:n])
}
