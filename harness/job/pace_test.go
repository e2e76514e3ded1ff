package job_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// training is a replay of a model with a compute time of 10 ms on links of 1 Gbit/s.
func training(t *testing.T, sys job.System, workers int, paces ...job.Pace) job.Spec {
	s := jobtest.Staffed(t, sys, "rack", workers)
	s.Elements, s.Virtual, s.Replay, s.Scale, s.Paces = 0, true, true, 100, paces
	s.Model.Compute = 10 * ms
	return s
}

// rates returns a rack whose hosts have links of these rates, in Mbit/s.
func rates(t *testing.T, list ...int) *plan.Plan {
	t.Helper()
	g, err := gen.ByName("rack", gen.Params{Hosts: len(list), Link: topo.LinkSpec{Rate: units.GbitPerSecond}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.Links {
		r := units.Rate(list[i]) * units.MbitPerSecond
		g.Links[i].AtoB.Rate, g.Links[i].BtoA.Rate = r, r
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each worker computes at its own pace, and all wait for the slowest; what the others send meanwhile
// makes the expected time a bound.
func TestPaces(t *testing.T) {
	equal := jobtest.New(t, training(t, ring.System{}, 4))
	quiet, bound := equal.Expect()
	if bound {
		t.Error("the time of equal workers is a bound")
	}
	j := jobtest.New(t, training(t, ring.System{}, 4, job.Pace{}, job.Pace{Factor: 1.5}, job.Pace{Factor: 2, Lag: 7 * ms}))
	for w, want := range []units.Duration{10 * ms, 15 * ms, 27 * ms, 10 * ms} {
		if got := j.Workers()[w].Loop.Compute; got != want {
			t.Errorf("worker %d computes for %v, want %v", w, got, want)
		}
	}
	if got, bound := j.Expect(); got != quiet+17*ms || !bound {
		t.Errorf("expected %v (bound: %v), want %v", got, bound, quiet+17*ms)
	}
	if got := j.Ideal() - equal.Ideal(); got != 17*ms || j.Typical != j.Ideal() {
		t.Errorf("the ideal computes for %v longer, and %v is typical", got, j.Typical)
	}
	all := job.Pace{Lag: ms}
	if got, bound := jobtest.New(t, training(t, ring.System{}, 2, all, all)).Expect(); bound || got <= 11*ms {
		t.Errorf("expected %v (bound: %v) where all are as slow", got, bound)
	}
}

// Paces go by hosts: those of servers do not count, and a job on other hosts has theirs.
func TestPacesGoByHost(t *testing.T) {
	s := training(t, ps.System{Dedicated: true, Count: 1}, 3, job.Pace{}, job.Pace{}, job.Pace{}, job.Pace{Lag: 9 * ms})
	if got := jobtest.New(t, s).SlowestCompute(); got != 10*ms {
		t.Errorf("with a slow server workers compute for %v", got)
	}
	s = training(t, ring.System{}, 4, job.Pace{Lag: 9 * ms}, job.Pace{}, job.Pace{Lag: ms})
	s.On = []int{3, 2}
	if got := jobtest.New(t, s).Computes(); len(got) != 2 || got[0] != 10*ms || got[1] != 11*ms {
		t.Errorf("workers compute for %v", got)
	}
}

// A system with patience waits so long at most, whatever the lag.
func TestPatienceEndsALag(t *testing.T) {
	sys := trioml.System{Timeout: ms}
	quiet, _ := jobtest.New(t, training(t, sys, 4)).Expect()
	j := jobtest.New(t, training(t, sys, 4, job.Pace{Lag: units.Second}))
	if got, bound := j.Expect(); !bound || got != quiet+j.Layout.Patience {
		t.Errorf("expected %v (bound: %v), want %v and %v", got, bound, quiet, j.Layout.Patience)
	}
	j = jobtest.New(t, training(t, sys, 4, job.Pace{Lag: ms / 2}))
	if got, _ := j.Expect(); got != quiet+ms/2 {
		t.Errorf("expected %v, want %v and half a ms", got, quiet)
	}
}

// What was measured says how long the model takes, whatever the paces.
func TestMeanComputeIsTheModels(t *testing.T) {
	j := jobtest.New(t, training(t, ring.System{}, 3, job.Pace{}, job.Pace{Factor: 2}, job.Pace{Lag: 30 * ms}))
	got := j.MeanCompute([]job.Measured{{"h0", 11 * ms}, {"h1", 22 * ms}, {"h2", 0}, {"h9", 12 * ms}})
	if got != (11+12+12)*ms/3 {
		t.Errorf("computing takes %v", got)
	}
	if got := j.MeanCompute(nil); got != 0 {
		t.Errorf("computing takes %v, of nobody", got)
	}
}

func TestPacesThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*job.Spec){
		"the worker on h1: a compute time of -2x the model's: allowed are 0.001x to 1000x": func(s *job.Spec) { s.Paces = []job.Pace{{}, {Factor: -2}} },
		"the worker on h0: a compute time of 1001x":                                        func(s *job.Spec) { s.Paces = []job.Pace{{Factor: 1001}} },
		"the worker on h0: a lag of":                                                       func(s *job.Spec) { s.Paces = []job.Pace{{Lag: -1}} },
		"paces of 5 hosts: topology rack has 4":                                            func(s *job.Spec) { s.Paces = make([]job.Pace, 5) },
		"a pace of the worker on h0: a benchmark computes nothing": func(s *job.Spec) {
			s.Paces, s.Elements, s.Replay = []job.Pace{{Lag: ms}}, 64, false
		},
	} {
		s := training(t, ring.System{}, 4)
		change(&s)
		if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The analytic times on unequal links, by hand for 4096 elements: each system is held up by the line
// that is occupied longest, which need not be the slowest.
func TestAnalyticTimesOnUnequalLinks(t *testing.T) {
	at := func(mbit, bytes int) units.Duration {
		return units.Duration(bytes*8) * units.Microsecond / units.Duration(mbit)
	}
	const segment = 4096 + 58 + 24 // RoCE with framing
	for _, c := range []struct {
		name   string
		system job.System
		rates  []int
		want   units.Duration
	}{
		{"the slowest link holds up a ring", ring.System{Transport: stream.RoCE}, []int{1000, 250, 1000, 500}, at(250, 6*segment+4*(12+58+24))}, // all-reduces in a row: 2 of the 6 short frames pass beside others
		{"and SwitchML", switchml.System{}, []int{1000, 250, 1000, 500}, at(250, 33*(52+1024+24))},
		{"the line of a server, for 4 workers", ps.System{Transport: stream.RoCE, Dedicated: true, Count: 1}, []int{1000, 500, 1000, 1000, 1000}, at(1000, 16*segment)},
		{"a worker that is slower yet", ps.System{Transport: stream.RoCE, Dedicated: true, Count: 1}, []int{1000, 200, 1000, 1000, 1000}, at(200, 4*segment)},
		{"a slow server", ps.System{Transport: stream.RoCE, Dedicated: true, Count: 1}, []int{1000, 500, 1000, 1000, 100}, at(100, 16*segment)},
		{"a worker beside a server has more to send", ps.System{Transport: stream.RoCE, Count: 1}, []int{1000, 500, 1000, 1000}, at(1000, 12*segment)},
		{"than one without", ps.System{Transport: stream.RoCE, Count: 1}, []int{1000, 250, 1000, 1000}, at(250, 4*segment)},
		{"ATP: the slowest worker", atp.System{}, []int{1000, 500, 1000, 1000, 1000}, at(500, 68*330)},
		{"ATP: a server takes one packet of four", atp.System{}, []int{1000, 1000, 1000, 1000, 500}, at(500, 68*330)},
		{"ATP without aggregators: a server takes all", atp.System{Aggregators: atp.None}, []int{1000, 500, 1000, 1000, 1000}, at(1000, (4*67+1)*330)},
	} {
		s := jobtest.Staffed(t, c.system, "rack", 4)
		s.Plan, s.Virtual = rates(t, c.rates...), true
		if got := jobtest.New(t, s).Layout.Time; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Links of hosts that a job is not on do not slow it down; those of its spare hosts may.
func TestRateIsOfTheJobsOwnHosts(t *testing.T) {
	s := jobtest.Spec(t, ring.System{}, "rack", 4)
	s.Plan, s.Virtual, s.On = rates(t, 1000, 500, 250, 100), true, []int{0, 1}
	j := jobtest.New(t, s)
	if got := j.Rate(); got != 500*units.MbitPerSecond {
		t.Errorf("the slowest rate is %v", got)
	}
	if a, b := j.RateOf(&j.Plan.Hosts[0]), j.RateOf(&j.Plan.Hosts[3]); a != units.GbitPerSecond || b != 100*units.MbitPerSecond {
		t.Errorf("rates of hosts are %v and %v", a, b)
	}
}
