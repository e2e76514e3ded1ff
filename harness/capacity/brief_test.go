package capacity_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/capacity"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/scenarios"
	"github.com/inalab/inalab/topo/plan"
)

// setsOf lays out a scenario for live runs.
func setsOf(t *testing.T, rest string, set ...string) []*job.Set {
	t.Helper()
	s, err := scenarios.Load(scenarios.Source{Name: "test", Text: []byte("apiVersion: inalab/v1\nkind: Scenario\nname: test\nscale: 100\n" + rest), Set: set}, system.All())
	if err != nil {
		t.Fatal(err)
	}
	sets, err := s.Sets(false)
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

func losesSome(p *plan.Plan) bool {
	for _, sw := range p.Switches {
		for _, port := range sw.Ports {
			if port.In.Loses() || port.Out.Loses() {
				return true
			}
		}
	}
	return false
}

// A trial has the hosts, links and flows of the run, and nothing that makes iterations unequal.
func TestBrief(t *testing.T) {
	sets := setsOf(t, `
hosts: 6
link: {loss: 1%, burst: 4}
iterations: 50
stragglers: {p: [16%], outages: [{worker: 1, iteration: 3, for: 1s}]}
systems: [{system: ring, topology: leaf-spine}]
flows: [{name: a, from: h0, to: h1, kind: udp, rate: 1Gbit/s, start: 1s, stop: 2s}]
programs: [{host: h0, command: [sleep, "1"]}]
at: [{time: 1s, link: {at: h0, rate: 1Gbit/s}}]
`)
	brief, err := capacity.Brief(sets[0])
	if err != nil {
		t.Fatal(err)
	}
	j, full := brief.First(), sets[0].First()
	if j.Iterations != capacity.Iterations || j.StraggleP != 0 || j.Outages != nil || j.Changes != nil || j.HostPrograms != nil || losesSome(brief.Plan()) {
		t.Errorf("the trial has %+v", j.Spec)
	}
	for i := range j.Iterations {
		if paid := j.Schedule.Paid(i); paid != 0 {
			t.Errorf("iteration %d is delayed by %v", i, paid)
		}
	}
	if f := brief.Flows()[0].Pattern; f.Start != 0 || f.Stop != 0 || f.Rate != 10*units.MbitPerSecond {
		t.Errorf("the flow of the trial: %+v", f)
	}
	if capacity.Lines(brief) != capacity.Lines(sets[0]) || len(j.Hosts()) != 6 || j.Params != full.Params {
		t.Error("the trial is of another size")
	}
	if !losesSome(full.Plan) || full.Iterations != 50 || full.StraggleP != 0.16 || sets[0].Flows()[0].Pattern.Stop == 0 {
		t.Error("the run itself was changed")
	}
}

// Jobs of one lab stay together, and begin at once.
func TestBriefOfSeveralJobs(t *testing.T) {
	sets := setsOf(t, `
hosts: 6
systems: [{system: switchml256}]
jobs:
  - {name: a, hosts: [h0, h1, h2], iterations: 9}
  - {name: b, hosts: [h3, h4], start: 2s, stop: 5s, repeat: {iterations: 2, off: 1s}}
`)
	brief, err := capacity.Brief(sets[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(brief.Jobs) != 2 {
		t.Fatalf("%d jobs", len(brief.Jobs))
	}
	for _, j := range brief.Jobs {
		if j.Iterations != capacity.Iterations || j.Times != (worker.Times{}) || j.Until != 0 || j.Plan != brief.Plan() {
			t.Errorf("job %s has %+v", j.Name, j.Spec)
		}
	}
}

// Each system is tried once on each topology, at the point with the fastest lines.
func TestHeaviest(t *testing.T) {
	sets := setsOf(t, `
hosts: 4
stragglers: {p: [0%, 8%]}
systems: [{system: ring}, {system: switchml256}, {system: ring, topology: leaf-spine}]
sweep: [link.rate: [10Gbit/s, 40Gbit/s, 25Gbit/s]]
`)
	got := capacity.Heaviest(sets)
	var names []string
	for _, s := range got {
		names = append(names, capacity.Name(s))
		if lines := capacity.Lines(s); lines != 4*400*units.MbitPerSecond || s.First().StraggleP != 0 {
			t.Errorf("%s carries %v at p=%v", capacity.Name(s), lines, s.First().StraggleP)
		}
	}
	if s := strings.Join(names, ", "); len(sets) != 18 || s != "ring on rack, switchml256 on rack, ring on leaf-spine" {
		t.Errorf("of %d sets these are tried: %s", len(sets), s)
	}
	search := capacity.NewSearch(got, 2)
	// 10 iterations of 4 workers keep two tensors of 1 MiB each.
	if search.Start != 100 || search.Least < 7 || search.Least > 8 || capacity.Refuse(got) != nil || capacity.Carried(got) || capacity.Unlimited(got) {
		t.Errorf("search %+v", search)
	}
}

// All that is in the catalogue can be tried.
func TestBriefOfTheCatalogue(t *testing.T) {
	for _, name := range scenarios.Names() {
		text, err := scenarios.Embedded(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := scenarios.Load(scenarios.Source{Name: name, Text: text}, system.All())
		if err != nil {
			t.Fatal(err)
		}
		sets, err := s.Sets(false)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range capacity.Heaviest(sets) {
			if _, err := capacity.Brief(set); err != nil {
				t.Errorf("%s, %s: %v", name, capacity.Name(set), err)
			}
		}
	}
}

func TestLinesThatNeedNoTrial(t *testing.T) {
	for _, c := range []struct {
		rate                        string
		carried, unlimited, refused bool
	}{
		{"6250Mbit/s", true, false, false}, // 4 of them a hundredth: 250 Mbit/s
		{"6300Mbit/s", false, false, false},
		{"2500Gbit/s", false, false, false},
		{"2501Gbit/s", false, false, true},
		{"unlimited", true, true, false},
	} {
		sets := setsOf(t, "hosts: 4\nsystems: [{system: ring}]\nlink: {rate: "+c.rate+"}\n")
		if a, b, r := capacity.Carried(sets), capacity.Unlimited(sets), capacity.Refuse(sets); a != c.carried || b != c.unlimited || (r != nil) != c.refused {
			t.Errorf("%s: carried %v, unlimited %v, refused %v", c.rate, a, b, r)
		}
	}
}
