package xagg

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/job/jobtest"
	"github.com/inalab/inalab/harness/system/aggtree"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	agent "github.com/inalab/inalab/nodes/xaggd"
)

var (
	_ job.Staffed      = System{}
	_ job.Configurable = System{}
	_ job.Benched      = System{}
	_ job.Outliver     = System{}
	_ job.Tallied      = System{}
)

// spec is a job of so many workers, and of the servers that the system needs.
func spec(t *testing.T, s System, workers int) job.Spec {
	t.Helper()
	out := jobtest.Staffed(t, s, "rack", workers)
	out.Virtual = true
	return out
}

// configs returns what the hosts of a job are told, in their order.
func configs(t *testing.T, j *job.Job) (out []hostConfig) {
	t.Helper()
	for _, c := range append(append([]any{}, j.Layout.Cores...), j.Layout.Dedicated...) {
		out = append(out, c.(hostConfig))
	}
	return out
}

// common returns what an agent of any kind is told.
func (c hostConfig) common() agent.Common {
	switch {
	case c.Worker != nil:
		return c.Worker.Common
	case c.Server != nil:
		return c.Server.Common
	}
	return c.Root.Common
}

// places tells the tree by names: parents of workers, and children with all below them.
func places(list []hostConfig) string {
	var out []string
	for _, c := range list {
		switch {
		case c.Worker != nil:
			out = append(out, c.Worker.Node+":"+c.Worker.Parent.Node)
		case c.Server != nil && c.Server.Spare:
			out = append(out, c.Server.Node+":spare")
		case c.Server != nil:
			out = append(out, c.Server.Node+":"+c.Server.Parent.Node+childrenOf(c.Server.Children))
		default:
			out = append(out, c.Root.Node+childrenOf(c.Root.Children))
		}
	}
	return strings.Join(out, " ")
}

func childrenOf(list []agent.Child) (text string) {
	for _, c := range list {
		text += fmt.Sprintf(",%s/%d", c.Node, bits.OnesCount32(c.Below))
	}
	return text
}

// Hosts are told their places in the tree, the parameter server is the last, and spare servers wait
// between.
func TestPlaces(t *testing.T) {
	kary := "h0:h7 h1:h7 h2:h7 h3:h8 h4:h8 h5:h8 h6:h9 h7:h9,h0/0,h1/0,h2/0 h8:h9,h3/0,h4/0,h5/0 h9,h6/0,h7/3,h8/3"
	star := "h0:h7 h1:h7 h2:h7 h3:h7 h4:h7 h5:h7 h6:h7 h7,h0/0,h1/0,h2/0,h3/0,h4/0,h5/0,h6/0"
	for _, c := range []struct {
		system System
		want   string
	}{
		{System{}, kary},
		{System{Mode: conductor.Testbed}, kary},
		{System{Mode: conductor.Star}, star},
		{System{Spares: 1}, "h0:h7 h1:h7 h2:h7 h3:h8 h4:h8 h5:h8 h6:h10 h7:h10,h0/0,h1/0,h2/0 h8:h10,h3/0,h4/0,h5/0 h9:spare h10,h6/0,h7/3,h8/3"},
		{System{Mode: conductor.Plan}, "h0:h9 h1:h9 h2:h9 h3:h9 h4:h9 h5:h9 h6:h9 h7:spare h8:spare h9,h0/0,h1/0,h2/0,h3/0,h4/0,h5/0,h6/0"},
	} {
		j := jobtest.New(t, spec(t, c.system, 7))
		list := configs(t, j)
		if got := places(list); got != c.want {
			t.Errorf("%+v: %s\nwant %s", c.system, got, c.want)
		}
		for i := range list {
			if of := list[i].common(); of.ID != 1<<i || of.Job != uint16(j.ID) || of.Fragments != 16 || of.Root.Node != list[len(list)-1].Root.Node {
				t.Errorf("%s: id %b, job %d, %d fragments, root %s", of.Node, of.ID, of.Job, of.Fragments, of.Root.Node)
			}
		}
	}
}

// The parameter server knows how many iterations there are, and sends results again as fast as the
// slowest worker takes them.
func TestRoot(t *testing.T) {
	s := spec(t, System{}, 3)
	s.Plan.Switches[0].Ports[s.Plan.Hosts[1].SwitchPort].Out.Rate = 200 * units.MbitPerSecond
	s.Plan.Switches[0].Ports[s.Plan.Hosts[2].SwitchPort].In.Rate = 100 * units.MbitPerSecond
	list := configs(t, jobtest.New(t, s))
	root := list[len(list)-1].Root
	if root.Iterations != s.Iterations || root.ResultRate != 200*units.MbitPerSecond || len(root.Workers) != 3 {
		t.Errorf("%d iterations, results at %v to %d workers", root.Iterations, root.ResultRate, len(root.Workers))
	}
	if w := list[2].Worker; w.Egress != 100*units.MbitPerSecond || w.Ingress != units.GbitPerSecond {
		t.Errorf("%s has %v in and %v out", w.Node, w.Ingress, w.Egress)
	}
	if root.Ingress != units.GbitPerSecond || root.Conductor.Model != 4*4096 || len(root.Conductor.Servers) != 0 {
		t.Errorf("%v, %+v", root.Ingress, root.Conductor)
	}
}

