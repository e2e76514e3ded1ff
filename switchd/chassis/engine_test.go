package chassis

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wireswitch "github.com/inalab/inalab/internal/wire/switchml"
	wiretrio "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// links are the settings that results must not depend on.
var links = map[string]topo.LinkSpec{"ideal": {}, "shaped": shaped(hundredG)}

func TestSwitchMLRack(t *testing.T) {
	for name, spec := range links {
		t.Run(name, func(t *testing.T) {
			p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3, Link: spec})
			r := newRig(t, switchmlConfig(p, 8).config())
			for i := range p.Hosts {
				r.handle(units.Time(i)*1000, switchmlTrain(&p.Hosts[i], 0, 1, 2, 3))
			}
			r.until(units.Time(units.Millisecond))
			got := map[string]int{}
			for _, d := range r.take() {
				h, problem := wireswitch.Parse(d.Frame[inet.UDPHeaders:])
				if problem != wireswitch.OK {
					t.Fatalf("result on port %d is %s", d.Port, problem)
				}
				if diff := cmp.Diff(sumOf([]int{0, 1, 2}, int(h.Slot), 64), values(d.Frame[inet.UDPHeaders+wireswitch.HeaderLen:])); diff != "" {
					t.Errorf("slot %d on port %d differs (-want +got):\n%s", h.Slot, d.Port, diff)
				}
				if dst := inet.Ether(d.Frame).Dst(); dst != inet.MAC(p.Hosts[d.Port].MAC) {
					t.Errorf("result on port %d is addressed to %x", d.Port, dst)
				}
				got[fmt.Sprintf("port %d slot %d", d.Port, h.Slot)]++
			}
			if len(got) != 12 {
				t.Errorf("results %v, want one for each of three ports and four slots", got)
			}
			if n := r.c.UnaskedDrops(); len(n) != 0 {
				t.Errorf("drops %v", n)
			}
		})
	}
}

// TestTrioHierarchy is the paper's testbed: six servers over two PFEs, the sum
// of all at PFE4, one copy to each server.
func TestTrioHierarchy(t *testing.T) {
	for name, spec := range links {
		for fabricName, fabric := range links {
			t.Run(name+" links, "+fabricName+" fabric", func(t *testing.T) {
				p := chassistest.Plan(t, "mx480", gen.Params{Link: spec, Fabric: fabric})
				r := newRig(t, trioConfig(p).config())
				for i := range p.Hosts {
					r.handle(0, trioTrain(&p.Hosts[i], 16, 0, 1, 2))
				}
				r.until(units.Time(units.Millisecond))
				wantTrioResults(t, r.take(), 3, 16, []int{0, 1, 2, 3, 4, 5}, false)
				if n := r.c.UnaskedDrops(); len(n) != 0 {
					t.Errorf("drops %v", n)
				}
			})
		}
	}
}

// wantTrioResults wants each block once on each of the six servers' ports.
func wantTrioResults(t *testing.T, got []delivery, blocks, n int, sources []int, degraded bool) {
	t.Helper()
	seen := map[string]int{}
	for _, d := range got {
		h, problem := wiretrio.Parse(d.Frame[inet.UDPHeaders:])
		if problem != wiretrio.OK {
			t.Fatalf("result on port %d is %s", d.Port, problem)
		}
		if int(h.SrcCnt) != len(sources) || h.Degraded != degraded {
			t.Errorf("block %d on port %d: %d sources, degraded %v; want %d, %v", h.Block, d.Port, h.SrcCnt, h.Degraded, len(sources), degraded)
		}
		if diff := cmp.Diff(sumOf(sources, int(h.Block), n), values(d.Frame[inet.UDPHeaders+wiretrio.HeaderLen:])); diff != "" {
			t.Errorf("block %d on port %d differs (-want +got):\n%s", h.Block, d.Port, diff)
		}
		if inet.Ether(d.Frame).Dst() != inet.MulticastMAC(inet.IPv4(d.Frame[inet.EtherLen:]).Dst()) {
			t.Errorf("result on port %d goes to MAC %x", d.Port, inet.Ether(d.Frame).Dst())
		}
		seen[fmt.Sprintf("port %d block %d", d.Port, h.Block)]++
	}
	for _, port := range []int{0, 1, 2, 4, 5, 6} {
		for b := range blocks {
			if k := fmt.Sprintf("port %d block %d", port, b); seen[k] != 1 {
				t.Errorf("%s came %d times, want once", k, seen[k])
			}
		}
	}
	if len(seen) != 6*blocks {
		t.Errorf("results %v, want %d", seen, 6*blocks)
	}
}

