package live

import (
	"testing"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// A training and a benchmark share a chassis on real packets: the cell of each has
// its own samples and workers, all sums are right, nothing of one lands in the
// other, and nothing is left behind.
func TestJobsShareAChassisLive(t *testing.T) {
	opt := options(t)
	first := scene{system: trioml.System{Timeout: units.Second}, topology: "mx480", iterations: 6}
	first.change = func(s *job.Spec) { s.On = []int{4, 0, 3} }
	one := mustJob(t, first)
	second := first
	second.change = func(s *job.Spec) {
		s.Plan, s.ID, s.On, s.Seed, s.Elements, s.Iterations = one.Plan, 2, []int{1, 5}, rng.Root(2), 1<<15, 12
	}
	two := mustJob(t, second)
	set, err := job.NewSet(one, two)
	if err != nil {
		t.Fatal(err)
	}
	var logs []*trace.Log
	opt.Events = func(l []*trace.Log) { logs = l }
	beside := 0
	opt.Beside = func(lab *netns.Lab) error {
		beside++
		return lab.Do("h2", func() error { return nil }) // the host that no job has
	}
	cells, err := RunJobs(t.Context(), set, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ checked, samples int }{{3 * 6 * one.Params, 3 * 6}, {2 << 15, 2 * 12}} {
		c := cells[i]
		if c.Wrong != 0 || c.Checked != uint64(want.checked) || len(c.Samples) != want.samples {
			t.Errorf("job %d: %d of %d elements are wrong, want 0 of %d; %d samples, want %d", i+1, c.Wrong, c.Checked, want.checked, len(c.Samples), want.samples)
		}
		for _, h := range set.Jobs[1-i].Hosts() {
			if n := counted(c, "trioml-sent", func(node string) bool { return node == h.Name }); n > 0 {
				t.Errorf("job %d has the counters of %s", i+1, h.Name)
			}
		}
	}
	seen := check.NewTenants(set)
	for e := range trace.Merged(logs) {
		seen.Event(&e)
	}
	if len(logs) != 6 || beside != 1 || seen.Turns() == 0 || seen.Job(1).Strange+seen.Job(2).Strange > 0 {
		t.Errorf("%d logs, want 6; beside %d times; %d turns; %+v, %+v", len(logs), beside, seen.Turns(), seen.Job(1), seen.Job(2))
	}
}
