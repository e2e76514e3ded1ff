package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
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

// Jobs say when they begin and when they pause, and the file that a run writes says it again.
func TestTimesOfJobs(t *testing.T) {
	s := mustShort(t, `
systems: [{system: switchml256}]
jobs:
  - {hosts: [h0, h1], start: 2s, repeat: {iterations: 4, off: 1500ms}}
  - {hosts: [h2, h3], start: 0s}
`)
	sets, err := s.Sets(true)
	if err != nil {
		t.Fatal(err)
	}
	want := worker.Times{Start: 2 * units.Second, Every: 4, Off: 1500 * units.Millisecond}
	if a, b := sets[0].Jobs[0].Times, sets[0].Jobs[1].Times; a != want || b != (worker.Times{}) {
		t.Errorf("%+v and %+v, want %+v and none", a, b, want)
	}
	if got := sets[0].Jobs[0].Workers()[1].Loop.Times; got != want {
		t.Errorf("a worker is told %+v", got)
	}
	if got, want := sets[0].Jobs[0].Idle(), 5*units.Second; got != want { // ten iterations have two pauses
		t.Errorf("%v of waiting, want %v", got, want)
	}
}

func TestBadJobs(t *testing.T) {
	const sml = "systems: [{system: switchml256}]\njobs: "
	for rest, want := range map[string]string{
		sml + "[{name: a, hosts: [h0, h1]}, {name: a, hosts: [h2, h3]}]":           `"a": each job needs a name of its own`,
		sml + "[" + strings.Repeat("{hosts: [h0]},", 256) + "]":                    "jobs[255]: 256 jobs: a lab has at most 255, whose ids are 1 to 255: leave some out",
		sml + "[{name: A b, hosts: [h0, h1]}]":                                     `"A b": each job needs a name of its own of a-z, 0-9 and -`,
		sml + "[{hosts: [h0, h1]}, {hosts: [h1, h2]}]":                             "jobs[1].hosts[0]: h1: job job1 has it already: each worker and server of each job needs a host of its own",
		sml + "[{hosts: [h0, h9]}, {hosts: [h1, h2]}]":                             "jobs[0]: job job1: worker 1 is on host 9, but topology rack has hosts 0 to 5",
		sml + "[{hosts: [h0]}, {hosts: [h1, h2]}]":                                 "a job takes 2 to",
		sml + "[{hosts: [0, 1]}]":                                                  `jobs[0].hosts[0]: "0": write the hosts of the job, as in [h0, h1]`,
		sml + "[{name: a}]":                                                        "job a has no hosts",
		sml + "[{hosts: [h0, h1], start: soon}]":                                   "jobs[0].start: ",
		sml + "[{hosts: [h0, h1], start: 2h}]":                                     `jobs[0].start: time "2h" has unknown unit "h"`,
		sml + "[{hosts: [h0, h1], start: 3601s}]":                                  "jobs[0].start: 3601s: allowed are times from 0s up to 3600s, as in 2s",
		sml + "[{hosts: [h0, h1], repeat: {iterations: 0, off: 1s}}]":              "jobs[0].repeat.iterations: 0: allowed are 1 to",
		sml + "[{hosts: [h0, h1], repeat: {iterations: 4}}]":                       `jobs[0].repeat.off: "": write a time`,
		sml + "[{hosts: [h0, h1], repeat: {iterations: 4, off: 0s}}]":              "jobs[0].repeat.off: 0s: allowed are times from above 0s up to 3600s, as in 2s",
		sml + "[{hosts: [h0, h1], repeat: {every: 4, off: 1s}}]":                   `unknown key "every"`,
		sml + "[{hosts: [h0, h1], model: large}]":                                  "jobs[0].model: unknown profile",
		sml + "[{hosts: [h0, h1], iterations: -1}]":                                "jobs[0].iterations: -1: allowed are 1",
		"systems: [{system: switchml-rdma}]\njobs: [{hosts: [h0, h1], begin: 1s}]": `unknown key "begin"`,
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
