package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
)

// laidOut says what every set of a scenario is.
func laidOut(t *testing.T, s *Scenario) string {
	t.Helper()
	sets, err := s.Sets(true)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, set := range sets {
		out = append(out, set.Name()+" on "+set.Plan().Name)
		for _, j := range set.Jobs {
			var members []string
			for _, h := range j.Members() {
				members = append(members, h.Name)
			}
			out = append(out, fmt.Sprintf("  %s %s %s, %d servers", j.Name, j.System.Name(), strings.Join(members, " "), len(j.ServerHosts())))
		}
	}
	return strings.Join(out, "\n")
}

const threeSystems = `
hosts: 8
ps: {servers: dedicated}
jobs:
  - {name: a, system: switchml256, hosts: [h0, h1]}
  - {name: b, system: ring, hosts: [h5, h3]}
  - {name: c, system: ps, hosts: [h6, h2], servers: [h4, h7]}
`

// Jobs that all say their system need no list of systems; the topology is the scenario's, and
// the file that is written says the same.
func TestJobsWithSystemsOfTheirOwn(t *testing.T) {
	const want = `switchml256 + ring + ps on %s
  a switchml256 h0 h1, 0 servers
  b ring h5 h3, 0 servers
  c ps h6 h2 h4 h7, 2 servers`
	s := mustShort(t, threeSystems)
	if got := laidOut(t, s); got != fmt.Sprintf(want, "rack") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := s.SetTopology("leaf-spine"); err != nil {
		t.Fatal(err)
	}
	text, err := s.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	again := mustShort(t, strings.SplitN(string(text), "name: short\n", 2)[1])
	for _, s := range []*Scenario{s, again} {
		if got := laidOut(t, s); got != fmt.Sprintf(want, "leaf-spine") {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// Jobs that say nothing run the systems of the list, the others theirs in each run.
func TestSomeJobsHaveASystemOfTheirOwn(t *testing.T) {
	s := mustShort(t, `
systems: [{system: switchml256}, {system: trioml, topology: mx480}, {system: ring}]
ring: {transport: roce}
jobs:
  - {name: a, hosts: [h0, h1]}
  - {name: b, system: ring, hosts: [h4, h3]}
  - {name: c, hosts: [h2, h5]}
`)
	want := `2 switchml256 + ring on rack
  a switchml256 h0 h1, 0 servers
  b ring h4 h3, 0 servers
  c switchml256 h2 h5, 0 servers
2 trioml + ring on mx480
  a trioml h0 h1, 0 servers
  b ring h4 h3, 0 servers
  c trioml h2 h5, 0 servers
ring on rack
  a ring h0 h1, 0 servers
  b ring h4 h3, 0 servers
  c ring h2 h5, 0 servers`
	if got := laidOut(t, s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	sets, _ := s.Sets(true)
	if got := sets[0].Jobs[1].Layout.Transport; got != "roce" {
		t.Errorf("the ring beside SwitchML goes over %q: its knobs are not those of the file", got)
	}
}

// Servers of jobs are among the hosts of the lab, also of jobs that run the system of the list.
func TestServersOfJobsAreAmongTheHosts(t *testing.T) {
	s := mustShort(t, `
ps: {servers: dedicated}
systems: [{system: ps}]
jobs:
  - {name: a, hosts: [h0, h1], servers: [h5, h4]}
`)
	if got, want := laidOut(t, s), "ps on rack\n  a ps h0 h1 h5 h4, 2 servers"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	sets, _ := s.Sets(true)
	if n := len(sets[0].Plan().Hosts); n != 6 {
		t.Errorf("the lab has %d hosts, want 6", n)
	}
	one := mustShort(t, `
hosts: 7
ps: {servers: dedicated, count: 1}
systems: [{system: ps}]
jobs:
  - {name: a, hosts: [h0, h1, h3], servers: [h5]}
  - {name: b, hosts: [h2, h6], servers: [h4]}
`)
	if got, want := laidOut(t, one), "ps on rack\n  a ps h0 h1 h3 h5, 1 servers\n  b ps h2 h6 h4, 1 servers"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Hosts of servers are idle in the runs of systems that need fewer, and a note of these says so.
func TestIdleServers(t *testing.T) {
	s := mustShort(t, `
hosts: 8
ps: {servers: dedicated}
systems: [{system: ring}, {system: atp}, {system: ps}]
jobs:
  - {name: a, hosts: [h0, h1], servers: [h5, h4]}
  - {name: b, system: ring, hosts: [h2, h3]}
`)
	want := `ring on rack
  a ring h0 h1, 0 servers
  b ring h2 h3, 0 servers
atp + ring on rack
  a atp h0 h1 h5, 1 servers
  b ring h2 h3, 0 servers
ps + ring on rack
  a ps h0 h1 h5 h4, 2 servers
  b ring h2 h3, 0 servers`
	if got := laidOut(t, s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	sets, _ := s.Sets(true)
	for i, want := range []string{"h5, h4 idle: ring runs without servers there", "h4 idle: atp runs without servers there", ""} {
		got := strings.Join(slices.Concat(sets[i].Jobs[0].Layout.Notes, sets[i].Jobs[1].Layout.Notes), "\n")
		if (strings.Count(got, " idle: ") > 0) != (want != "") || !strings.Contains(got, want) {
			t.Errorf("notes of run %d: %q, want %q", i, got, want)
		}
	}
}

// What cannot be is refused where it stands, by name and with what to do.
func TestBadSystemsOfJobs(t *testing.T) {
	const dedicated = "ps: {servers: dedicated}\njobs: [{system: ring, hosts: [h0, h1]}, "
	for rest, want := range map[string]string{
		"jobs: [{system: rong, hosts: [h0, h1]}]":                                                  `short.yaml:4:17: jobs[0].system: "rong": allowed are *; did you mean "ring"?`,
		"jobs: [{system: ring, hosts: [h0, h1]}, {hosts: [h2, h3]}]":                               "systems: at least one system is needed for jobs that name none: allowed are *; or give each entry of jobs a system",
		"systems: [{system: ring}, {system: halving}]\njobs: [{system: ring, hosts: [h0, h1]}]":    "short.yaml:4:27: systems[1]: every job has a system of its own, and would run again on the same topology: leave the entry out",
		"jobs: [{name: a, system: ring, hosts: [h0, h1]}, {name: a, system: ps, hosts: [h2, h3]}]": `short.yaml:4:50: jobs[1]: "a": each job needs a name of its own`,
		"jobs: [{system: ring, hosts: [h0, h1]}, {system: ring, hosts: [h2, h0]}]":                 "short.yaml:4:68: jobs[1].hosts[1]: h0: job job1 has it already",
		dedicated + "{system: ps, hosts: [h2, h3], servers: [h4, h1]}]":                            "jobs[1].servers[1]: h1: job job1 has it already: each worker and server of each job needs a host of its own",
		dedicated + "{system: ps, hosts: [h2, h3], servers: [h4, 5]}]":                             `jobs[1].servers[1]: "5": write the hosts`,
		dedicated + "{system: ps, hosts: [h3, h2]}]":                                               "short.yaml:5:41: jobs[1]: job job2: ps needs 2 hosts for the servers of 2 workers, and 0 are named: add to servers 2 hosts without a job, as [h4 h5]",
		dedicated + "{system: ps, hosts: [h3, h2], servers: [h5]}]":                                "short.yaml:5:80: jobs[1].servers: job job2: ps needs 2 hosts for the servers of 2 workers, and 1 are named: add to servers 1 hosts without a job, as [h4]",
		dedicated + "{system: ps, hosts: [h2, h3, h4]}]":                                           "ps needs 3 hosts for the servers of 3 workers, and 0 are named: only 1 of the 6 hosts of the lab have no job: set hosts to 8, and name them in servers",
		"hosts: 8\n" + dedicated + "{system: ps, hosts: [h2, h3], servers: [h4, h5, h6]}]":         "ps needs 2 hosts for the servers of 2 workers, and 3 are named: leave 1 out",
		"jobs: [{system: ps, hosts: [h2, h3], servers: [h4, h5]}]":                                 "jobs[0].servers: job job1: ps, with the knobs that it has here, needs no hosts for servers: leave servers out",
		"jobs: [{system: ring, hosts: [h2, h3], servers: [h4]}]":                                   "short.yaml:4:49: jobs[0].servers: job job1: ring has no servers: leave servers out",
		"systems: [{system: ring}, {system: atp}]\njobs: [{hosts: [h2, h3], servers: [h4, h5]}]":   "jobs[0].servers: job job1: ring has no servers: leave servers out",
		"systems: [{system: atp}, {system: ring}]\njobs: [{hosts: [h2, h3]}]":                      "jobs[0]: job job1: atp needs 1 hosts for the servers of 2 workers, and 0 are named: add to servers 1 hosts without a job, as [h0]",
		dedicated + "{system: ps, hosts: [h2, h3], servers: [h4, h9]}]":                            "jobs[1]: job job2: server 1 is on host 9, but topology rack has hosts 0 to 5",
		"jobs: [{name: a, system: switchml64, hosts: [h0, h1]}, {name: b, system: trioml, hosts: [h2, h3]}]": "short.yaml:4:56: jobs[1]: job a needs the program of switchml64 on switch tor, and job b that of trioml: a switch runs that of one system: " +
			"give both jobs one system, or one of them a system without a switch program, or hosts on other switches",
		"link: {loss: 1%}\njobs: [{system: ring, hosts: [h0, h1]}, {system: trioml, hosts: [h2, h3]}]": "jobs[1].system: trioml: Trio-ML has no loss recovery",
		"jobs: [{system: ring, hosts: [h0, h1]}, {system: ps, hosts: [h2]}]":                           "jobs[1]: job job2: topology rack has 6 hosts, 1 of them for workers of this job",
	} {
		s, err := loadShort(t, rest+"\n")
		if err == nil {
			_, err = s.Sets(true)
		}
		if err == nil {
			t.Errorf("%s\nis allowed, want %s", rest, want)
			continue
		}
		text := err.Error()
		for _, part := range strings.Split(want, "*") {
			i := strings.Index(text, part)
			if i < 0 {
				t.Errorf("%s\n got %v\nwant %s", rest, err, want)
				break
			}
			text = text[i+len(part):]
		}
	}
}

// Knobs of a system that only a job runs are needed and checked.
func TestKnobsOfASystemOfAJob(t *testing.T) {
	if _, err := loadShort(t, "switchml: {pool: 0}\njobs: [{system: switchml64, hosts: [h0, h1]}]\n"); err == nil || !strings.Contains(err.Error(), "switchml.pool: 0: allowed are 1 to") {
		t.Errorf("error %v, want one about the pool", err)
	}
	s := mustShort(t, "switchml: {pool: 128, unscaled-pool: true}\njobs: [{system: switchml64, hosts: [h0, h1]}]\n")
	sets, err := s.Sets(true)
	if err != nil {
		t.Fatal(err)
	}
	if slots, _ := sets[0].First().System.(job.Slotted).Pool(sets[0].First()); slots != 128 {
		t.Errorf("the pool has %d slots, want 128", slots)
	}
}
