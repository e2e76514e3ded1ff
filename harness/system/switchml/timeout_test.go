package switchml

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/nodes/switchmlrdma"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

const us, ms = units.Microsecond, units.Millisecond

// trained is a training at 100 Gbit/s by the scale, on 4 hosts.
func trained(t *testing.T, s System, scale int) job.Spec {
	t.Helper()
	spec := jobtest.Spec(t, s, "rack", 4)
	link := topo.LinkSpec{Rate: 100 * units.GbitPerSecond / units.Rate(scale), Delay: us}
	spec.Plan = jobtest.PlanOf(t, "rack", gen.Params{Hosts: 4, Link: link})
	spec.Elements, spec.Scale = 0, scale
	return spec
}

// A pool takes so long to the switch and back: 64 packets of 1100 bytes, framing included, at 500 Mbit/s
// are 1.126 ms, a packet on the way down 17.6 us, and delays 2 us.
func TestDefaultTimeouts(t *testing.T) {
	for _, c := range []struct {
		name    string
		sys     System
		scale   int
		virtual bool
		flows   []job.Flow
		want    units.Duration
		noted   bool
	}{
		{"full rate", System{}, 1, true, nil, ms, false},
		{"full rate, live", System{}, 1, false, nil, 10 * ms, false},
		{"scaled", System{}, 200, true, nil, 4584000 * units.Nanosecond, true},
		{"scaled, live", System{}, 200, false, nil, 10 * ms, false},
		{"unscaled pool", System{Unscaled: true}, 200, false, nil, 36123200 * units.Nanosecond, true},
		{"32 values", System{Elements: inATP}, 200, true, nil, ms, false},
		{"32 values, live", System{Elements: inATP}, 200, false, nil, ms, false},
		{"set", System{Timeout: 3 * 1146 * us}, 200, true, nil, 3 * 1146 * us, false},
		{"set, and short", System{Timeout: 3*1146*us - 1}, 200, true, nil, 3*1146*us - 1, true},
		{"beside a flow of half of the line", System{}, 200, true, []job.Flow{flow(250 * units.MbitPerSecond)}, 2*4584000*units.Nanosecond + 4*24*us, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.sys.Retransmit = true
			spec := trained(t, c.sys, c.scale)
			spec.Virtual, spec.Flows = c.virtual, c.flows
			j := jobtest.New(t, spec)
			if got := j.Layout.Cores[0].(host.Config).Timeout; got != c.want {
				t.Errorf("timeout %d ps, want %d", got, c.want)
			}
			if noted := strings.Contains(strings.Join(j.Layout.Notes, "\n"), "timeout of "); noted != c.noted {
				t.Errorf("notes %q", j.Layout.Notes)
			}
		})
	}
}

// flow is UDP to a worker.
func flow(rate units.Rate) job.Flow {
	return job.Flow{Name: "f", Kind: job.FlowUDP, From: "h1", To: "h0", Pattern: traffic.Pattern{Rate: rate}}
}

// TCP that takes what there is may fill the queue of a line.
func TestDefaultTimeoutBesideTCP(t *testing.T) {
	spec := trained(t, System{Retransmit: true}, 200)
	spec.Virtual = true
	spec.Flows = []job.Flow{{Name: "f", Kind: job.FlowTCP, From: "h1", To: "h0"}}
	alone := jobtest.New(t, trained(t, System{Retransmit: true}, 200)).System.(System).poolTrip(jobtest.New(t, spec))
	queue := (500 * units.MbitPerSecond).TimeToSend(units.MiB)
	if got := jobtest.New(t, spec).Layout.Cores[0].(host.Config).Timeout; got != 4*(alone+queue) {
		t.Errorf("timeout %v, want four times %v and %v of a queue of 1 MiB", got, alone, queue)
	}
}

// Timeouts that cannot work are refused, with the least that can; without retransmission none is used.
func TestTimeoutsThatCannotWork(t *testing.T) {
	for _, c := range []struct {
		sys  System
		want string
	}{
		{System{Timeout: ms}, "switchml.timeout=1ms is below the 1.146ms that a full pool of 64 slots takes to the switch and back at 500Mbit/s (scale 200), so that workers would send again what is not lost: set 4.584ms or more, or switchml.timeout=default, or a smaller switchml.pool"},
		{System{Timeout: ms, Slots: 32}, ""},
		{System{Timeout: 1146 * us}, ""},
		{System{Timeout: 200 * us, Elements: inATP}, "switchml.timeout180=200us is below the "},
		{System{Timeout: ms, Transport: RoCE}, "switchml.timeout=1ms is below the "},
	} {
		c.sys.Retransmit = true
		spec := trained(t, c.sys, 200)
		spec.Virtual = true
		_, err := job.New(spec)
		if got := ""; err != nil {
			got = err.Error()
			if c.want == "" || !strings.Contains(got, c.want) {
				t.Errorf("%+v: error %q, want %q", c.sys, got, c.want)
			}
		} else if c.want != "" {
			t.Errorf("%+v is not refused", c.sys)
		}
		c.sys.Retransmit = false
		spec.System = c.sys
		jobtest.New(t, spec)
	}
}

// The least pool hides the round trip at its rate, and no more: 600 us of a host and the way are 16
// packets at 125 Mbit/s and 64 at 500 Mbit/s.
func TestLeastPools(t *testing.T) {
	for _, c := range []struct {
		sys         System
		scale, want int
	}{
		{System{}, 1, 512},
		{System{}, 5, 103},
		{System{}, 50, 64},
		{System{}, 200, 64},
		{System{}, 400, 32},
		{System{}, 800, 16},
		{System{}, 100_000, 4},
		{System{Slots: 8}, 800, 8},
		{System{Unscaled: true}, 800, 512},
		{System{Elements: 64}, 800, 32},
	} {
		j := jobtest.New(t, trained(t, c.sys, c.scale))
		if j.Layout.Window != c.want {
			t.Errorf("%+v at scale %d: pool of %d, want %d", c.sys, c.scale, j.Layout.Window, c.want)
		}
	}
}

// A queue pair of RoCE has the timeout of a slot.
func TestDefaultTimeoutOfRoCE(t *testing.T) {
	spec := trained(t, System{Transport: RoCE, Retransmit: true}, 200)
	spec.Virtual = true
	j := jobtest.New(t, spec)
	if got, trip := j.Layout.Cores[0].(switchmlrdma.Config).Timeout, j.System.(System).poolTrip(j); got != 4*trip || trip < ms {
		t.Errorf("timeout %v, and a pool takes %v", got, trip)
	}
}
