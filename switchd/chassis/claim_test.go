package chassis

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wireswitch "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/gen"
)

// An engine sees of a frame where it comes from or goes to, whether it is addressed to
// the switch, and what is wrong with it; ARP only where it asks.
func TestWhatAnEngineIsTold(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	a, b := &p.Hosts[0], &p.Hosts[1]
	seen := map[string][]string{}
	for _, want := range []dataplane.Wants{{Transit: true}, {Leaving: true}, {Transit: true, Leaving: true, ARP: true}} {
		for kind, frame := range frameKinds {
			if kind == "udp" || kind == "tcp" {
				continue // drawn
			}
			x := crossing{Config: Config{Switch: p.Switches[0], MTU: p.MTU}}
			x.add(0, "looking", &chassistest.Transit{Want: want, Claim: func(f dataplane.Frame) dataplane.Claim {
				seen[kind] = append(seen[kind], fmt.Sprintf("%d leaving %v own %v %s", f.Port, f.Leaving, f.Own, f.Problem))
				return dataplane.NotMine
			}})
			x.rig(t).handle(0, sansio.Arrival{Port: 0, Train: frame(nil, a, b)})
		}
	}
	toB := []string{"0 leaving false own false ", "1 leaving true own false ", "0 leaving false own false ", "1 leaving true own false "}
	unforwarded := func(problem string) []string {
		return []string{"0 leaving false own false " + problem, "0 leaving false own false " + problem}
	}
	answered := []string{ // an engine that wants what leaves is asked about own frames, too
		"0 leaving false own true ", "0 leaving false own true ", "0 leaving true own false ", "0 leaving false own true ", "0 leaving true own false ",
	}
	want := map[string][]string{
		"tcp, summed": toB, "ping": toB, "padded": toB,
		"ping of the router": answered, "nobody listens": answered,
		"expired":      {"0 leaving false own false ", "0 leaving true own false ", "0 leaving false own false ", "0 leaving true own false "},
		"fragment":     {"0 leaving false own false ip-fragment", "1 leaving true own false ip-fragment", "0 leaving false own false ip-fragment", "1 leaving true own false ip-fragment"},
		"malformed":    unforwarded("bad-ip-length"),
		"ipv6":         unforwarded("not-ipv4"),
		"experimental": unforwarded("not-ipv4"),
		"arp":          {"0 leaving false own false not-ipv4", "1 leaving true own false not-ipv4", "2 leaving true own false not-ipv4"},
		"arp, router":  {"0 leaving false own false not-ipv4", "0 leaving true own false not-ipv4"},
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// Two engines that claim a frame to the switch get none of it, and the drop names both.
func TestClaimedTwice(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 2})
	for _, want := range []dataplane.Wants{{}, {Transit: true}} {
		x := crossing{Config: switchmlConfig(p, 4).config()}
		x.add(0, "greedy", &chassistest.Transit{Want: want, Claim: func(f dataplane.Frame) dataplane.Claim { return dataplane.MineIf(f.Own) }})
		r := x.rig(t)
		r.handle(0, switchmlTrain(&p.Hosts[0], 0, 1), switchmlTrain(&p.Hosts[1], 0))
		drops := []sansio.Count{{Name: "chassis/claimed-twice/engine+engine/greedy", N: 3}}
		if diff := cmp.Diff(drops, r.c.UnaskedDrops()); diff != "" || len(r.take()) > 0 {
			t.Errorf("drops (-want +got):\n%s", diff)
		}
	}
}

// An engine may take frames to the switch without a system, and its claim of others
// counts for nothing.
func TestMineIsForOwnFrames(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 2})
	for _, want := range []dataplane.Wants{{}, {Transit: true}} {
		x := crossing{Config: Config{Switch: p.Switches[0]}}
		x.add(0, "greedy", &chassistest.Transit{Want: want, Claim: func(dataplane.Frame) dataplane.Claim { return dataplane.Mine },
			Do: func(at sansio.Port, _ *sansio.Train) chassistest.Verdict { return chassistest.Verdict{Drop: at == 0} }})
		r := x.rig(t)
		r.handle(0, sansio.Arrival{Train: echoRequest(from(&p.Hosts[0], 0))}, hostTrain(&p.Hosts[0], &p.Hosts[1], 1, 9))
		if got := r.take(); len(got) != 1 || got[0].Port != 1 {
			t.Errorf("%+v: delivered %v, want the frame to the other host", want, got)
		}
	}
}

