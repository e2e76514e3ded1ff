package job_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// A training alone has no series, nor has a benchmark; flows, several jobs and a stated interval
// bring them about. A run of the expected length has 56 to 140 intervals, and they are round.
func TestIntervalOfSeries(t *testing.T) {
	alone := flowSpec(t)
	if got := job.Alone(jobtest.New(t, alone)).Interval(); got != 0 {
		t.Errorf("a training alone has series by %v", got)
	}
	for iterations, want := range map[int]units.Duration{1: 2 * ms, 3: 5 * ms, 7: 10 * ms, 70: 100 * ms, 5000: 10 * units.Second} {
		s := flowSpec(t, tcpFlow("a", "h0", "h5"))
		s.Iterations = iterations
		j := jobtest.New(t, s)
		mean, _ := j.Expect()
		n := units.Duration(iterations) * mean / job.Alone(j).Interval()
		if got := job.Alone(j).Interval(); got != want || n < 56 || n > 140 {
			t.Errorf("%d iterations of %v: intervals of %v, want %v; %d of them", iterations, mean, got, want, n)
		}
	}
	alone.Interval = 3 * ms
	if got := job.Alone(jobtest.New(t, alone)).Interval(); got != 3*ms {
		t.Errorf("a stated interval became %v", got)
	}
	late, ended := flowSpec(t, tcpFlow("a", "h0", "h5")), flowSpec(t, tcpFlow("a", "h0", "h5"))
	late.Times.Start, ended.Until = 100*units.Second, 10*ms
	for want, s := range map[units.Duration]job.Spec{units.Second: late, 100 * units.Microsecond: ended} {
		if got := job.Alone(jobtest.New(t, s)).Interval(); got != want {
			t.Errorf("intervals of %v, want %v", got, want)
		}
	}
	two := setOf(t, 0)
	if got := two.Interval(); got <= 0 {
		t.Errorf("two jobs have series by %v", got)
	}
	if got := setOf(t, 100).Interval(); got != 0 {
		t.Errorf("a benchmark beside a job has series by %v", got)
	}
}

// setOf is two jobs in one lab, the second a benchmark if it has elements.
func setOf(t *testing.T, elements int) *job.Set {
	t.Helper()
	s := jobtest.Spec(t, trioml.System{}, "rack", 4)
	s.Elements, s.Scale, s.On, s.Name = 0, 2000, []int{0, 1}, "a"
	first := jobtest.New(t, s)
	s.ID, s.On, s.Name, s.Elements = 2, []int{2, 3}, "b", elements
	set, err := job.NewSet(first, jobtest.New(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// What cannot be is refused, with an interval that can.
func TestIntervalsThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*job.Spec){
		"an interval of -1ps: write a time above 0":                      func(s *job.Spec) { s.Interval = -1 },
		"an interval: a benchmark has no series":                         func(s *job.Spec) { s.Interval, s.Elements = ms, 100 },
		"a series has 4000 intervals at most: write 500us or more":       func(s *job.Spec) { s.Interval = 100 * units.Microsecond },
		"the run should take 1.621s, and a series has 4000 intervals at": func(s *job.Spec) { s.Interval = 1 },
	} {
		s := flowSpec(t)
		s.Model.Compute, s.Iterations = 160*ms, 10
		change(&s)
		if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// As many intervals as a series holds are allowed, and no more.
func TestShortestInterval(t *testing.T) {
	s := flowSpec(t)
	mean, _ := jobtest.New(t, s).Expect()
	least := mean*units.Duration(s.Iterations)/result.MaxIntervals + 1
	for interval, ok := range map[units.Duration]bool{least: true, least - 1: false} {
		s.Interval = interval
		if _, err := job.New(s); (err == nil) != ok {
			t.Errorf("an interval of %v: error %v", interval, err)
		}
	}
}

// The series of a job is the sum of its workers', and all of a lab have one interval and length;
// who counted nothing has zeros.
func TestThroughputs(t *testing.T) {
	set := setOf(t, 0)
	set.Jobs[0].Flows = []job.Flow{{Name: "f", Kind: job.FlowTCP}, {Name: "g", Kind: job.FlowUDP}}
	unit := set.Interval()
	counted := func(doubled int, bytes ...units.Bytes) *result.Series {
		return &result.Series{Interval: unit << doubled, Bytes: bytes}
	}
	list := set.Throughputs(job.Metered{
		Workers: [][]*result.Series{{counted(0, 1, 2, 4), counted(0, 8)}, {counted(1, 16, 32), nil}},
		Flows:   []*result.Series{counted(0, 1, 1, 1, 1, 1, 1, 1), nil},
	}, units.Time(5*unit))
	want := []struct {
		kind, name string
		bytes      []units.Bytes
	}{{"job", "a", []units.Bytes{11, 4, 0, 0}}, {"tcp", "f", []units.Bytes{2, 2, 2, 1}}, {"udp", "g", []units.Bytes{0, 0, 0, 0}}, {"job", "b", []units.Bytes{16, 32, 0, 0}}}
	got := slices.Concat(list...)
	if len(list) != 2 || len(list[0]) != 3 || len(got) != 4 {
		t.Fatalf("got %+v", list)
	}
	for i, w := range want {
		if g := got[i]; g.Kind != w.kind || g.Name != w.name || g.Interval != 2*unit || !slices.Equal(g.Bytes, w.bytes) {
			t.Errorf("got %+v, want %+v", g, w)
		}
	}
	if none := job.Alone(jobtest.New(t, flowSpec(t))).Throughputs(job.Metered{}, 5); len(none) != 1 || none[0] != nil {
		t.Errorf("a training alone has %+v", none)
	}
}
