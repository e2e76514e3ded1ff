package job_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/nodes/train/profiles"
)

const (
	mbit = units.MbitPerSecond
	ms   = units.Millisecond
)

// flowSpec is a training on a leaf and spine of six hosts, with flows.
func flowSpec(t *testing.T, flows ...job.Flow) job.Spec {
	t.Helper()
	s := jobtest.Spec(t, ring.System{}, "rack", 2)
	s.Plan, s.Elements, s.Scale, s.Flows = jobtest.LeafSpine(t), 0, 2000, flows
	return s
}

func tcpFlow(name, from, to string) job.Flow {
	return job.Flow{Name: name, Kind: job.FlowTCP, From: from, To: to}
}

// Each flow has a port of its own, both of its ends are addressed to each other, by the gateway
// if they are on different switches; sizes of packets are filled in.
func TestFlowEnds(t *testing.T) {
	udp := job.Flow{Name: "b", Kind: job.FlowUDP, From: "h1", To: "h0", Pattern: traffic.Pattern{Rate: mbit}}
	flows := []job.Flow{tcpFlow("a", "h0", "h5"), udp}
	j := jobtest.New(t, flowSpec(t, flows...))
	if flows[0].Pattern.Packet != 0 || j.Flows[0].Pattern.Packet != job.DefaultWrite || j.Flows[1].Pattern.Packet != job.DefaultDatagram {
		t.Errorf("packets of %v and %v", j.Flows[0].Pattern.Packet, j.Flows[1].Pattern.Packet)
	}
	h := j.Plan.Hosts
	type end struct {
		flow, host string
		sends      bool
		port       uint16
		to         string
		mac        inet.MAC
	}
	var got []end
	for _, e := range job.Alone(j).FlowEnds() {
		if e.Addr.SrcPort != e.Addr.DstPort || e.Addr.Src != e.Host.Addr.Addr() || e.Addr.SrcMAC != inet.MAC(e.Host.MAC) {
			t.Errorf("%s at %s sends as %+v", e.Name, e.Host.Name, e.Addr)
		}
		got = append(got, end{e.Name, e.Host.Name, e.Sends, e.Addr.DstPort, e.Addr.Dst.String(), e.Addr.DstMAC})
	}
	want := []end{
		{"a", "h0", true, 20000, h[5].Addr.Addr().String(), inet.MAC(h[0].GatewayMAC)},
		{"a", "h5", false, 20000, h[0].Addr.Addr().String(), inet.MAC(h[5].GatewayMAC)},
		{"b", "h1", true, 20001, h[0].Addr.Addr().String(), inet.MAC(h[0].MAC)},
		{"b", "h0", false, 20001, h[1].Addr.Addr().String(), inet.MAC(h[1].MAC)},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(end{})); diff != "" {
		t.Errorf("ends (-want +got):\n%s", diff)
	}
}

