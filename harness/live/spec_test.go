package live

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/byteps"
	"github.com/inalab/inalab/harness/system/halving"
	"github.com/inalab/inalab/harness/system/ps"
	ringsystem "github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/tcpagg"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/pktio/tcp"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/ring"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

func TestLabOfAPlan(t *testing.T) {
	p, err := planOf("rack", gen.Params{Hosts: 2})
	if err != nil {
		t.Fatal(err)
	}
	tor := &p.Switches[0]
	host := func(i int) netns.Node {
		return netns.Node{
			Name:      p.Hosts[i].Name,
			Neighbors: []netns.Neighbor{{Addr: tor.Router, MAC: tor.MAC}},
			Routes:    []netns.Route{{Dst: netip.MustParsePrefix("0.0.0.0/0"), Via: tor.Router}},
		}
	}
	wire := func(i int) netns.Wire {
		return netns.Wire{
			A: netns.End{Node: p.Hosts[i].Name, Iface: "eth0", MAC: p.Hosts[i].MAC, Addr: p.Hosts[i].Addr, Offload: true},
			B: netns.End{Node: "tor", Iface: tor.Ports[i].Iface, MAC: tor.Ports[i].MAC, Offload: true},
		}
	}
	want := netns.Spec{Lab: "x", MTU: 9000, Nodes: []netns.Node{{Name: "tor"}, host(0), host(1)}, Wires: []netns.Wire{wire(0), wire(1)}}
	same := cmp.Comparer(func(a, b netip.Addr) bool { return a == b })
	prefix := cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })
	if diff := cmp.Diff(want, LabSpec("x", p, true), same, prefix); diff != "" {
		t.Errorf("lab (-want +got):\n%s", diff)
	}
}

// A worker of a ring calls the one behind it, and listens for the one before it.
func TestRingOfNeighbours(t *testing.T) {
	j := mustJob(t, scene{system: ringsystem.System{}, topology: "rack", hosts: 3})
	for i, w := range workers(j, "/private", false) {
		at := func(k int) netip.Addr { return j.Plan.Hosts[(k+3)%3].Addr.Addr() }
		want := []tcp.Stream{
			ring.Next: {Local: netip.AddrPortFrom(at(i), stream.Port), Remote: netip.AddrPortFrom(at(i+1), stream.Port+1)},
			ring.Prev: {Local: netip.AddrPortFrom(at(i), stream.Port+1), Remote: netip.AddrPortFrom(at(i-1), stream.Port), Passive: true},
		}
		if w.UDP != nil || w.TCP == nil || !slices.Equal(w.TCP.Streams, want) {
			t.Errorf("worker %d: %+v, want streams %+v", i, w.TCP, want)
		}
		if want := "/private/" + j.Plan.Hosts[i].Name + ".tensors"; w.Tensors != want {
			t.Errorf("worker %d writes its tensors to %q, want %q", i, w.Tensors, want)
		}
	}
}

// The streams of every system fit together, those of dedicated servers too: who
// dials finds somebody who listens there for nobody else.
func TestStreamsMeet(t *testing.T) {
	for _, system := range []job.System{
		ringsystem.System{}, halving.System{}, ps.System{}, ps.System{Dedicated: true}, byteps.System{}, tcpagg.System{}, tcpagg.System{Direct: true},
	} {
		j := mustJob(t, scene{system: system, topology: "rack", hosts: 5})
		waiting, dialled := map[tcp.Stream]bool{}, []tcp.Stream{}
		note := func(c *tcp.Config) {
			for _, s := range c.Streams {
				if s.Passive {
					waiting[tcp.Stream{Local: s.Local, Remote: s.Remote}] = true
				} else {
					dialled = append(dialled, s)
				}
			}
		}
		for _, w := range workers(j, "/private", false) {
			note(w.TCP)
		}
		for _, s := range servers(j, false) {
			note(s.TCP)
		}
		for _, s := range dialled {
			if !waiting[tcp.Stream{Local: s.Remote, Remote: s.Local}] {
				t.Errorf("%+v: nobody waits for %+v", system, s)
			}
		}
		if len(dialled) == 0 || len(dialled) != len(waiting) {
			t.Errorf("%+v: %d dial, %d wait", system, len(dialled), len(waiting))
		}
	}
}

