package chassis

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	wireatp "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/forward"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/program/atp/reference"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// atpConfig is a rack whose last host is the server of all others.
func atpConfig(p *plan.Plan) Config {
	sw, last := p.Switches[0], len(p.Hosts)-1
	server := atp.Server{Addr: p.Hosts[last].Addr.Addr(), Ports: []sansio.Port{sansio.Port(p.Hosts[last].SwitchPort)}}
	group := forward.Group{Addr: plan.Group(7)}
	for w := range last {
		at := []sansio.Port{sansio.Port(p.Hosts[w].SwitchPort)}
		group.Ports = append(group.Ports, at...)
		server.Levels[0].Sources = append(server.Levels[0].Sources, atp.Source{Bit: uint8(w), Ports: at, Name: p.Hosts[w].Name, Workers: []uint8{uint8(w)}})
	}
	program := atp.Config{Node: sw.Name, Aggregators: 100, Jobs: []atp.Job{{ID: 3, Servers: []atp.Server{server}}}}
	return Config{Switch: sw, MTU: p.MTU, Seed: 1, Groups: []forward.Group{group}, Programs: []json.RawMessage{encoded(program)}}
}

func newATP(_ string, config json.RawMessage, _ trace.Sink) (dataplane.Engine, error) {
	var cfg atp.Config
	if err := json.Unmarshal(config, &cfg); err != nil {
		return nil, err
	}
	return reference.New(cfg)
}

func atpTrain(h *plan.Host, f inet.Flow, flags wireatp.Flags, numbers ...uint32) sansio.Arrival {
	var packets [][]byte
	for _, n := range numbers {
		b := make([]byte, wireatp.HeaderLen)
		header := wireatp.Header{Bitmaps: [2]uint32{1 << h.Index, 1}, Job: 3, Sequence: n, Index: uint16(n), FanIns: [2]uint8{2, 1}, Flags: flags}
		header.Put(b)
		packets = append(packets, append(b, gradients(h.Index, int(n), wireatp.Values)...))
	}
	return sansio.Arrival{Port: sansio.Port(h.SwitchPort), Train: trainOf(f, packets...)}
}

// Gradients of workers are one packet on the way to their server, which is forwarded as any other; its
// parameters go to the group of the workers, and what is no longer needed is freed.
func TestATPOnTheWay(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	c, err := New(atpConfig(p), newATP, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, c: c}
	server := &p.Hosts[2]
	for w := range 2 {
		f := from(&p.Hosts[w], wireatp.Port)
		f.DstMAC, f.Dst = inet.MAC(server.MAC), server.Addr.Addr()
		r.handle(0, atpTrain(&p.Hosts[w], f, 0, 1, 2, 3))
	}
	r.wantATP(r.take(), server.SwitchPort, []string{"11/1", "11/1", "11/1"}, []int{0, 1})
	f := from(server, wireatp.Port)
	f.Dst = plan.Group(7)
	f.DstMAC = inet.MulticastMAC(f.Dst)
	r.handle(0, atpTrain(server, f, wireatp.IsAck, 1, 2, 3))
	if out := r.take(); len(out) != 6 || slices.ContainsFunc(out, func(d delivery) bool { return int(d.Port) == server.SwitchPort }) {
		t.Errorf("%d parameter packets leave, want 3 to each of 2 workers", len(out))
	}
	counts := c.Counters()
	for name, want := range map[string]uint64{"engine/atp-results": 3, "engine/atp-aggregators-freed-by-parameter": 3, "engine/atp/3/atp-parameters": 3} {
		if got := sansio.CountOf(counts, name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// wantATP checks sums that left by a port: bitmaps, and values of numbers from 1 on.
func (r *rig) wantATP(out []delivery, port int, bitmaps []string, workers []int) {
	r.t.Helper()
	if len(out) != len(bitmaps) {
		r.t.Fatalf("%d packets leave, want %d", len(out), len(bitmaps))
	}
	for i, d := range out {
		l, problem := inet.Parse(d.Frame)
		var h wireatp.Header
		if bad := h.Read(d.Frame[l.Body:], 0); problem != inet.OK || bad != wireatp.OK || int(d.Port) != port || int(h.Sequence) != i+1 {
			r.t.Fatalf("number %d leaves by port %d (%s%s)", h.Sequence, d.Port, problem, bad)
		}
		if got := fmt.Sprintf("%b/%b", h.Bitmaps[0], h.Bitmaps[1]); got != bitmaps[i] {
			r.t.Errorf("number %d is of %s, want %s", h.Sequence, got, bitmaps[i])
		}
		if got, want := values(d.Frame[l.Body+wireatp.HeaderLen:]), sumOf(workers, i+1, wireatp.Values); !slices.Equal(got, want) {
			r.t.Errorf("number %d has %v, want %v", h.Sequence, got, want)
		}
	}
}
