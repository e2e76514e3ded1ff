package switchml

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/switchmlrdma"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/tofino"
)

// A pool is so many messages; less than one is one.
func TestQueuePairs(t *testing.T) {
	for _, c := range []struct {
		system                 System
		scale, queues, packets int
		noted                  bool
	}{
		{System{Transport: RoCE}, 1, 32, 16, false},
		{System{Transport: RoCE, Packets: 4}, 1, 128, 4, false},
		{System{Transport: RoCE}, 100, 4, 16, true},
		{System{Transport: RoCE, Unscaled: true}, 100, 32, 16, true},
		{System{Transport: RoCE, Slots: 9}, 1, 1, 16, true},
	} {
		s := jobtest.Spec(t, c.system, "rack", 3)
		s.Scale = c.scale
		j := jobtest.New(t, s)
		core, sw := j.Layout.Cores[2].(switchmlrdma.Config), j.Layout.Programs[0][0].(switchmlConfig).Program
		if core.Queues != c.queues || core.Packets != c.packets || j.Layout.Window != c.queues*c.packets || (len(j.Layout.Notes) > 0) != c.noted {
			t.Errorf("%+v at scale %d: %d queue pairs of %d packets, notes %q", c.system, c.scale, core.Queues, core.Packets, j.Layout.Notes)
		}
		if d := sw.Jobs[0]; d.Slots != c.queues*c.packets || len(d.Workers) != 3 || len(d.Workers[2].RDMA.QPNs) != c.queues || d.RDMA.MessageBytes != 1024*c.packets {
			t.Errorf("%+v at scale %d: the switch has %+v", c.system, c.scale, d)
		}
		if slots, lead := j.System.(job.Slotted).Pool(j); slots != c.queues || lead != 0 {
			t.Errorf("%+v: events name %d slots, %d packets before blocks", c.system, slots, lead)
		}
	}
}

// The analytic time, worked out by hand for 4096 elements on links of 1 Gbit/s
// without delay: a message of exponents, one of values, and the last packet down. 58
// bytes of headers and ICRC, 16 more in the first packet and 4 in the last.
func TestTimeOfMessages(t *testing.T) {
	s := jobtest.Spec(t, System{Transport: RoCE}, "rack", 4)
	s.Model.Compute = 0
	got, _ := jobtest.New(t, s).Expect()
	message, last := 16*(58+1024+24)+16+4, 58+4+1024+24
	if want := units.Duration(2*(message+last)*8) * units.Nanosecond; got != want {
		t.Errorf("communication takes %v, want %v", got, want)
	}
}

// Two jobs share the switch, each with its part of the pool.
func TestRDMAJobsShareAProgram(t *testing.T) {
	p := jobtest.Plan(t, "rack", 4)
	s, err := job.NewSet(jobtest.Tenant(t, p, 0, System{Transport: RoCE}, 0, 2), jobtest.Tenant(t, p, 7, System{Transport: RoCE, Packets: 4}, 3, 1))
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := job.Decode[switchmlConfig](s.Switches(0)[0].Programs[0])
	if jobs := cfg.Program.Jobs; err != nil || len(jobs) != 2 || jobs[1].ID != 7 || jobs[1].RDMA.MessageBytes != 4096 {
		t.Errorf("%+v, %v", jobs, err)
	}
	if _, err := job.NewSet(jobtest.Tenant(t, p, 0, System{Transport: RoCE}, 0, 2), jobtest.Tenant(t, p, 7, System{Transport: RoCE, Faithful: true}, 3, 1)); err == nil || !strings.Contains(err.Error(), "one that checks for late packets and one that does not") {
		t.Errorf("two programs in one switch: %v", err)
	}
}

// What aggregates is what was asked for and can be; where it is not, a note says why.
func TestWhatAggregatesRDMA(t *testing.T) {
	chip := Pipe{Pipeline: true}
	for _, tc := range []struct {
		name     string
		system   System
		hosts    int
		lengths  bool
		pipeline bool
		note     string
	}{
		{"rack", System{Transport: RoCE, Pipe: chip}, 4, false, true, ""},
		{"as many as ports", System{Transport: RoCE, Pipe: chip, Slots: 64, Packets: 1}, pipeline.MaxPorts, false, true, ""},
		{"asked for", System{Transport: RoCE}, 4, true, false, ""},
		{"lengths", System{Transport: RoCE, Pipe: chip}, 4, true, true, ""},
		{"many ports", System{Transport: RoCE, Pipe: chip}, pipeline.MaxPorts + 1, false, false, "tor uses port 16, and the 16 ports of one pipe serve workers"},
		{"many queue pairs", System{Transport: RoCE, Pipe: chip, Packets: 2, Slots: 8192, Unscaled: true}, 3, false, false, "tor would have 12288 queue pairs, and its registers are for 8192"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := jobtest.Spec(t, tc.system, "rack", tc.hosts)
			if tc.lengths {
				s.Elements, s.Virtual, s.Replay, s.Sample = 0, true, true, gradient.Sampling{Every: 4}
			}
			j := jobtest.New(t, s)
			noted := slices.ContainsFunc(j.Layout.Notes, func(n string) bool { return strings.Contains(n, "reference program") && strings.Contains(n, tc.note) })
			if noted != (tc.note != "") {
				t.Errorf("notes %q, want %q", j.Layout.Notes, tc.note)
			}
			e, err := System{Transport: RoCE}.NewEngine(j.Switches(0)[0].Programs[0], nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, is := e.(*pipeline.Engine); is != tc.pipeline {
				t.Errorf("the switch is a %T", e)
			}
		})
	}
}

// Passes take time under the virtual clock, and then a round trip is that much longer.
func TestTimedRDMAPipe(t *testing.T) {
	s := jobtest.Spec(t, System{Transport: RoCE, Slots: 16, Unscaled: true, Pipe: Pipe{Pipeline: true, Timed: true}}, "rack", 3)
	s.Virtual = true
	timed := jobtest.New(t, s)
	s.System = System{Transport: RoCE, Slots: 16, Unscaled: true}
	instant := jobtest.New(t, s)
	blocks := (timed.Params + 16*rdmaElements - 1) / (16 * rdmaElements)
	const pass = 10*tofino.PassTime + tofino.IngressTime + tofino.EgressTime
	if got, want := timed.Layout.Time-instant.Layout.Time, pass*units.Duration(blocks+1); got != want {
		t.Errorf("passes take %v of the time, want %v", got, want)
	}
}

func TestTooManyRDMAWorkers(t *testing.T) {
	if _, err := job.New(jobtest.Spec(t, System{Transport: RoCE}, "rack", 33)); err == nil || !strings.Contains(err.Error(), "aggregates for 32 workers at most, and topology rack has 33") {
		t.Errorf("got %v", err)
	}
}
