package job_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo/plan"
)

// at is an action at a time in seconds.
func at(seconds int, verb job.Verb, node string) job.Action {
	return job.Action{At: units.Duration(seconds) * units.Second, Verb: verb, Node: node}
}

// on is a start on another host.
func on(a job.Action, host string) job.Action {
	a.On = host
	return a
}

// courseOf lays a job over a plan and returns the course of its actions.
func courseOf(t *testing.T, p *plan.Plan, s job.System, servers int, on []int, actions ...job.Action) ([]job.Step, error) {
	t.Helper()
	spec := jobtest.Spec(t, s, "rack", 2)
	spec.Plan, spec.On, spec.Servers, spec.Actions = p, on, servers, actions
	spec.Elements = 0
	set, err := job.NewSet(jobtest.New(t, spec))
	if err != nil {
		t.Fatal(err)
	}
	return set.Course()
}

func told(steps []job.Step) (out []string) {
	for _, s := range steps {
		out = append(out, s.String())
	}
	return out
}

// What follows from the end of a process is for its system to say.
func TestCourse(t *testing.T) {
	rack, mx480, leaves := jobtest.Plan(t, "rack", 6), jobtest.Plan(t, "mx480", 8), jobtest.LeafSpine(t)
	some := []int{0, 1, 2, 3}
	for name, tc := range map[string]struct {
		plan    *plan.Plan
		system  job.System
		servers int
		on      []int
		actions []job.Action
		want    []string
	}{
		"a worker that ages out": {rack, trioml.System{}, 0, nil, []job.Action{at(3, job.Start, "h1"), at(2, job.Kill, "h1")}, []string{"kill h1 at 2s", "start h1 at 3s"}},
		"a spare host":           {rack, trioml.System{}, 0, some, []job.Action{at(2, job.Kill, "h1"), on(at(3, job.Start, "h1"), "h5"), at(4, job.Stop, "h5"), at(5, job.Start, "h5")}, []string{"kill h1 at 2s", "start h1 on h5 at 3s", "stop h5 at 4s", "start h5 at 5s"}},
		"a spare of the PFE":     {mx480, trioml.System{}, 0, []int{0, 1, 2, 3, 4, 5}, []job.Action{at(2, job.Kill, "h5"), on(at(3, job.Start, "h5"), "h7")}, []string{"kill h5 at 2s", "start h5 on h7 at 3s"}},
		"no ageing":              {rack, trioml.System{NoAging: true}, 0, nil, []job.Action{at(2, job.Kill, "h1"), at(3, job.Start, "h1")}, []string{"kill h1 at 2s", "the job ended at 2s: worker h1 was killed: every block waits for all workers: set trio.aging: true"}},
		"SwitchML":               {rack, switchml.System{}, 0, nil, []job.Action{at(2, job.Stop, "h1")}, []string{"stop h1 at 2s", "the job ended at 2s: worker h1 was stopped: switchml256 waits for the gradients of all workers"}},
		"its switch":             {rack, switchml.System{}, 0, nil, []job.Action{at(2, job.Kill, "tor"), at(3, job.Start, "tor")}, []string{"kill tor at 2s", "the job ended at 2s: switch tor was killed: the sums that it held are lost, and switchml256 sends no gradient twice", "start tor at 3s"}},
		"a switch that may go":   {rack, lasting{switchml.System{Retransmit: true}}, 0, nil, []job.Action{at(2, job.Kill, "tor"), at(3, job.Start, "tor")}, []string{"kill tor at 2s", "start tor at 3s"}},
		"and stays away":         {rack, lasting{switchml.System{Retransmit: true}}, 0, nil, []job.Action{at(2, job.Kill, "tor")}, []string{"kill tor at 2s", "the job ended at 2s: switch tor was killed: nobody starts it again, and routes do not change: frames that go by it are lost"}},
		"frames alone are lost":  {rack, ring.System{}, 0, nil, []job.Action{at(2, job.Kill, "tor"), at(3, job.Start, "tor")}, []string{"kill tor at 2s", "start tor at 3s"}},
		"for ever":               {rack, ring.System{}, 0, nil, []job.Action{at(2, job.Kill, "tor")}, []string{"kill tor at 2s", "the job ended at 2s: switch tor was killed: nobody starts it again, and routes do not change: frames that go by it are lost"}},
		"a server":               {rack, ps.System{Dedicated: true}, 3, nil, []job.Action{at(2, job.Kill, "h4"), at(3, job.Start, "h4")}, []string{"kill h4 at 2s", "the job ended at 2s: server h4 was killed: the sums that it held are lost, and ps sends no gradient twice"}},
		"a leaf of others":       {leaves, ring.System{}, 0, some, []job.Action{at(2, job.Kill, "leaf2")}, []string{"kill leaf2 at 2s"}},
		"a spine of others":      {leaves, ring.System{}, 0, []int{4, 5}, []job.Action{at(2, job.Kill, "spine0")}, []string{"kill spine0 at 2s"}},
		"a spine on the way":     {leaves, ring.System{}, 0, some, []job.Action{at(2, job.Kill, "spine1")}, []string{"kill spine1 at 2s", "the job ended at 2s: switch spine1 was killed: nobody starts it again, and routes do not change: frames that go by it are lost"}},
		"when all is over":       {rack, ring.System{}, 0, nil, []job.Action{at(2, job.Kill, "h1"), at(3, job.Kill, "h2"), at(4, job.Start, "h2"), at(4, job.Start, "h3")}, []string{"kill h1 at 2s", "the job ended at 2s: worker h1 was killed: ring waits for the gradients of all workers"}},
		"one of two spines":      {leaves, ring.System{}, 0, nil, []job.Action{at(2, job.Kill, "spine1"), at(3, job.Start, "spine1")}, []string{"kill spine1 at 2s", "start spine1 at 3s"}},
	} {
		got, err := courseOf(t, tc.plan, tc.system, tc.servers, tc.on, tc.actions...)
		if err != nil || !slices.Equal(told(got), tc.want) {
			t.Errorf("%s: %q, %v, want %q", name, told(got), err, tc.want)
		}
	}
}