// An own frame goes from the engine in transit to that of the system, and a result of the
// system past the engine that sees what leaves; each sees its frames once.
func TestTransitBesideASystem(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 2})
	for _, server := range []impair.Params{{}, {PerFrame: 3 * us}} {
		x := crossing{Config: switchmlConfig(p, 4).config()}
		x.Servers = []impair.Params{server}
		in, out := &chassistest.Transit{Want: dataplane.Wants{Transit: true}}, &chassistest.Transit{Want: dataplane.Wants{Leaving: true}}
		x.add(0, "in", in)
		x.add(0, "out", out)
		r := x.rig(t)
		for i := range p.Hosts {
			r.handle(0, switchmlTrain(&p.Hosts[i], 0, 1))
		}
		r.until(units.Time(units.Millisecond))
		for _, d := range r.take() {
			h, problem := wireswitch.Parse(d.Frame[inet.UDPHeaders:])
			if problem != wireswitch.OK || !slices.Equal(values(d.Frame[inet.UDPHeaders+wireswitch.HeaderLen:]), sumOf([]int{0, 1}, int(h.Slot), 64)) {
				t.Errorf("result of slot %d on port %d: %s", h.Slot, d.Port, problem)
			}
		}
		want := []sansio.Count{
			{Name: "engine/in/transit-frames", N: 4}, {Name: "engine/out/transit-frames", N: 4},
			{Name: "engine/switchml-packets", N: 4}, {Name: "engine/switchml-results", N: 2},
		}
		if diff := cmp.Diff(want, r.c.Counters()); diff != "" {
			t.Errorf("counters differ (-want +got):\n%s", diff)
		}
	}
}

// The system's own engine may be on the way of frames, too, with a server before it: it
// still sees where each came from.
func TestSystemInTransitBehindAServer(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	var ports []sansio.Port
	x := crossing{
		Config:  Config{Switch: p.Switches[0], Programs: []json.RawMessage{encoded("system")}, Servers: []impair.Params{{PerFrame: us}}},
		engines: map[string]*chassistest.Transit{},
	}
	x.engines["system"] = &chassistest.Transit{Want: dataplane.Wants{Transit: true, ARP: true}, Do: func(at sansio.Port, _ *sansio.Train) chassistest.Verdict {
		ports = append(ports, at)
		return chassistest.Verdict{}
	}}
	r := x.rig(t)
	for i := range p.Hosts {
		r.handle(0, hostTrain(&p.Hosts[i], &p.Hosts[(i+1)%3], 2, 100), sansio.Arrival{Port: sansio.Port(i), Train: etherFrame(&p.Hosts[i], &p.Hosts[0], typeExperimental, 46)})
	}
	r.until(units.Time(units.Second))
	want := []sansio.Port{0, 0, 0, 1, 1, 1, 2, 2, 2}
	for i := range want {
		want[i] = dataplane.Inbound(want[i])
	}
	if !slices.Equal(ports, want) {
		t.Errorf("frames came by %v, want %v", ports, want)
	}
	got := r.take()
	for i, d := range got {
		if inet.Ether(d.Frame).Dst() != inet.MAC(p.Hosts[d.Port].MAC) {
			t.Errorf("frame %d to %x is on port %d", i, inet.Ether(d.Frame).Dst(), d.Port)
		}
	}
	if len(got) != 6 || got[5].At != units.Time(8*us) {
		t.Errorf("%d frames, the last at %v; want 6, and eight times the time of one", len(got), got[len(got)-1].At)
	}
}
