package scenarios

import (
	"fmt"
	"strings"
	"testing"
)

func TestJobsThatShareALab(t *testing.T) {
	s := mustShort(t, `
systems: [{system: switchml256}, {system: trioml, topology: mx480}]
transit: [{program: filter}]
jobs:
  - {name: a, hosts: [h0, h1, h3]}
  - {hosts: [h5, h2], model: vgg11, iterations: 3}
`)
	sets, err := s.Sets(true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, set := range sets {
		for _, j := range set.Jobs {
			var hosts []string
			for _, h := range j.Hosts() {
				hosts = append(hosts, h.Name)
			}
			got = append(got, fmt.Sprintf("%s %s %d %s %s %d %d", j.System.Name(), j.Cell().Job, j.ID, strings.Join(hosts, " "), j.Model.Name, j.Iterations, len(j.Transit)))
		}
	}
	want := `switchml256 a 1 h0 h1 h3 resnet50 10 1
switchml256 job2 2 h5 h2 vgg11 3 0
trioml a 1 h0 h1 h3 resnet50 10 1
trioml job2 2 h5 h2 vgg11 3 0`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestBadJobs(t *testing.T) {
	const sml = "systems: [{system: switchml256}]\njobs: "
	for rest, want := range map[string]string{
		sml + "[{name: a, hosts: [h0, h1]}, {name: a, hosts: [h2, h3]}]":           `"a": each job needs a name of its own`,
		sml + "[{name: A b, hosts: [h0, h1]}]":                                     `"A b": each job needs a name of its own of a-z, 0-9 and -`,
		sml + "[{hosts: [h0, h1]}, {hosts: [h1, h2]}]":                             "jobs[1].hosts[0]: h1: job job1 has it already: each worker and server of each job needs a host of its own",
		sml + "[{hosts: [h0, h9]}, {hosts: [h1, h2]}]":                             "jobs[0]: job job1: worker 1 is on host 9, but topology rack has hosts 0 to 5",
		sml + "[{hosts: [h0]}, {hosts: [h1, h2]}]":                                 "a job takes 2 to",
		sml + "[{hosts: [0, 1]}]":                                                  `jobs[0].hosts[0]: "0": write the hosts of the job, as in [h0, h1]`,
		sml + "[{name: a}]":                                                        "job a has no hosts",
		sml + "[{hosts: [h0, h1], model: large}]":                                  "jobs[0].model: unknown profile",
		sml + "[{hosts: [h0, h1], iterations: -1}]":                                "jobs[0].iterations: -1: allowed are 1",
		"systems: [{system: switchml-rdma}]\njobs: [{hosts: [h0, h1], start: 1s}]": `unknown key "start"`,
	} {
		s, err := loadShort(t, rest+"\n")
		if err == nil {
			_, err = s.Sets(true)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", rest, err, want)
		}
	}
}