// What cannot be is refused by name.
func TestCourseRefuses(t *testing.T) {
	rack, mx480 := jobtest.Plan(t, "rack", 6), jobtest.Plan(t, "mx480", 8)
	some := []int{0, 1, 2, 3}
	for name, tc := range map[string]struct {
		plan    *plan.Plan
		actions []job.Action
		want    string
	}{
		"unknown":       {rack, []job.Action{at(1, job.Kill, "h11")}, `kill h11 at 1s: no process of the lab is called "h11": there are h0, h1, h2, h3, tor; did you mean`},
		"twice":         {rack, []job.Action{at(1, job.Kill, "h1"), at(2, job.Kill, "h1")}, "kill h1 at 2s: h1 does not run then: start it before"},
		"runs already":  {rack, []job.Action{at(2, job.Kill, "h1"), at(1, job.Start, "h1")}, "start h1 at 1s: h1 runs already: kill or stop it before"},
		"taken":         {rack, []job.Action{at(1, job.Kill, "h1"), on(at(2, job.Start, "h1"), "h2")}, "start h1 on h2 at 2s: h2 is no spare host: job 1 has a worker there"},
		"no host":       {rack, []job.Action{at(1, job.Kill, "h1"), on(at(2, job.Start, "h1"), "h9")}, `topology rack has no host "h9"`},
		"a switch":      {rack, []job.Action{at(1, job.Stop, "tor"), on(at(2, job.Start, "tor"), "h5")}, "tor is a switch: only workers come up on another host"},
		"another PFE":   {mx480, []job.Action{at(1, job.Kill, "h0"), on(at(2, job.Start, "h0"), "h5")}, "the program of switch mx480 would be another one: choose a spare host at the same switch and PFE"},
		"a second time": {rack, []job.Action{at(1, job.Kill, "h1"), on(at(2, job.Start, "h1"), "h5"), at(3, job.Kill, "h1")}, "no process of the lab is called \"h1\""},
	} {
		_, err := courseOf(t, tc.plan, trioml.System{}, 0, some, tc.actions...)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// A job of its own time ends without a hand.
func TestUntil(t *testing.T) {
	spec := jobtest.Spec(t, trioml.System{}, "rack", 4)
	spec.Elements = 0
	spec.Until, spec.Actions = 2*units.Second, []job.Action{at(1, job.Kill, "h1"), at(3, job.Start, "h1")}
	set, err := job.NewSet(jobtest.New(t, spec))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := set.Course()
	want := []string{"kill h1 at 1s", "the job ended at 2s: its time was over"}
	if err != nil || !slices.Equal(told(steps), want) {
		t.Errorf("%q, %v, want %q", told(steps), err, want)
	}
}

// lasting is a system whose jobs go on without a switch.
type lasting struct{ job.System }

func (lasting) Survives(r job.Role) error {
	if r != job.AsSwitch {
		return errors.New("all are needed")
	}
	return nil
}

// A switch forgets where every job with a program there goes on, and runs on.
func TestForget(t *testing.T) {
	rack, leaves := jobtest.Plan(t, "rack", 6), jobtest.LeafSpine(t)
	some, keeps := []int{0, 1}, lasting{switchml.System{}}
	for name, tc := range map[string]struct {
		plan    *plan.Plan
		system  job.System
		actions []job.Action
		want    string
	}{
		"twice":        {rack, keeps, []job.Action{at(2, job.Forget, "tor"), at(1, job.Forget, "tor")}, "forget tor at 1s forget tor at 2s"},
		"that is gone": {rack, keeps, []job.Action{at(1, job.Kill, "tor"), at(2, job.Forget, "tor")}, "tor does not run then: start it before"},
		"a worker":     {rack, keeps, []job.Action{at(1, job.Forget, "h1")}, "h1 is a worker: only switches lose what they remember and go on"},
		"a spine":      {leaves, keeps, []job.Action{at(1, job.Forget, "spine0")}, "no job has a program on switch spine0, so there is nothing to forget"},
		"for good":     {rack, switchml.System{}, []job.Action{at(1, job.Forget, "tor")}, "job 1 cannot go on: the sums that it held are lost"},
	} {
		steps, err := courseOf(t, tc.plan, tc.system, 0, some, tc.actions...)
		got := strings.Join(told(steps), " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s, want %q", name, got, tc.want)
		}
	}
}