// Only what the check needs is traced, and ports have room for a window.
func TestSwitchesOfAJob(t *testing.T) {
	for _, tc := range []struct {
		system job.System
		change func(*job.Spec)
		trace  string
		ring   int
	}{
		{trioml.System{}, nil, "/private/tor.trace", 64},
		{trioml.System{}, func(s *job.Spec) { s.Elements = 1024 }, "", 64},
		{switchml.System{}, nil, "", 64},
		{switchml.System{Slots: 128, Unscaled: true}, nil, "", 256},
		{ringsystem.System{}, nil, "", 64},
		{halving.System{}, nil, "", 96},
		{ps.System{}, nil, "", 256},
	} {
		j := mustJob(t, scene{system: tc.system, topology: "rack", change: tc.change})
		got := switches(job.Alone(j), "/private", true)
		if len(got) != 1 || got[0].TracePath != tc.trace || got[0].RingFrames != tc.ring || !got[0].Plain {
			t.Errorf("%s: trace %q, ring of %d frames, want %q and %d", tc.system.Name(), got[0].TracePath, got[0].RingFrames, tc.trace, tc.ring)
		}
	}
}

type collected []trace.Event

func (c *collected) Event(e *trace.Event) { *c = append(*c, *e) }

func TestReadTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tor.trace")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got collected
	write(`{"at_ps":1,"kind":"block-sent","node":"tor","block":7,"mask":[3,0,0,0]}` + "\n" + `{"at_ps":2,"kind":"block-aged","node":"tor"}` + "\n")
	if err := readTrace(path, &got, false); err != nil {
		t.Fatal(err)
	}
	want := collected{{At: 1, Kind: trace.BlockSent, Node: "tor", Block: 7, Mask: trace.Mask{3}}, {At: 2, Kind: trace.BlockAged, Node: "tor"}}
	if !slices.Equal(got, want) {
		t.Errorf("events %+v, want %+v", got, want)
	}
	write(`{"at_ps":1,"kind":"block-sent","no`)
	if err := readTrace(path, &got, false); err == nil || !strings.Contains(err.Error(), "reading the switch's trace") {
		t.Errorf("a trace that was cut off: %v", err)
	}
	if err := readTrace(path, &got, true); err != nil {
		t.Errorf("one of a switch that was killed: %v", err)
	}
	if err := readTrace(filepath.Join(t.TempDir(), "none"), &got, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a trace that is missing: %v", err)
	}
}

// grown is a system whose servers send to their workers' groups, and whose packets may be marked.
type grown struct {
	job.System
	groups []netip.Addr
}

func (g grown) Layout(j *job.Job) (job.Layout, error) {
	l, err := g.System.Layout(j)
	l.ECN = true
	for _, group := range g.groups {
		l.Trees = append(l.Trees, job.Tree{Group: group, From: 2, To: []int{0, 1}})
	}
	return l, err
}

// Workers join the groups of the trees that lead to them, beside that of the results, and their
// sockets ask for marks.
func TestSocketsOfTrees(t *testing.T) {
	trees := []netip.Addr{plan.Group(0x301), plan.Group(0x401)}
	for _, w := range workers(mustJob(t, scene{system: grown{trioml.System{}, trees}, topology: "rack", hosts: 3}), "/private", false) {
		want := []netip.Addr{plan.Group(job.DefaultID)}
		if w.Worker.Loop.Node != "h2" {
			want = append(want, trees...)
		}
		if !slices.Equal(w.UDP.Groups, want) || !w.UDP.ECN {
			t.Errorf("%s joins %v (ECN: %v), want %v", w.Worker.Loop.Node, w.UDP.Groups, w.UDP.ECN, want)
		}
	}
}

// Workers and the servers that they send datagrams to know each other's MACs, where they are behind
// one switch: the kernel would drop what comes before an answer to ARP.
func TestNeighborsOfServers(t *testing.T) {
	j := mustJob(t, scene{system: atp.System{}, topology: "rack", hosts: 2})
	spec := withPeers(LabSpec("x", j.Plan, true), job.Alone(j))
	h := j.Plan.Hosts
	for i, want := range [][]int{{2}, {2}, {0, 1}} {
		n := spec.Nodes[slices.IndexFunc(spec.Nodes, func(n netns.Node) bool { return n.Name == h[i].Name })]
		got := n.Neighbors[1:] // behind the gateway
		if len(got) != len(want) {
			t.Fatalf("%s knows %v, want hosts %v", h[i].Name, got, want)
		}
		for k, w := range want {
			if (got[k] != netns.Neighbor{Addr: h[w].Addr.Addr(), MAC: h[w].MAC}) {
				t.Errorf("%s knows %v, want host %d", h[i].Name, got[k], w)
			}
		}
	}
}
