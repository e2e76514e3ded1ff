package job_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/atp"
)

// resuming is a job of ATP on hosts 0 to 3 of a leaf-spine, with a server on the last, and spare hosts between.
func resuming(t *testing.T, id uint8, actions ...job.Action) (*job.Job, error) {
	t.Helper()
	spec := jobtest.Spec(t, atp.System{}, "rack", 2)
	spec.Plan, spec.Elements, spec.ID = jobtest.LeafSpine(t), 0, id
	last := len(spec.Plan.Hosts) - 1
	spec.On, spec.ServersOn, spec.Servers, spec.Actions = []int{0, 1, 2, 3}, []int{last}, 1, actions
	return job.New(spec)
}

// A job whose workers wait for one is set up again with each start of one, in the order of time, where it comes up.
func TestSetups(t *testing.T) {
	j, err := resuming(t, 3, on(at(5, job.Start, "h4"), "h1"), at(2, job.Kill, "h1"), on(at(3, job.Start, "h1"), "h4"), at(4, job.Stop, "h4"), at(6, job.Kill, "h0"), at(7, job.Start, "h0"))
	if err != nil {
		t.Fatal(err)
	}
	setups, err := j.Setups()
	if err != nil {
		t.Fatal(err)
	}
	var ids []uint8
	var hosts []string
	var workers []int
	for _, s := range setups {
		ids, workers = append(ids, s.ID), append(workers, s.Worker)
		var names []string
		for _, h := range s.Hosts() {
			names = append(names, h.Name)
		}
		hosts = append(hosts, strings.Join(names, " "))
	}
	if want := []string{"h0 h4 h2 h3", "h0 h1 h2 h3", "h0 h1 h2 h3"}; !slices.Equal(hosts, want) || !slices.Equal(ids, []uint8{35, 67, 99}) || !slices.Equal(workers, []int{1, 1, 0}) {
		t.Errorf("set up on %q under ids %v for workers %v", hosts, ids, workers)
	}
	if j.ID != 3 || j.Hosts()[1].Name != "h1" || len(j.Layout.Again) != 3 || len(j.Layout.Trees) != 4 {
		t.Errorf("the job itself has id %d, worker 1 on %s, %d starts and %d trees", j.ID, j.Hosts()[1].Name, len(j.Layout.Again), len(j.Layout.Trees))
	}
	set, err := job.NewSet(j)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := set.Course()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"h4", "h1", "h0"} {
		if s := steps[2*i+1]; s.Host.Name != want || s.Config.Loop.Node != want || !strings.Contains(string(s.Config.Core), `"Setup":`+string(rune('1'+i))) {
			t.Errorf("%v: on %s, configured for %s: %s", &s, s.Host.Name, s.Config.Loop.Node, s.Config.Core)
		}
	}
}

// Where nobody starts a worker again, the job that waits for it ends, and says so, as it does with a server.
func TestNobodyStartsItAgain(t *testing.T) {
	last := jobtest.LeafSpine(t).Hosts
	ps := last[len(last)-1].Name
	for want, actions := range map[string][]job.Action{
		"stop h1 at 2s, the job ended at 2s: worker h1 was stopped: atp waits for the gradients of all workers, and nobody starts it again": {at(2, job.Stop, "h1"), at(3, job.Kill, "h2"), at(4, job.Start, "h2")},
		"kill " + ps + " at 2s, the job ended at 2s: server " + ps + " was killed: the parameters that it stored are lost with it":          {at(2, job.Kill, ps), at(3, job.Start, ps)},
	} {
		j, err := resuming(t, 1, actions...)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := job.Alone(j).Course()
		if got := strings.Join(told(steps), ", "); err != nil || got != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

// What has no id to be set up under is refused, and so is a host that is none.
func TestSetupsRefuse(t *testing.T) {
	var often []job.Action
	for i := range 8 {
		often = append(often, at(2*i+1, job.Kill, "h1"), at(2*i+2, job.Start, "h1"))
	}
	for want, try := range map[string]struct {
		id      uint8
		actions []job.Action
	}{
		"start h1 at 16s: job 1 has no id left to be set up again under: ids below 32 have 7 set-ups": {1, often},
		"start h1 at 2s: job 32 has no id left":                                                       {32, often[:2]},
		`topology leaf-spine has no host "h77"`:                                                       {1, []job.Action{often[0], on(at(2, job.Start, "h1"), "h77")}},
	} {
		if _, err := resuming(t, try.id, try.actions...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := resuming(t, 1, often[:14]...); err != nil {
		t.Errorf("seven starts: %v", err)
	}
}
