package live

import (
	"errors"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/topo"
)

const (
	mbit = units.MbitPerSecond
	ms   = units.Millisecond
)

// besideFlows is a job of a second or more with flows beside it.
func besideFlows(t *testing.T, sys job.System, link topo.LinkSpec, flows ...job.Flow) *job.Job {
	t.Helper()
	return mustJob(t, scene{system: sys, topology: "rack", iterations: 4, link: link, change: func(s *job.Spec) {
		s.Model.Compute, s.Flows = 250*ms, flows
		if sys.Name() != (ring.System{}).Name() {
			s.On = []int{0, 1}
		}
	}})
}

func flow(name, kind, from, to string, p traffic.Pattern) job.Flow {
	return job.Flow{Name: name, Kind: kind, From: from, To: to, Pattern: p}
}

// lostElsewhere reports whether a flow lost more than links dropped, on a machine whose kernel had room for all
// packets: a busy one drops some by itself, and says so.
func lostElsewhere(c *result.Cell, f *result.Flow, drops uint64) bool {
	return f.Sent-f.Delivered > drops && c.Fidelity.RingDrops == 0
}

// droppedBy returns what links dropped and marked.
func droppedBy(c result.Cell) (drops, marks uint64) {
	for i := range c.Links {
		drops, marks = drops+c.Links[i].Dropped(), marks+c.Links[i].Marks
	}
	return drops, marks
}

// Flows cross a rack beside a job, on its hosts and on others: its sums are right, and what they
// lost is what links dropped.
func TestFlowsBesideAJobLive(t *testing.T) {
	j := besideFlows(t, switchml.System{Elements: 256}, topo.LinkSpec{Rate: 50 * mbit, Queue: units.MiB},
		flow("steady", job.FlowUDP, "h0", "h1", traffic.Pattern{Rate: 5 * mbit, Stop: 100 * ms}),
		flow("bursts", job.FlowUDP, "h3", "h5", traffic.Pattern{Rate: 80 * mbit, Packet: 800, On: 10 * ms, Off: 10 * ms, Start: 20 * ms, Stop: 100 * ms}),
		flow("bulk", job.FlowTCP, "h4", "h3", traffic.Pattern{Start: 10 * ms}),
		flow("slow", job.FlowTCP, "h2", "h4", traffic.Pattern{Rate: 8 * mbit, Packet: 1000, Stop: 100 * ms}))
	c := mustRun(t, j, options(t))
	if len(c.Flows) != 4 {
		t.Fatalf("flows %+v", c.Flows)
	}
	drops, _ := droppedBy(c)
	for i, most := range []uint64{42, 500, 0, 0} { // 2.4 ms a packet of 1500 B; four times 10 ms at 80 us a packet
		f := &c.Flows[i]
		wrong := f.Delivered == 0 || f.Delivered > f.Sent || f.DeliveredBytes > f.SentBytes || f.Active < 80*ms
		if f.Kind == job.FlowUDP {
			wrong = wrong || f.Sent > most || lostElsewhere(&c, f, drops) || f.DelayMean <= 0
		}
		if wrong {
			t.Errorf("links dropped %d: %+v; %+v", drops, f, c.Fidelity)
		}
	}
	if slow := c.Flows[3]; slow.SentBytes > 100*units.Bytes(1000) {
		t.Errorf("a rate of 8 Mbit/s for 100 ms: %+v", slow)
	}
}

// Packets of flows that say so are marked, by UDP's own word and by the kernel's TCP; sinks see
// what links marked.
func TestMarksOfFlowsLive(t *testing.T) {
	link := topo.LinkSpec{Rate: 50 * mbit, Queue: units.MiB, Marking: topo.Marking{Min: 10 * units.KiB, Max: 10 * units.KiB}}
	able := flow("able", job.FlowUDP, "h2", "h3", traffic.Pattern{Rate: 80 * mbit, On: 5 * ms, Off: 15 * ms, Stop: 100 * ms})
	reacts := flow("reacts", job.FlowTCP, "h4", "h5", traffic.Pattern{})
	able.ECN, reacts.ECN = true, true
	not := flow("not", job.FlowTCP, "h4", "h5", traffic.Pattern{Start: 20 * ms})
	c := mustRun(t, besideFlows(t, switchml.System{Elements: 256}, link, able, reacts, not), options(t))
	udp, tcp := c.Flows[0], c.Flows[1]
	drops, marks := droppedBy(c)
	if udp.Marks == 0 || udp.Marks > marks || lostElsewhere(&c, &udp, drops) || tcp.Marks == 0 || c.Flows[2].Marks > 0 {
		t.Errorf("links marked %d and dropped %d; %+v", marks, drops, c.Flows)
	}
}

// A flow that does not start in time, or whose host is also a ring's, is no trouble.
func TestFlowsBesideARingLive(t *testing.T) {
	c := mustRun(t, besideFlows(t, ring.System{}, topo.LinkSpec{},
		flow("never", job.FlowTCP, "h0", "h1", traffic.Pattern{Start: 3600 * units.Second}),
		flow("late", job.FlowUDP, "h1", "h0", traffic.Pattern{Rate: mbit, Start: 3600 * units.Second}),
		flow("bulk", job.FlowTCP, "h5", "h0", traffic.Pattern{})), options(t))
	if c.Flows[0].Sent+c.Flows[1].Sent+c.Flows[0].Delivered+c.Flows[1].Delivered > 0 || c.Flows[2].Delivered == 0 || c.Flows[2].DeliveredBytes > c.Flows[2].SentBytes {
		t.Errorf("flows %+v", c.Flows)
	}
}

// Flows that die in mid-run end the run, which says whose they were, and nothing stays behind.
func TestDeathOfFlowsEndsTheRun(t *testing.T) {
	opt := options(t)
	j := mustJob(t, scene{system: switchml.System{Elements: 256}, topology: "rack", iterations: 10_000, change: func(s *job.Spec) {
		s.Flows = []job.Flow{flow("steady", job.FlowUDP, "h0", "h1", traffic.Pattern{Rate: 5 * mbit})}
	}})
	run := start(t, t.Context(), j, opt)
	run.awaitTraining(t)
	if killed, err := processes(t, opt.Lab, opt.NetNS)["h1-traffic"].Kill(longEnough); !killed || err != nil {
		t.Fatalf("killed %v, %v", killed, err)
	}
	<-run.ended
	if want := "traffic h1-traffic died (signal: killed) in mid-run"; run.err == nil || !strings.Contains(run.err.Error(), want) || errors.Is(run.err, ErrCleanup) {
		t.Errorf("error %v, want %q", run.err, want)
	}
}
