package job_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis"
)

// A set of one is the job.
func TestSetOfOne(t *testing.T) {
	j := jobtest.New(t, jobtest.Spec(t, switchml.System{}, "rack", 3))
	s, err := job.NewSet(j)
	if err != nil || s.Plan() != j.Plan || s.Trains() || len(s.Switches(0)[0].Programs) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// single is a system whose programs serve one job each.
type single struct{ job.System }

// What cannot share says why.
// passed is a job whose frames pass a program.
func passed(j *job.Job) *job.Job {
	j.Transit = [][]chassis.Program{{{System: "filter"}}}
	return j
}

func TestSetRefuses(t *testing.T) {
	p := jobtest.Plan(t, "rack", 6)
	trio := func(id uint8, on ...int) *job.Job { return jobtest.Tenant(t, p, id, trioml.System{}, on...) }
	for name, tc := range map[string]struct {
		jobs []*job.Job
		want string
	}{
		"nothing":        {nil, "a set needs a job"},
		"in transit":     {[]*job.Job{trio(1, 0, 1), passed(trio(2, 2, 3))}, "job 2 has programs, flows or changes beside it: give them to the first job"},
		"one id":         {[]*job.Job{trio(1, 0, 1), trio(1, 2, 3)}, "two jobs have id 1"},
		"one host":       {[]*job.Job{trio(1, 0, 1), trio(2, 2, 1)}, "job 1 and job 2 both have h1"},
		"other plan":     {[]*job.Job{trio(1, 0, 1), jobtest.Tenant(t, jobtest.Plan(t, "rack", 6), 2, trioml.System{}, 2, 3)}, "share plan and clock"},
		"other system":   {[]*job.Job{trio(1, 0, 1), jobtest.Tenant(t, p, 2, switchml.System{}, 2, 3)}, "job 1 needs the program of trioml on switch tor, and job 2 that of switchml256: a switch runs that of one system"},
		"one program":    {[]*job.Job{jobtest.Tenant(t, p, 1, single{switchml.System{}}, 0, 1), jobtest.Tenant(t, p, 2, single{switchml.System{}}, 2, 3)}, "the switch program of switchml256 serves one job"},
		"full pool":      {[]*job.Job{jobtest.Tenant(t, p, 1, switchml.System{Slots: 5000}, 0, 1), jobtest.Tenant(t, p, 2, switchml.System{Slots: 4000}, 2, 3)}, "job 2 wants 4000 slots on tor, where 3192 of 8192 are left"},
		"two programs":   {[]*job.Job{jobtest.Tenant(t, p, 1, switchml.System{}, 0, 1), jobtest.Tenant(t, p, 2, switchml.System{Faithful: true}, 2, 3)}, "jobs want tor to be two programs"},
		"other PFE":      {[]*job.Job{trio(1, 0, 1), jobtest.Tenant(t, p, 2, trioml.System{PFE: trioml.PFE{Reference: true}}, 2, 3)}, "jobs want tor to be two machines"},
		"other timeouts": {[]*job.Job{trio(1, 0, 1), jobtest.Tenant(t, p, 2, trioml.System{Timeout: units.Second}, 2, 3)}, "block_exp of 1s on tor, where job 1 has 10ms"},
	} {
		if _, err := job.NewSet(tc.jobs...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	for name, tc := range map[string]struct {
		system job.System
		on     []int
		want   string
	}{
		"no such host": {trioml.System{}, []int{0, 6}, "worker 1 is on host 6, but topology rack has hosts 0 to 5"},
		"host twice":   {trioml.System{}, []int{3, 3}, "two workers are on h3"},
		"one worker":   {trioml.System{}, []int{3}, "topology rack has 6 hosts, 1 of them for workers of this job: a job takes 2 to 200 workers"},
	} {
		s := jobtest.Spec(t, tc.system, "rack", 2)
		s.Plan, s.On = p, tc.on
		if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// The queue of a job is the deepest at its own hosts, both ways; a job alone has none.
func TestDepthOfAJob(t *testing.T) {
	p := jobtest.Plan(t, "rack", 6)
	a, b := jobtest.Tenant(t, p, 1, trioml.System{}, 0, 1), jobtest.Tenant(t, p, 2, trioml.System{}, 2, 3)
	s, err := job.NewSet(a, b)
	if err != nil {
		t.Fatal(err)
	}
	links := []result.Link{{Name: "tor:p0->h0:eth0", P99: 5}, {Name: "h1:eth0->tor:p1", P99: 7}, {Name: "tor:p2->h2:eth0", P99: 9}, {Name: "tor:p5->h5:eth0", P99: 11}}
	if got := []units.Bytes{s.Depth(a, links), s.Depth(b, links), job.Alone(a).Depth(a, links)}; !slices.Equal(got, []units.Bytes{7, 9, 0}) {
		t.Errorf("queues of %v, want 7, 9 and 0", got)
	}
}
