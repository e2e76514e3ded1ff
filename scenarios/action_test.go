package scenarios

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
)

const someJobs = `systems: [{system: trioml}]
hosts: 6
jobs: [{name: a, hosts: [h0, h1]}, {name: b, hosts: [h2, h3]}]
flows: [{name: bulk, from: h4, to: h0, kind: tcp}]
`

// What is done at a time to a process, a job and a flow reaches the run.
func TestActions(t *testing.T) {
	s, err := loadShort(t, someJobs+`at:
  - {time: 4s, start: h1, on: h5}
  - {time: 2s, kill: h1}
  - {time: 1s, start: b}
  - {time: 5s, stop: b}
  - {time: 3s, stop: bulk}
`)
	if err != nil {
		t.Fatal(err)
	}
	sets, err := s.Sets(true)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := sets[0].Course()
	var told []string
	for _, step := range steps {
		told = append(told, step.String())
	}
	if got, want := strings.Join(told, "\n"), "kill h1 at 2s\nstart h1 on h5 at 4s\nthe job ended at 5s: its time was over"; got != want || err != nil {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	b, flow := sets[0].Jobs[1], sets[0].Flows()[0]
	if b.Times.Start != units.Second || b.Until != 5*units.Second || flow.Pattern.Stop != 3*units.Second {
		t.Errorf("job from %v to %v, flow to %v", b.Times.Start, b.Until, flow.Pattern.Stop)
	}
}

// What cannot be done is refused where it stands.
func TestBadActions(t *testing.T) {
	for rest, want := range map[string]string{
		"at: [{time: 2s, kill: h9}]":                                `at[0]: kill h9 at 2s: no process of the lab is called "h9": there are h0, h1, h2, h3, tor`,
		"at: [{time: 2s, kill: h1}, {time: 1s, start: h1}]":         "at[1]: start h1 at 1s: h1 runs already",
		"at: [{time: 2s, kill: h1, on: h5}]":                        "at[0].on: kill names no host",
		"at: [{time: 2s, kill: h1, stop: h1}]":                      "at[0]: kill and stop in one entry",
		"at: [{time: 2s, kill: b}]":                                 "at[0].kill: b is a job or a flow, and runs on several hosts: stop it",
		"at: [{time: 2s, forget: b}]":                               "at[0].forget: b is a job or a flow: a switch forgets",
		"at: [{time: 2s, forget: h1}]":                              "at[0]: forget h1 at 2s: h1 is a worker: only switches",
		"at: [{time: 2s, forget: tor}]":                             "at[0]: forget tor at 2s: job a cannot go on: the blocks that it held are lost",
		"at: [{time: 2s, start: b, on: h5}]":                        "at[0].start: b is a job or a flow",
		"at: [{time: 2s, start: b}, {time: 1s, stop: b}]":           "at[1].stop: job b starts at 2s and stops at 1s: the stop must be later",
		"at: [{time: 2s, stop: bulk}, {time: 3s, stop: bulk}]":      "at[1].stop: flow bulk has a stop at 2s already: write one",
		"at: [{time: 0s, start: b}]":                                "at[0].start: start of job b at 0s",
		"at: [{time: 1s, kill: h1}, {time: 2s, start: h1, on: h2}]": "at[1]: start h1 on h2 at 2s: h2 is no spare host",
	} {
		s, err := loadShort(t, someJobs+rest+"\n")
		if err == nil {
			_, err = s.Sets(true)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v\nwant %s", rest, err, want)
		}
	}
	named := strings.Replace(someJobs, "name: b", "name: h1", 1) + "at: [{time: 2s, kill: h1}]\n"
	if _, err := loadShort(t, named); err == nil || !strings.Contains(err.Error(), "at[0].kill: h1 is a host, and a job or a flow") {
		t.Errorf("a job named as a host: %v", err)
	}
	jobs := strings.Replace(someJobs, "hosts: [h2, h3]", "hosts: [h2, h3], start: 3s, stop: 2s", 1)
	if _, err := loadShort(t, jobs); err == nil || !strings.Contains(err.Error(), "jobs[1].stop: job b starts at 3s and stops at 2s: the stop must be later") {
		t.Errorf("a stop before the start: %v", err)
	}
}