// A missing source degrades the result: PFE2 ages its record T to 2T after the
// last packet, and PFE4 passes the sum of five on. The top level has twice the
// timeout: with the same one its timer thread fires at the same instant, before
// the degraded result of PFE2 has crossed the fabric.
func TestTrioDegraded(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{Link: shaped(hundredG), Fabric: shaped(hundredG)})
	cfg := trioConfig(p)
	cfg.TrioML[cfg.Switch.Chassis.Top].Timeout = 2 * trioml.DefaultTimeout
	r := newRig(t, cfg.config())
	for i := range p.Hosts[:5] {
		r.handle(0, trioTrain(&p.Hosts[i], 16, 0, 1))
	}
	r.until(units.Time(trioml.DefaultTimeout))
	if got := r.take(); len(got) != 0 {
		t.Errorf("%d frames before the timeout", len(got))
	}
	r.until(units.Time(4 * trioml.DefaultTimeout))
	got := r.take()
	wantTrioResults(t, got, 2, 16, []int{0, 1, 2, 3, 4}, true)
	if last := got[len(got)-1].At; last > units.Time(2*trioml.DefaultTimeout+units.Millisecond) {
		t.Errorf("last result at %v, want it within 2T", last)
	}
}

// What comes for an engine whose turn is over waits for the next call at the
// same instant: here the top engine's result goes back down to another engine.
func TestLateTurnWaitsForTheNextCall(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{})
	cfg := trioConfig(p)
	top := cfg.Switch.Chassis.Top
	last := cfg.TrioML[top].Jobs[0]
	last.Sources, cfg.TrioML[5].Jobs = []uint8{9}, []trioml.Job{last}
	cfg.TrioML[5].Jobs[0].Sources = []uint8{9}
	cfg.TrioML[top].Jobs[0].OutSource = 9
	cfg.TrioML[top].Jobs[0].To = []sansio.Port{dataplane.Fabric(5)}
	r := newRig(t, cfg.config())
	var in []sansio.Arrival
	for i := range p.Hosts {
		in = append(in, trioTrain(&p.Hosts[i], 16, 0, 1, 2))
	}
	r.handle(units.Time(units.Second), in...)
	if got := r.take(); len(got) != 0 || r.c.NextDeadline() != units.Time(units.Second) {
		t.Fatalf("%d frames at once, next call at %v; want none, and at the same instant", len(got), r.c.NextDeadline())
	}
	r.until(units.Time(units.Second))
	wantTrioResults(t, r.take(), 3, 16, []int{0, 1, 2, 3, 4, 5}, false)
}

func TestEngineSeesOnlyWhatIsItsOwn(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 2})
	r := newRig(t, switchmlConfig(p, 4).config())
	toHost := switchmlTrain(&p.Hosts[0], 0)
	inet.Ether(toHost.Train.Header).Put(inet.MAC(p.Hosts[1].MAC), inet.MAC(p.Hosts[0].MAC), inet.TypeIPv4)
	inet.IPv4(toHost.Train.Header[inet.EtherLen:]).SetDst(p.Hosts[1].Addr.Addr())
	padded := switchmlTrain(&p.Hosts[0], 1)
	padded.Train.Body = append(padded.Train.Body, 0, 0, 0)
	padded.Train.Seg = 0
	other := switchmlTrain(&p.Hosts[1], 1)
	unclaimed := switchmlTrain(&p.Hosts[0], 1)
	inet.UDP(unclaimed.Train.Header[34:]).SetPorts(1, 2)
	r.handle(0, toHost, padded, other, unclaimed)
	var ports []sansio.Port
	for _, d := range r.take() {
		ports = append(ports, d.Port)
	}
	slices.Sort(ports)
	if want := []sansio.Port{0, 0, 1, 1}; !slices.Equal(ports, want) { // results, a forwarded packet, an ICMP error
		t.Errorf("frames left by ports %v, want %v", ports, want)
	}
	want := []sansio.Count{
		{Name: "engine/switchml-packets", N: 2}, {Name: "engine/switchml-results", N: 1},
		{Name: "forward/icmp-errors-sent", N: 1}, {Name: "forward/to-switch-unclaimed", N: 1},
	}
	if diff := cmp.Diff(want, r.c.Counters()); diff != "" {
		t.Errorf("counters differ (-want +got):\n%s", diff)
	}
}

