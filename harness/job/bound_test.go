package job_test

import (
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// boundSpec is a training of 4 workers at 500 Mbit/s.
func boundSpec(t *testing.T, sys job.System, link topo.LinkSpec) job.Spec {
	t.Helper()
	s := jobtest.Spec(t, sys, "rack", 4)
	link.Rate = 500 * mbit
	s.Plan = jobtest.PlanOf(t, "rack", gen.Params{Hosts: 4, Link: link})
	s.Elements, s.Scale, s.Virtual, s.Iterations = 0, 200, true, 10
	return s
}

// bound returns what a bound adds to what is expected.
func boundOver(t *testing.T, s job.Spec, lost uint64) units.Duration {
	t.Helper()
	j := jobtest.New(t, s)
	mean, _ := j.Expect()
	return job.Alone(j).Bound(j, lost) - mean
}

func TestBoundOfWhatIsAskedFor(t *testing.T) {
	again := switchml.System{Retransmit: true, Timeout: 10 * ms}
	plain := jobtest.New(t, boundSpec(t, again, topo.LinkSpec{}))
	comm, blocks := plain.Layout.Time, (plain.Params+255)/256
	refills := (blocks+63)/64 + 1
	for _, c := range []struct {
		name   string
		spec   func() job.Spec
		lost   uint64
		lo, hi units.Duration
	}{
		{"nothing", func() job.Spec { return boundSpec(t, again, topo.LinkSpec{}) }, 0, 0, 0},
		{"frames that were lost unasked", func() job.Spec { return boundSpec(t, again, topo.LinkSpec{}) }, 1000, 0, 0},
		// A frame in 100 000 of 8 lines: 0.05 losses an iteration; in 1000, one of 4 blocks of a slot in 3 times.
		{"little loss", func() job.Spec { return boundSpec(t, again, topo.LinkSpec{Loss: 1e-5}) }, 0, 300 * units.Microsecond, 600 * units.Microsecond},
		{"loss of 0.1%", func() job.Spec { return boundSpec(t, again, topo.LinkSpec{Loss: 0.001}) }, 0, 20 * ms, 40 * ms},
		{"loss of 1%", func() job.Spec { return boundSpec(t, again, topo.LinkSpec{Loss: 0.01}) }, 0, 40 * ms, 70 * ms},
		{"every hundredth", func() job.Spec { return boundSpec(t, again, topo.LinkSpec{LossEvery: 100}) }, 0, 40 * ms, 70 * ms},
		{"bursts of 1%", func() job.Spec {
			return boundSpec(t, again, topo.LinkSpec{Bursts: topo.Bursts{Enter: 0.125 * 0.01 / 0.99, Leave: 0.125, Bad: 1}})
		}, 0, 8 * 40 * ms, 8 * 70 * ms},
		{"a flow of half of a line", func() job.Spec {
			s := boundSpec(t, again, topo.LinkSpec{})
			s.Flows = []job.Flow{{Name: "f", Kind: job.FlowUDP, From: "h1", To: "h0", Pattern: traffic.Pattern{Rate: 250 * mbit}}}
			return s // and a packet of 24 us at each refill
		}, 0, comm + units.Duration(refills)*24*units.Microsecond, comm + units.Duration(refills)*24*units.Microsecond},
		{"TCP that fills a queue of 1 MiB", func() job.Spec {
			s := boundSpec(t, again, topo.LinkSpec{})
			s.Flows = []job.Flow{tcpFlow("f", "h1", "h0")}
			return s
		}, 0, (500 * mbit).TimeToSend(units.MiB) * units.Duration(refills), (500 * mbit).TimeToSend(units.MiB) * units.Duration(refills)},
		{"a byte stream", func() job.Spec { return boundSpec(t, ring.System{}, topo.LinkSpec{}) }, 0, 10 * ms, 20 * ms},
		{"a byte stream that loses 5 frames in 10 iterations", func() job.Spec { return boundSpec(t, ring.System{}, topo.LinkSpec{Loss: 1e-3}) }, 5, 110 * ms, 120 * ms},
		{"a byte stream that loses them in bursts of 8", func() job.Spec {
			return boundSpec(t, ring.System{}, topo.LinkSpec{Bursts: topo.Bursts{Enter: 1e-4, Leave: 0.125, Bad: 1}})
		}, 5, 810 * ms, 820 * ms},
	} {
		if got := boundOver(t, c.spec(), c.lost); got < c.lo || got > c.hi {
			t.Errorf("%s: %v more than expected, want %v to %v", c.name, got, c.lo, c.hi)
		}
	}
}

// Changes of links add all the time until the last one, at the slowest rate.
func TestBoundOfChanges(t *testing.T) {
	s := boundSpec(t, switchml.System{Retransmit: true}, topo.LinkSpec{})
	port := s.Plan.Switches[0].Ports[0]
	slower := port.Out
	slower.Rate /= 2
	s.Changes = []job.LinkChange{{At: units.Time(units.Second), From: topo.End{Node: "tor", Port: port.Name}, To: port.Peer, Spec: slower}}
	if got, want := boundOver(t, s, 0), 100*ms+jobtest.New(t, s).Layout.Time; got != want {
		t.Errorf("%v more than expected, want %v", got, want)
	}
}

func TestNoBound(t *testing.T) {
	bench := jobtest.Spec(t, switchml.System{}, "rack", 4)
	costly := boundSpec(t, switchml.System{}, topo.LinkSpec{})
	costly.Host = hostmodel.Defaults().DPDK()
	for _, s := range []job.Spec{bench, costly} {
		j := jobtest.New(t, s)
		if got := job.Alone(j).Bound(j, 0); got != 0 {
			t.Errorf("bound %v, want none", got)
		}
	}
}