// Behind a router the next hop is the gateway; on one switch it is the host itself. Servers stand on
// the last leaf.
func TestNextHops(t *testing.T) {
	s := jobtest.Spec(t, System{}, "rack", 2)
	s.Plan, s.Servers, s.Virtual, s.System = jobtest.LeafSpine(t), 2, true, System{K: 3}
	j := jobtest.New(t, s)
	hosts := j.Members()
	for i, c := range configs(t, j) {
		var peers []agent.Peer
		switch {
		case c.Worker != nil:
			peers = append(c.Worker.Hosts, c.Worker.Parent, c.Worker.Root)
		case c.Server != nil:
			peers = append(c.Server.Hosts, c.Server.Parent)
		default:
			peers = append(c.Root.Hosts, c.Root.Workers...)
		}
		for _, p := range peers {
			to := &hosts[bits.TrailingZeros32(p.ID)]
			want := to.MAC
			if to.Switch != hosts[i].Switch {
				want = hosts[i].GatewayMAC
			}
			if p.Node != to.Name || p.MAC != inet.MAC(want) || p.Addr != to.Addr.Addr() {
				t.Errorf("%s sends to %s by %v, want %v", hosts[i].Name, p.Node, p.MAC, want)
			}
		}
	}
}

// The analytic time, worked out by hand for 4096 elements on links of 1 Gbit/s: 16 packets of 1072
// bytes with 24 of framing, as often as the busiest link has them, and once more for each level of the tree.
func TestTime(t *testing.T) {
	packets := func(n int) units.Duration { return units.Duration(n*(1072+24)*8) * units.Nanosecond }
	for _, c := range []struct {
		system System
		want   units.Duration
	}{
		{System{Prompt: true}, packets(3*16 + 3)},                                                      // a server has three children
		{System{}, packets(3*16+3) + 12*units.Millisecond},                                             // and rates take the paper's time
		{System{Prompt: true, Mode: conductor.Star}, packets(7*16 + 2)},                                // seven
		{System{Prompt: true, Mode: conductor.Plan}, packets(7*16 + 2)},                                // at first
		{System{Prompt: true, Values: 32}, units.Duration((3*128+3)*(48+128+24)*8) * units.Nanosecond}, // more packets
	} {
		if got := jobtest.New(t, spec(t, c.system, 7)).Layout.Time; got != c.want {
			t.Errorf("%+v takes %v, want %v", c.system, got, c.want)
		}
	}
}

// Under the virtual clock the elements are in memory; live they ask for XDP but where a socket is wanted.
func TestXDPIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		store         Store
		virtual, want bool
	}{{Probe, true, false}, {Probe, false, true}, {Kernel, false, true}, {Socket, false, false}} {
		s := spec(t, System{Store: c.store}, 3)
		s.Virtual = c.virtual
		if l := jobtest.New(t, s).Layout; l.XDP != c.want || l.Protocol != 253 {
			t.Errorf("%+v: XDP %v, protocol %d", c, l.XDP, l.Protocol)
		}
	}
}

func TestRefused(t *testing.T) {
	for want, change := range map[string]func(*job.Spec){
		"xagg needs 3 hosts behind 7 workers, the last for the parameter server, but there are 0": func(s *job.Spec) { s.Plan, s.Servers = jobtest.Plan(t, "rack", 7), 0 },
		"33 hosts: host ids have a bit for each of 32 workers, servers and the parameter server (XAgg §IV-A): use fewer hosts": func(s *job.Spec) {
			s.System, s.Plan, s.Servers = System{Mode: conductor.Star}, jobtest.Plan(t, "rack", 33), 1
		},
		"xagg.busy-server=3: there are 2 servers beside the parameter server, counted from 1": func(s *job.Spec) { s.System = System{Busy: Busy{Server: 3}} },
	} {
		s := spec(t, System{}, 7)
		change(&s)
		if _, err := job.New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}

// A job goes on without any server, but not without the parameter server.
func TestOutlives(t *testing.T) {
	j := jobtest.New(t, spec(t, System{Spares: 1}, 7))
	for _, h := range j.ServerHosts() {
		if err := (System{}).Outlives(j, h.Name); (err != nil) != (h.Name == "h10") {
			t.Errorf("without %s: %v", h.Name, err)
		}
	}
}

// A busy server is told of its load by number, with nothing idle.
func TestBusy(t *testing.T) {
	j := jobtest.New(t, spec(t, System{Busy: Busy{Server: 2, At: units.Second}}, 7))
	for _, c := range configs(t, j) {
		if is := c.common().Node == "h8"; is != (c.Busy != nil) {
			t.Fatalf("%s: busy %+v", c.common().Node, c.Busy)
		} else if is && (c.Busy.At != units.Second || c.Busy.Load.Cores != 0 || c.Busy.Load.Total != c.Server.Load.Total || c.Server.Load.Cores != DefaultCores) {
			t.Errorf("%+v, before %+v", c.Busy, c.Server.Load)
		}
	}
}

// Servers cannot be fewer than the tree has, and the knobs say how many that is.
func TestServers(t *testing.T) {
	for _, c := range []struct {
		system        System
		workers, want int
	}{
		{System{}, 3, 1}, {System{}, 4, 2}, {System{}, 7, 3}, {System{K: 2}, 7, aggtree.Servers(aggtree.KAry, 7, 2)},
		{System{Mode: conductor.Star}, 31, 1}, {System{Mode: conductor.Testbed}, 7, 3}, {System{Mode: conductor.Plan, Spares: 2}, 7, 5},
	} {
		if got := c.system.Servers(c.workers); got != c.want {
			t.Errorf("%+v beside %d workers: %d servers, want %d", c.system, c.workers, got, c.want)
		}
	}
}