// A chassis made from the JSON of its configuration behaves the same.
func TestConfigSurvivesJSON(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{Link: shaped(hundredG), Fabric: topo.LinkSpec{Delay: units.Microsecond, Jitter: units.Nanosecond}})
	rack := chassistest.Plan(t, "rack", gen.Params{Hosts: 3, Link: topo.LinkSpec{Rate: hundredG, Loss: 0.1, LossEvery: 7, Queue: units.MiB}})
	for _, cfg := range []Config{trioConfig(p).config(), switchmlConfig(rack, 8).config()} {
		b, err := json.Marshal(cfg)
		if err != nil {
			t.Fatal(err)
		}
		var back Config
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if again, _ := json.Marshal(back); string(again) != string(b) {
			t.Errorf("\n%s became\n%s", b, again)
		}
		if cfg.Switch.Chassis == nil {
			continue
		}
		var outs [2][]delivery
		for k, c := range []Config{cfg, back} {
			r := newRig(t, c)
			for i := range p.Hosts {
				r.handle(0, trioTrain(&p.Hosts[i], 16, 0, 1, 2))
			}
			r.until(units.Time(units.Millisecond))
			outs[k] = r.take()
		}
		if diff := cmp.Diff(outs[0], outs[1]); diff != "" || len(outs[0]) == 0 {
			t.Errorf("the same configuration acts differently (%d frames):\n%s", len(outs[0]), diff)
		}
	}
}

func TestRefusesBadConfigs(t *testing.T) {
	mx, rack := chassistest.Plan(t, "mx480", gen.Params{}), chassistest.Plan(t, "rack", gen.Params{Hosts: 2})
	for _, tc := range []struct {
		make func() programmed
		want string
	}{
		{func() programmed { c := trioConfig(mx); c.TrioML = make([]trioml.Config, 7); return c }, `chassis "mx480": programs for 7 PFEs: it has 6`},
		{func() programmed { c := trioConfig(mx); c.TrioML[3].Jobs[0].To = []sansio.Port{3}; return c },
			`chassis "mx480": program of pfe4: results leave by port 3, which has no link: name ports with a link, or a PFE with a program`},
		{func() programmed { c := trioConfig(mx); c.TrioML = c.TrioML[:3]; return c },
			"chassis \"mx480\": program of pfe1, pfe2: results go to PFE 3 across the fabric, which has no engine: name ports with a link, or a PFE with a program"},
		{func() programmed {
			c := switchmlConfig(rack, 1)
			c.SwitchML.Jobs[0].Workers[1].Port = dataplane.Fabric(0)
			return c
		},
			`chassis "tor": program of engine: results go across the fabric: a switch with one forwarding engine has none: name ports with a link, or a PFE with a program`},
		{func() programmed { c := switchmlConfig(rack, 1); c.SwitchML.Jobs[0].Workers[1].Port = 5; return c },
			`chassis "tor": program of engine: results leave by port 5, which has no link: name ports with a link, or a PFE with a program`},
		{func() programmed { c := switchmlConfig(rack, 0); return c },
			`chassis "tor": configuring switchml on tor: no-room: job 1 wants 0 slots: use 1 to 8192`},
		{func() programmed { c := switchmlConfig(rack, 1); c.Switch.Ports[0].Out.Rate = -1; return c },
			`chassis "tor": link "tor:p0->h0:eth0": rate -1bit/s is negative: it must be positive, or zero for unlimited`},
	} {
		cfg := tc.make()
		cfg.Switch.Ports = slices.Clone(cfg.Switch.Ports)
		if _, err := New(cfg.config(), newEngine, nil); err == nil || err.Error() != tc.want {
			t.Errorf("error %v\nwant %s", err, tc.want)
		}
	}
}

// A program needs somebody who makes its engine, and null is no program.
func TestProgramsNeedAMaker(t *testing.T) {
	cfg := switchmlConfig(chassistest.Plan(t, "rack", gen.Params{Hosts: 2}), 1).config()
	cfg.System = "switchml64"
	const want = `chassis "tor": a program of "switchml64" on engine, and nothing to make its engine`
	if _, err := New(cfg, nil, nil); err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
	cfg.Programs[0] = json.RawMessage("null")
	if _, err := New(cfg, nil, nil); err != nil {
		t.Error(err)
	}
}
