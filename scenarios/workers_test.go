package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
)

// computes lays the one job of a scenario out and returns its workers' compute times, over the model's.
func computes(t *testing.T, s *Scenario, virtual bool) (out []string) {
	t.Helper()
	jobs, err := s.Jobs(virtual)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		for _, c := range j.Computes() {
			out = append(out, fmt.Sprintf("%.2f", c.Seconds()/j.Model.Compute.Seconds()))
		}
	}
	return out
}

// Later entries change what they give and leave the rest; times are not scaled, and both clocks have them.
func TestWorkers(t *testing.T) {
	s := mustShort(t, `
hosts: 4
systems: [{system: ring}]
workers: [{at: "h[0-2]", compute: 1.5x}, {at: h1, lag: 300ms}, {at: h2, compute: 0.5x}]
`)
	for _, virtual := range []bool{true, false} {
		if got := strings.Join(computes(t, s, virtual), " "); got != "1.50 3.50 0.50 1.00" {
			t.Errorf("virtual: %v: workers compute for %s of the model's time", virtual, got)
		}
	}
	text, err := s.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	again := mustShort(t, strings.SplitN(string(text), "name: short\n", 2)[1])
	if got := strings.Join(computes(t, again, true), " "); got != "1.50 3.50 0.50 1.00" {
		t.Errorf("written as\n%s\nworkers compute for %s", text, got)
	}
}

// Workers are set and swept as a whole, servers have none, and jobs have those of their hosts.
func TestWorkersOfPointsAndJobs(t *testing.T) {
	set := "workers=[{at: h1, compute: 2x}]"
	for want, s := range map[string]*Scenario{
		"1.00 2.00":                     mustShort(t, "hosts: 2\nsystems: [{system: ring}]\n", set),
		"1.00 1.00 1.00 2.00":           mustShort(t, "hosts: 2\nsystems: [{system: ring}]\nsweep: [workers: [[], [{at: h1, compute: 2x}]]]\n"),
		"2.00 1.00 1.00":                mustShort(t, "hosts: 3\nps: {servers: dedicated, count: 1}\nsystems: [{system: ps}]\n", "workers=[{at: h0, compute: 2x}]"),
		"1.00 1.00 2.00 1.00":           mustShort(t, "systems: [{system: ring}]\njobs: [{hosts: [h0, h2]}, {hosts: [h1, h3]}]\n", set),
		"2.00 2.00 2.00 2.00 2.00 2.00": mustShort(t, "systems: [{system: ring}]\n", `workers=[{at: "*", compute: 2x}]`),
	} {
		if got := strings.Join(computes(t, s, true), " "); got != want {
			t.Errorf("workers compute for %s, want %s", got, want)
		}
	}
}

// Links by host, faster or slower than link, are scaled as it is, and the slowest says how long a ring takes.
func TestLinksByHost(t *testing.T) {
	s := mustShort(t, `
hosts: 4
scale: 100
link: {rate: 100Gbit/s}
systems: [{system: ring}, {system: switchml256}]
links: [{at: "h[01]", rate: 40Gbit/s}]
`)
	jobs, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if a, b, c := j.Rate(), j.RateOf(&j.Plan.Hosts[1]), j.RateOf(&j.Plan.Hosts[2]); a != 400*units.MbitPerSecond || b != a || c != units.GbitPerSecond {
			t.Errorf("%s: the slowest rate is %v, h1 has %v and h2 %v", j.System.Name(), a, b, c)
		}
	}
}

func TestWorkersThatCannotBe(t *testing.T) {
	for list, want := range map[string]string{
		"[{compute: 2x}]":             "which workers? Write their host",
		"[{at: h0}]":                  "nothing of the workers at h0 changes: write compute: 2x",
		"[{at: h0, compute: 2}]":      "2: write how many times the model's compute time it is, as in 1.2x",
		"[{at: h0, compute: fastx}]":  "fastx: write how many times",
		"[{at: h0, compute: -1x}]":    "a compute time of -1x the model's: allowed are 0.001x to 1000x",
		"[{at: h0, compute: NaNx}]":   "a compute time of NaNx",
		"[{at: h0, lag: 2}]":          "workers[0].lag",
		"[{at: h0, lag: 7200s}]":      "allowed are 0s to",
		"[{at: h9, lag: 2s}]":         "no worker of topology rack is at h9: workers may be on h0, h1, h2, h3, h4, h5",
		"[{at: h6, lag: 2s}]":         "no worker of topology rack is at h6: workers may be on h0, h1, h2, h3, h4, h5", // a server
		"[{at: h0, rate: 2Gbit/s}]":   "unknown key",
		"[{at: h0, compute: 99999x}]": "allowed are 0.001x to 1000x",
	} {
		s, err := loadShort(t, "ps: {servers: dedicated, count: 1}\nsystems: [{system: ps}]\nworkers: "+list+"\n")
		if err == nil {
			_, err = s.Jobs(true)
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "short.yaml:6") {
			t.Errorf("%s: %v, want %q", list, err, want)
		}
	}
}

// A lag is beyond what stragglers lose.
func TestALagIsPaidBesideStragglers(t *testing.T) {
	const lag = 100 * units.Millisecond
	expect := func(set ...string) (units.Duration, *job.Job) {
		jobs, err := mustShort(t, "systems: [{system: ring}]\n", set...).Jobs(true)
		if err != nil {
			t.Fatal(err)
		}
		mean, _ := jobs[0].Expect()
		return mean, jobs[0]
	}
	even, _ := expect()
	late, j := expect("workers=[{at: h0, lag: 100ms}]")
	if late != even+lag || j.Typical != j.Ideal() || j.Ideal()-lag <= j.Model.Compute {
		t.Errorf("expected %v, without a lag %v; ideal %v", late, even, j.Ideal())
	}
}
