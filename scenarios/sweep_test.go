package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
)

func cells(t *testing.T, jobs []*job.Job) (out []string) {
	t.Helper()
	for _, j := range jobs {
		out = append(out, fmt.Sprintf("%s %d %s", j.System.Name(), len(j.Hosts()), j.Cell().Point))
	}
	return out
}

func TestSweepIsAGridOfEntriesWhoseKeysGoInStep(t *testing.T) {
	s := mustShort(t, `
systems: [{system: ring}]
sweep:
  - hosts: [2, 4]
  - {link.loss: [0%, 0.01%, 1%], link.burst: [1, 1, 8]}
`)
	jobs, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	want := `ring 2 hosts=2 link.loss=0% link.burst=1
ring 2 hosts=2 link.loss=0.01% link.burst=1
ring 2 hosts=2 link.loss=1% link.burst=8
ring 4 hosts=4 link.loss=0% link.burst=1
ring 4 hosts=4 link.loss=0.01% link.burst=1
ring 4 hosts=4 link.loss=1% link.burst=8`
	if got := strings.Join(cells(t, jobs), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if mean := jobs[2].Plan.Switches[0].Ports[0].In.Bursts.Mean(); mean < 0.0099 || mean > 0.0101 {
		t.Errorf("the third point loses %v of the frames, want 1%%", mean)
	}
	if a, b := jobs[0].Seed, s.Again(3).Points()[0].Seed; b != a+3 {
		t.Errorf("repetition 3 of seed %d has seed %d", a, b)
	}
	text, err := s.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	again := mustShort(t, strings.SplitN(string(text), "name: short\n", 2)[1])
	if n := len(again.Points()); n != 6 {
		t.Errorf("%d points when it is read again, want 6:\n%s", n, text)
	}
}

// Eight workers on four leaves and two spines, 25 Gbit/s, four losses, two systems.
func TestAResearchersFile(t *testing.T) {
	const file = `apiVersion: inalab/v1
kind: Scenario
name: lossy-fabric
description: SwitchML against a ring where every link loses frames
hosts: 8
topology: {generator: leaf-spine, leaves: 4, spines: 2}
link: {rate: 25Gbit/s, delay: 1us}
systems: [{system: switchml256}, {system: ring}]
sweep: [link.loss: [0%, 0.01%, 0.1%, 1%]]
`
	if lines := strings.Count(file, "\n"); lines > 15 {
		t.Fatalf("%d lines", lines)
	}
	s := mustShort(t, strings.SplitN(file, "name: lossy-fabric\n", 2)[1])
	jobs, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	if len(jobs) != 8 || len(jobs[0].Plan.Switches) != 6 {
		t.Errorf("%d runs on %d switches, want 8 on 6: %v", len(jobs), len(jobs[0].Plan.Switches), cells(t, jobs))
	}
}

// A system that cannot run at some points is left out there, if it says that it may be.
func TestLeftOut(t *testing.T) {
	s := mustShort(t, `
systems: [{system: switchml256}, {system: trioml, topology: mx480, if-possible: true}, {system: switchml-rdma, topology: dumbbell, if-possible: true}]
sweep: [link.loss: [0%, 1%]]
`)
	jobs, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	want := "switchml256 6 link.loss=0%\ntrioml 6 link.loss=0%\nswitchml256 6 link.loss=1%"
	if got := strings.Join(cells(t, jobs), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	text := strings.Join(s.LeftOut(true), "\n")
	for _, want := range []string{
		"switchml-rdma on dumbbell is left out at link.loss=0%, link.loss=1%: switchml-rdma aggregates in one switch or chassis, but topology dumbbell has 2",
		"trioml on mx480 is left out at link.loss=1%: Trio-ML has no loss recovery",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("left out:\n%s\nlacks %q", text, want)
		}
	}
}

func TestBadSweeps(t *testing.T) {
	const ring = "systems: [{system: ring}]\n"
	for rest, want := range map[string]string{
		"sweep: [link.los: [0%, 1%]]\n":         `sweep link.los=0%: unknown key "los"; did you mean "loss"?`,
		"sweep: [hosts: [2, 1]]\n":              "sweep hosts=1: 1: allowed are 2",
		"sweep: [hosts: 2]\n":                   "hosts: write a list of values, as in hosts: [0%, 1%]",
		"sweep: [hosts: []]\n":                  "hosts: write a list of values",
		"sweep: [{}]\n":                         "sweep[0]: write a key and its values",
		"sweep: [hosts: [2, 2]]\n":              "sweep[0]: hosts=2 is given twice",
		"sweep: [{hosts: [2, 3], seed: [1]}]\n": "hosts has 2 values and seed 1: keys of one entry go in step",
		"sweep: [{hosts: [2]}, {hosts: [3]}]\n": "hosts is swept twice",
		"sweep: [{sweep: [2]}]\n":               "a sweep cannot be swept",
		"sweep: [{seed: [" + numbers(100) + "]}, {hosts: [" + numbers(100) + "]}]\n": "a sweep of more than 1000 points",
		"at: [{time: 1s, kill: h0}]\nsweep: [{\"at[0].time\": [1s, 2s]}]\n":          "at[0].time: a list is swept as a whole: give at lists as values",
		"sweep: [{\"link..loss\": [0%, 1%]}]\n":                                      "write path=value",
		"sweep: [systems: [ring]]\n":                                                 "a list is needed here, as in [a, b]",
	} {
		if _, err := loadShort(t, ring+rest); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", rest, err, want)
		}
	}
	_, err := loadShort(t, ring+"sweep: [hosts: [2, 3]]\n", "hosts=4")
	if err == nil || !strings.Contains(err.Error(), "--set hosts=4: short.yaml sweeps it") {
		t.Errorf("an override of what is swept: %v", err)
	}
}

// numbers lists numbers from 2 on.
func numbers(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprint(i+2))
	}
	return strings.Join(out, ", ")
}

// A topology for every system holds at all points, and in the file that is written.
func TestTopologyOfASweep(t *testing.T) {
	s := mustShort(t, "systems: [{system: ring}, {system: switchml256, topology: mx480}]\nsweep: [hosts: [2, 4]]\n")
	if err := s.SetTopology("dumbbell"); err != nil {
		t.Fatal(err)
	}
	text, err := s.MarshalYAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []*Scenario{s, mustShort(t, strings.SplitN(string(text), "name: short\n", 2)[1])} {
		jobs, err := of.Jobs(true)
		if err != nil || len(jobs) != 4 {
			t.Fatalf("%d jobs, %v", len(jobs), err)
		}
		for _, j := range jobs {
			if j.Plan.Name != "dumbbell" {
				t.Errorf("%s at %s is on %s", j.System.Name(), j.Point, j.Plan.Name)
			}
		}
	}
	s = mustShort(t, "systems: [{system: ring}]\nsweep: [topology: [rack, mx480]]\n")
	if err := s.SetTopology("dumbbell"); err == nil || !strings.Contains(err.Error(), "short.yaml sweeps it") {
		t.Errorf("a topology over a sweep of topologies: %v", err)
	}
}
