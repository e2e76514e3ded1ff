package sim_test

import (
	"cmp"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

const (
	mbit = units.MbitPerSecond
	ms   = units.Millisecond
)

// scene is a job of six iterations of 20 ms or more, on a rack of six hosts with links of
// 1 Gbit/s, but for a special one to h4. SwitchML has the first two; other systems have all.
type scene struct {
	system  job.System
	compute units.Duration // zero means 20 ms
	h4      topo.LinkSpec
	flows   []job.Flow
}

func (s scene) job(t *testing.T) *job.Job {
	t.Helper()
	model, err := profiles.Lookup("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	model.Compute = cmp.Or(s.compute, 20*ms)
	link := topo.LinkSpec{Rate: units.GbitPerSecond, Delay: units.Microsecond}
	g, err := gen.ByName("rack", gen.Params{Hosts: 6, Link: link})
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.Links {
		if l := &g.Links[i]; l.A.Node == "h4" {
			l.BtoA.Rate, l.BtoA.Queue, l.BtoA.Marking = cmp.Or(s.h4.Rate, link.Rate), s.h4.Queue, s.h4.Marking
		}
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	spec := job.Spec{System: s.system, Plan: p, Model: model, Scale: 2000, MiniBatch: 2, Iterations: 6, Seed: 1, Virtual: true, Flows: s.flows}
	if s.system == nil {
		spec.System, spec.On = switchml.System{Elements: 256}, []int{0, 1}
	}
	j, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func udp(name, from, to string, p traffic.Pattern) job.Flow {
	return job.Flow{Name: name, Kind: job.FlowUDP, From: from, To: to, Pattern: p}
}

func tcp(name, from, to string, p traffic.Pattern) job.Flow {
	return job.Flow{Name: name, Kind: job.FlowTCP, From: from, To: to, Pattern: p}
}

// linkTo returns what the link to a host came to.
func linkTo(t *testing.T, c result.Cell, host string) result.Link {
	t.Helper()
	for _, l := range c.Links {
		if n := len(l.Name) - len(host+":eth0"); n > 0 && l.Name[n:] == host+":eth0" {
			return l
		}
	}
	t.Fatalf("no link to %s", host)
	return result.Link{}
}

// Two connections share a link: together they fill it, and neither starves. Its queue drops
// early and at random: where it is just full, one connection may get all (Floyd and Jacobson,
// "On Traffic Phase Effects in Packet-Switched Gateways", 1992).
func TestFlowsOfTCPShareALink(t *testing.T) {
	red := topo.Marking{Min: 100 * units.KiB, Max: 500 * units.KiB, P: 0.02}
	c := run(t, scene{compute: 300 * ms, h4: topo.LinkSpec{Queue: units.MiB, Marking: red}, flows: []job.Flow{
		tcp("a", "h2", "h4", traffic.Pattern{}), tcp("b", "h3", "h4", traffic.Pattern{Start: ms}),
	}}.job(t), images(t))
	var sum float64
	for _, f := range c.Flows {
		share := f.Throughput() / 1e9
		if sum += share; share < 0.2 {
			t.Errorf("flow %s has %.2f of the line: %+v", f.Name, share, f)
		}
		if f.Resent.Packets == 0 || f.Resent.Bytes == 0 || uint64(f.Resent.Bytes) > f.Resent.Packets*uint64(f.SentBytes) || f.Delivered > f.Sent || f.SentBytes < f.DeliveredBytes {
			t.Errorf("%+v", f)
		}
	}
	if len(c.Flows) != 2 || sum < 0.9 || sum > 1 || c.Wrong > 0 || c.Checked == 0 {
		t.Errorf("together they have %.2f of the line, %d of %d elements are wrong", sum, c.Wrong, c.Checked)
	}
}

// One connection comes close to what the line carries of its segments.
func TestFlowOfTCPFillsALine(t *testing.T) {
	c := run(t, scene{h4: topo.LinkSpec{Queue: 8 * units.MiB}, flows: []job.Flow{tcp("bulk", "h2", "h4", traffic.Pattern{Stop: 80 * ms})}}.job(t), images(t))
	f := c.Flows[0]
	line := 1e9 * 8948 / float64(9014+units.EthernetFraming) // headers of 52 bytes, and timestamps, and Ethernet's
	if f.Throughput() < 0.97*line || f.Throughput() > line || f.Active < 80*ms || f.Active > 115*ms || f.DeliveredBytes != f.SentBytes {
		t.Errorf("%.4g bit/s of %.4g: %+v", f.Throughput(), line, f)
	}
}

// What sinks miss of UDP is what the link dropped.
func TestLossOfFlowsIsThatOfLinks(t *testing.T) {
	c := run(t, scene{h4: topo.LinkSpec{Queue: 30 * units.KiB}, flows: []job.Flow{
		udp("steady", "h2", "h4", traffic.Pattern{Rate: 700 * mbit, Stop: 60 * ms}),
		udp("bursts", "h3", "h4", traffic.Pattern{Rate: 900 * mbit, Packet: 900, On: ms, Off: 2 * ms, Start: 5 * ms, Stop: 50 * ms}),
	}}.job(t), images(t))
	var missing, sent uint64
	for _, f := range c.Flows {
		missing, sent = missing+f.Sent-f.Delivered, sent+f.Sent
		if f.Lost == 0 || f.Lost > f.Sent-f.Delivered || f.Reordered > 0 || f.DelayMean < 10*units.Microsecond || f.DelayMax < f.DelayMean || f.DelayMax > ms {
			t.Errorf("%+v", f)
		}
	}
	l := linkTo(t, c, "h4")
	if missing != l.Dropped() || l.Frames != sent-missing {
		t.Errorf("%d packets sent, %d did not come; the link passed %d and dropped %d", sent, missing, l.Frames, l.Dropped())
	}
	// 700 Mbit/s of 1500 B is 17.14 us a packet; 15 times 1 ms on, at 8 us a packet
	if c.Flows[0].Sent != 3500 || c.Flows[1].Sent != 15*125 || c.Flows[0].Active < 60*ms || c.Flows[0].Active > 61*ms {
		t.Errorf("sent %d and %d packets, active %v", c.Flows[0].Sent, c.Flows[1].Sent, c.Flows[0].Active)
	}
}

// Links mark packets of flows that say so, and sinks see every mark; others are dropped.
func TestMarksOfFlowsAreThoseOfLinks(t *testing.T) {
	able, not := udp("able", "h2", "h4", traffic.Pattern{Rate: 600 * mbit, Stop: 60 * ms}), udp("not", "h3", "h5", traffic.Pattern{Rate: 600 * mbit, Stop: 60 * ms})
	able.ECN = true
	more := udp("more", "h0", "h4", traffic.Pattern{Rate: 500 * mbit, Stop: 60 * ms})
	c := run(t, scene{h4: topo.LinkSpec{Queue: units.MiB, Marking: topo.Marking{Min: 20 * units.KiB, Max: 20 * units.KiB}}, flows: []job.Flow{able, not, more}}.job(t), images(t))
	if l := linkTo(t, c, "h4"); c.Flows[0].Marks == 0 || c.Flows[0].Marks != l.Marks || c.Flows[1].Marks+c.Flows[2].Marks != 0 || c.Wrong > 0 {
		t.Errorf("the link marked %d, flows saw %+v", l.Marks, c.Flows)
	}
}

// TCP with ECN reacts to marks: it loses nothing on a link that would drop it without, and the
// receiver sees every mark.
func TestMarksOfTCPAreThoseOfLinks(t *testing.T) {
	h4 := topo.LinkSpec{Rate: 500 * mbit, Queue: units.MiB, Marking: topo.Marking{Min: 60 * units.KiB, Max: 60 * units.KiB}}
	flow := tcp("bulk", "h2", "h4", traffic.Pattern{Stop: 50 * ms})
	for _, ecn := range []bool{true, false} {
		flow.ECN = ecn
		c := run(t, scene{h4: h4, flows: []job.Flow{flow}}.job(t), images(t))
		f, l := c.Flows[0], linkTo(t, c, "h4")
		if (f.Marks > 0) != ecn || f.Marks != l.Marks || (f.Resent.Packets > 0) == ecn || ecn && f.Throughput() < 0.48e9 {
			t.Errorf("ECN %v: the link marked %d: %.3g bit/s, %+v", ecn, l.Marks, f.Throughput(), f)
		}
	}
}

// Ends of flows stand on the hosts of workers and servers of every kind, and nothing but the
// network connects them.
func TestFlowsOnTheHostsOfJobs(t *testing.T) {
	for _, sys := range []job.System{switchml.System{Elements: 256}, ring.System{}, ps.System{}} {
		t.Run(sys.Name(), func(t *testing.T) {
			j := scene{system: sys, flows: []job.Flow{
				udp("out", "h0", "h1", traffic.Pattern{Rate: 200 * mbit, Packet: 9000}), udp("back", "h1", "h0", traffic.Pattern{Rate: 200 * mbit}),
				tcp("bulk", "h5", "h1", traffic.Pattern{Rate: 100 * mbit, Stop: 50 * ms}), tcp("slow", "h0", "h5", traffic.Pattern{Rate: 10 * mbit, Start: 20 * ms}),
			}}.job(t)
			im := images(t)
			c, again := run(t, j, im), run(t, j, im)
			if c.Wrong > 0 || c.Checked == 0 {
				t.Errorf("%d of %d elements are wrong", c.Wrong, c.Checked)
			}
			for _, f := range c.Flows {
				p := flowOf(j, f.Name).Pattern
				want := units.Bytes(float64(p.Rate) / 8 * f.Active.Seconds())
				if off := f.DeliveredBytes - want; off < -20*p.Packet || off > 2*p.Packet || f.Lost > 0 {
					t.Errorf("%v more than its rate: %+v", off, f)
				}
			}
			if diff := gocmp.Diff(c, again); diff != "" {
				t.Errorf("two runs differ (-one +other):\n%s", diff)
			}
			for _, k := range c.Counters {
				if k.Name == "host-no-such-port" || k.Name == traffic.DropUnexpected {
					t.Errorf("%+v", k)
				}
			}
		})
	}
}

func flowOf(j *job.Job, name string) *job.Flow {
	for i := range j.Flows {
		if j.Flows[i].Name == name {
			return &j.Flows[i]
		}
	}
	return nil
}

// Flows slow a job down whose links they use.
func TestFlowsAreFeltByJobs(t *testing.T) {
	im := images(t)
	alone := run(t, scene{system: ring.System{}}.job(t), im)
	with := run(t, scene{system: ring.System{}, flows: []job.Flow{udp("noise", "h0", "h1", traffic.Pattern{Rate: 800 * mbit})}}.job(t), im)
	if last := len(alone.Samples) - 1; with.Samples[last].End <= alone.Samples[last].End || alone.Flows != nil {
		t.Errorf("the job ends after %v with a flow on its links, after %v without", with.Samples[last].End, alone.Samples[last].End)
	}
}

// Rounds of a replay are not charged while flows go on: no two of them are alike.
func TestRoundsAreNotChargedBesideFlows(t *testing.T) {
	for _, flows := range [][]job.Flow{nil, {udp("noise", "h2", "h3", traffic.Pattern{Rate: 10 * mbit})}} {
		j := scene{}.job(t)
		spec := j.Spec
		spec.Replay, spec.Flows = true, flows
		j, err := job.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		c, err := sim.RunJob(t.Context(), j, images(t), nil)
		if err != nil || (c.Work.Charged > 0) != (flows == nil) {
			t.Errorf("%d rounds charged beside %d flows, error %v", c.Work.Charged, len(flows), err)
		}
	}
}

// runTwo runs a job and another, called b, on the next two hosts.
func runTwo(t *testing.T, first *job.Job) (*job.Set, []result.Cell) {
	t.Helper()
	spec := first.Spec
	spec.ID, spec.Name, spec.On, spec.Flows = 2, "b", []int{2, 3}, nil
	second, err := job.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	set, err := job.NewSet(first, second)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := sim.RunJobs(t.Context(), set, images(t), sim.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	return set, cells
}

// Flows belong to the lab: the record of its first job has them, so that they count once.
func TestFlowsBesideSeveralJobs(t *testing.T) {
	_, cells := runTwo(t, scene{flows: []job.Flow{udp("noise", "h0", "h5", traffic.Pattern{Rate: 10 * mbit})}}.job(t))
	for i, c := range cells {
		if len(c.Flows) != 1-i || i == 0 && c.Flows[0].Delivered == 0 || c.Wrong > 0 || c.Checked == 0 {
			t.Errorf("%d of %d elements wrong, flows %+v", c.Wrong, c.Checked, c.Flows)
		}
	}
}

// A host that costs a flow something delays its packets at both ends.
func TestFlowOnHostsThatCost(t *testing.T) {
	delay := func(h hostmodel.Model) units.Duration {
		j := scene{flows: []job.Flow{udp("steady", "h2", "h3", traffic.Pattern{Rate: 10 * mbit, Stop: 40 * ms})}}.job(t)
		j.FlowHost = h
		c := run(t, j, images(t))
		if f := c.Flows[0]; f.Delivered == 0 || f.Lost > 0 {
			t.Errorf("%+v", f)
		}
		return c.Flows[0].DelayMean
	}
	cost := hostmodel.Defaults().Flow()
	if got, want := delay(cost)-delay(hostmodel.Model{}), 2*cost.Latency; got != want {
		t.Errorf("packets come %v later, want %v", got, want)
	}
}
