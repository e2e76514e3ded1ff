package job

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
)

// tenant is a job on some hosts of a plan.
func tenant(t *testing.T, p *plan.Plan, id uint8, system System, on ...int) *Job {
	t.Helper()
	s := spec(t, system, "rack", 2)
	s.Plan, s.ID, s.On = p, id, on
	return mustNew(t, s)
}

// merged returns the programs of Trio-ML that a set has.
func merged(t *testing.T, s *Set) (out []program.Config) {
	t.Helper()
	for _, text := range s.Switches(0)[0].Programs {
		cfg, err := Decode[pfeConfig](text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, cfg.Program)
	}
	return out
}

// A PFE gets the record of each job that it has: its own sources by the place of
// workers, its own caps, group and ports.
func TestJobsShareAProgram(t *testing.T) {
	p := addressed(t, "rack", 6)
	one, two := tenant(t, p, 0, TrioML{}, 0, 2, 4), tenant(t, p, 7, TrioML{BlockMax: 3, GradMax: 512, Grads: 256}, 5, 1)
	s, err := NewSet(one, two)
	if err != nil {
		t.Fatal(err)
	}
	programs := merged(t, s)
	if len(programs) != 1 || len(programs[0].Jobs) != 2 {
		t.Fatalf("programs %+v, want one with two jobs", programs)
	}
	a, b := programs[0].Jobs[0], programs[0].Jobs[1]
	if a.ID != DefaultID || !slices.Equal(a.Sources, []uint8{0, 1, 2}) || len(a.To) != 3 || a.BlockMax != 0 || a.Out.Dst != plan.Group(1) {
		t.Errorf("job 1 is %+v", a)
	}
	if b.ID != 7 || !slices.Equal(b.Sources, []uint8{0, 1}) || b.BlockMax != 3 || b.GradMax != 512 || b.Out.Dst != plan.Group(7) ||
		int(b.To[0]) != p.Hosts[5].SwitchPort || int(b.To[1]) != p.Hosts[1].SwitchPort {
		t.Errorf("job 7 is %+v", b)
	}
	if w := two.Workers(); len(w) != 2 || w[0].Loop.Node != "h5" || w[1].Loop.Node != "h1" || w[0].Bench.First == one.Workers()[0].Bench.First {
		t.Errorf("workers of job 7: %+v", w)
	}
	if _, err := program.New(programs[0]); err != nil {
		t.Error(err)
	}
}

// On a chassis a job on one PFE needs one level and one on two needs two, side by
// side: a PFE that a job does not use has no record of it.
func TestJobsShareAChassis(t *testing.T) {
	p := addressed(t, "mx480", 6)
	of := func(pfe int) (out []int) {
		for i := range p.Hosts {
			if p.Switches[0].Ports[p.Hosts[i].SwitchPort].PFE == pfe {
				out = append(out, i)
			}
		}
		return out
	}
	first, second := of(0), of(1)
	s, err := NewSet(tenant(t, p, 1, TrioML{}, first[0], second[0]), tenant(t, p, 2, TrioML{}, first[1], first[2]))
	if err != nil {
		t.Fatal(err)
	}
	var ids [][]uint8
	for _, c := range merged(t, s) {
		var of []uint8
		for _, j := range c.Jobs {
			of = append(of, j.ID)
		}
		ids = append(ids, of)
	}
	top := p.Switches[0].Chassis.Top
	for i, want := range map[int][]uint8{0: {1, 2}, 1: {1}, top: {1}} {
		if !slices.Equal(ids[i], want) {
			t.Errorf("PFE %d has jobs %v, want %v; all: %v", i, ids[i], want, ids)
		}
	}
	if got := merged(t, s)[top].Timeout; got != topPatience*program.DefaultTimeout {
		t.Errorf("the top PFE ages after %v, want the time of the job that it has", got)
	}
}

// A set of one is the job.
func TestSetOfOne(t *testing.T) {
	j := mustNew(t, spec(t, SwitchML{}, "rack", 3))
	s, err := NewSet(j)
	if err != nil || s.Plan() != j.Plan || s.Trains() || len(s.Switches(0)[0].Programs) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// single is a system whose programs serve one job each.
type single struct{ System }

// What cannot share says why.
func TestSetRefuses(t *testing.T) {
	p := addressed(t, "rack", 6)
	trio := func(id uint8, on ...int) *Job { return tenant(t, p, id, TrioML{}, on...) }
	for name, tc := range map[string]struct {
		jobs []*Job
		want string
	}{
		"nothing":        {nil, "a set needs a job"},
		"one id":         {[]*Job{trio(1, 0, 1), trio(1, 2, 3)}, "two jobs have id 1"},
		"one host":       {[]*Job{trio(1, 0, 1), trio(2, 2, 1)}, "jobs 1 and 2 both have a worker on h1"},
		"other plan":     {[]*Job{trio(1, 0, 1), tenant(t, addressed(t, "rack", 6), 2, TrioML{}, 2, 3)}, "share plan, clock and system"},
		"other system":   {[]*Job{trio(1, 0, 1), tenant(t, p, 2, SwitchML{}, 2, 3)}, "share plan, clock and system"},
		"one program":    {[]*Job{tenant(t, p, 1, single{SwitchML{}}, 0, 1), tenant(t, p, 2, single{SwitchML{}}, 2, 3)}, "the switch program of switchml256 serves one job"},
		"full pool":      {[]*Job{tenant(t, p, 1, SwitchML{Slots: 5000}, 0, 1), tenant(t, p, 2, SwitchML{Slots: 4000}, 2, 3)}, "job 2 wants 4000 slots on tor, where 3192 of 8192 are left"},
		"two programs":   {[]*Job{tenant(t, p, 1, SwitchML{}, 0, 1), tenant(t, p, 2, SwitchML{Faithful: true}, 2, 3)}, "jobs want tor to be two programs"},
		"other PFE":      {[]*Job{trio(1, 0, 1), tenant(t, p, 2, TrioML{PFE: PFE{Reference: true}}, 2, 3)}, "jobs want tor to be two machines"},
		"other timeouts": {[]*Job{trio(1, 0, 1), tenant(t, p, 2, TrioML{Timeout: units.Second}, 2, 3)}, "jobs want tor to age blocks in different ways"},
	} {
		if _, err := NewSet(tc.jobs...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	for name, tc := range map[string]struct {
		system System
		on     []int
		want   string
	}{
		"no such host": {TrioML{}, []int{0, 6}, "worker 1 is on host 6, but topology rack has hosts 0 to 5"},
		"host twice":   {TrioML{}, []int{3, 3}, "two workers are on h3"},
		"one worker":   {TrioML{}, []int{3}, "topology rack has 6 hosts, 1 of them for this job: a job takes 2 to 200 workers"},
		"a ring":       {Ring{}, []int{1, 2}, "ring connects hosts with one another"},
	} {
		s := spec(t, tc.system, "rack", 2)
		s.Plan, s.On = p, tc.on
		if _, err := New(s); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}