func TestFlowsAreRefused(t *testing.T) {
	many := make([]job.Flow, job.MaxFlows+1)
	for i := range many {
		many[i] = tcpFlow(fmt.Sprint("f", i), "h0", "h1")
	}
	negative := tcpFlow("a", "h0", "h1")
	negative.Pattern.Start = -ms
	benchmark := flowSpec(t, tcpFlow("a", "h0", "h1"))
	benchmark.Elements = 4096
	for want, s := range map[string]job.Spec{
		"two flows are called a":                                                          flowSpec(t, tcpFlow("a", "h0", "h1"), tcpFlow("a", "h1", "h2")),
		"has no host \"h6\", its hosts are h0 to h5":                                      flowSpec(t, tcpFlow("a", "h6", "h1")),
		"257 flows: a lab takes 256":                                                      flowSpec(t, many...),
		"flow a: rate and times must not be negative":                                     flowSpec(t, negative),
		"a benchmark has the links for itself":                                            benchmark,
		`flow a: options of IP headers are for UDP: leave them out, or make it kind: udp`: flowSpec(t, job.Flow{Name: "a", From: "h0", To: "h1", Kind: job.FlowTCP, Options: true}),
		`flow a: packets of 44B: they hold headers, number and time in 48B or more`: flowSpec(t, job.Flow{
			Name: "a", From: "h0", To: "h1", Kind: job.FlowUDP, Options: true, Pattern: traffic.Pattern{Rate: mbit, Packet: 44},
		}),
		`flow a: kind "": allowed are udp and tcp`:        flowSpec(t, job.Flow{Name: "a", From: "h0", To: "h1"}),
		"flow a: it goes from h0 to itself: name another": flowSpec(t, tcpFlow("a", "h0", "h0")),
	} {
		if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	p := jobtest.Plan(t, "rack", 6)
	second := jobtest.Tenant(t, p, 2, trioml.System{}, 2, 3)
	second.Flows = []job.Flow{tcpFlow("a", "h0", "h1")}
	if _, err := job.NewSet(jobtest.Tenant(t, p, 1, trioml.System{}, 0, 1), second); err == nil || !strings.Contains(err.Error(), "job 2 has programs, flows or changes beside it: give them to the first job") {
		t.Errorf("error %v", err)
	}
}

// A flow is active from its start to its stop, to the end of the run, or to its last bytes.
func TestRecordOfAFlow(t *testing.T) {
	f := tcpFlow("a", "h0", "h1")
	f.Pattern.Start = 10 * ms
	at := func(d units.Duration) units.Time { return units.Time(d) }
	for _, c := range []struct{ stop, last, end, active units.Duration }{
		{0, 20 * ms, 90 * ms, 80 * ms}, {0, 95 * ms, 90 * ms, 85 * ms}, {50 * ms, 40 * ms, 90 * ms, 40 * ms},
		{50 * ms, 60 * ms, 90 * ms, 50 * ms}, {50 * ms, 20 * ms, 30 * ms, 20 * ms}, {50 * ms, 0, 5 * ms, 0},
	} {
		f.Pattern.Stop = c.stop
		if got := f.Record(traffic.Sent{}, traffic.Received{Last: at(c.last)}, at(c.end)).Active; got != c.active {
			t.Errorf("%+v: active for %v", c, got)
		}
	}
	got := f.Record(traffic.Sent{Packets: 5, Bytes: 500, Resent: result.Resent{Packets: 1, Bytes: 90}, Echoes: 2},
		traffic.Received{Packets: 4, Bytes: 400, Lost: 1, Reordered: 3, Marks: 6, Last: at(20 * ms), DelaySum: 8 * ms, DelayMax: 5 * ms}, at(60*ms))
	want := result.Flow{
		Name: "a", Kind: "tcp", From: "h0", To: "h1", Sent: 5, SentBytes: 500, Delivered: 4, DeliveredBytes: 400, Active: 40 * ms,
		Lost: 1, Reordered: 3, Marks: 8, Resent: result.Resent{Packets: 1, Bytes: 90}, DelayMean: 2 * ms, DelayMax: 5 * ms,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

// Beside a job whose hosts cost something, hosts cost flows something.
func TestFlowsNeedHostsThatCost(t *testing.T) {
	spec := jobtest.Spec(t, switchml.System{}, "rack", 4)
	spec.Elements, spec.Model = 0, profiles.All()[0]
	spec.Virtual, spec.Host = true, hostmodel.Defaults().RDMA()
	spec.Flows = []job.Flow{{Name: "bulk", Kind: job.FlowTCP, From: "h0", To: "h1"}}
	if _, err := job.New(spec); err == nil || !strings.Contains(err.Error(), "set FlowHost") {
		t.Errorf("a flow at no cost beside a job at some: %v", err)
	}
	spec.FlowHost = hostmodel.Defaults().Flow()
	if _, err := job.New(spec); err != nil {
		t.Error(err)
	}
	spec.Virtual, spec.Host = false, hostmodel.Model{}
	if _, err := job.New(spec); err == nil || !strings.Contains(err.Error(), "virtual clock only") {
		t.Errorf("hosts that cost live flows something: %v", err)
	}
}
