package chassis

import (
	"fmt"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wireswitch "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/topo/gen"
)

const us = units.Microsecond

// served is a rack of three whose engine takes 3 us for a frame.
func served(t *testing.T, server impair.Params) (*rig, []sansio.Arrival) {
	t.Helper()
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	cfg := switchmlConfig(p, 8).config()
	cfg.Servers = []impair.Params{server}
	var in []sansio.Arrival
	for i := range p.Hosts {
		in = append(in, switchmlTrain(&p.Hosts[i], 4, 2))
	}
	return newRig(t, cfg), in
}

// slotTimes lists slot and instant of what was delivered at a port.
func slotTimes(list []delivery, port sansio.Port) (out []string) {
	for _, d := range list {
		if d.Port != port {
			continue
		}
		h, _ := wireswitch.Parse(d.Frame[inet.UDPHeaders:])
		out = append(out, fmt.Sprint(h.Slot, " at ", units.Duration(d.At)))
	}
	return out
}

// Frames wait for the engine in the order they came, each for those before it.
func TestFramesWaitForTheEngine(t *testing.T) {
	r, in := served(t, impair.Params{PerFrame: 3 * us})
	r.handle(0, in[0])
	r.handle(units.Time(us), in[1], in[2])
	r.until(units.Time(units.Millisecond))
	got := r.take()
	// Six frames, 3 us each: the last but one completes slot 4, the last slot 2.
	for port := range sansio.Port(3) {
		if list := slotTimes(got, port); !slices.Equal(list, []string{"4 at 15us", "2 at 18us"}) {
			t.Errorf("port %d: slots %v", port, list)
		}
	}
	if n := r.c.Crossings(); n != 0 {
		t.Errorf("%d frames crossed links: there are none, and a server is no link", n)
	}
	if n := r.c.Made(); n != 6 {
		t.Errorf("the engine made %d frames, want two for each of three hosts", n)
	}
	if r.c.NextDeadline() != units.Never {
		t.Errorf("at rest the next deadline is %v", r.c.NextDeadline())
	}
}

// A server that works by the byte takes its rate, without Ethernet's framing
// where the configuration says so.
func TestServerRate(t *testing.T) {
	frame := inet.UDPHeaders + wireswitch.HeaderLen + 4*64
	r, in := served(t, impair.Params{Rate: units.GbitPerSecond, Overhead: -units.Bytes(frame - 250)}) // 250 bytes, 2 us
	r.handle(0, in...)
	r.until(units.Time(units.Millisecond))
	if list := slotTimes(r.take(), 0); !slices.Equal(list, []string{"4 at 10us", "2 at 12us"}) {
		t.Errorf("slots %v", list)
	}
}

// What finds no room before the engine is lost, and counted as nobody's wish.
func TestServerDrops(t *testing.T) {
	frame := units.Bytes(inet.UDPHeaders + wireswitch.HeaderLen + 4*64)
	r, in := served(t, impair.Params{PerFrame: 3 * us, Queue: 3 * frame}) // one is served, three wait
	r.handle(0, in...)
	r.until(units.Time(units.Millisecond))
	if got := r.take(); len(got) != 0 {
		t.Errorf("%d results of slots that lack a worker", len(got))
	}
	const name = "/engine/server/queue-full"
	drops := r.c.UnaskedDrops()
	if len(drops) != 1 || drops[0].N != 2 || drops[0].Name != "link/"+r.c.cfg.Switch.Name+name {
		t.Errorf("drops %v, want two of %s", drops, name)
	}
	if len(r.c.AskedDrops()) != 0 {
		t.Errorf("asked drops %v", r.c.AskedDrops())
	}
	r.handle(units.Time(units.Millisecond), in[2]) // both were lost; now they come again
	r.until(units.Time(2 * units.Millisecond))
	if list := slotTimes(r.take(), 1); !slices.Equal(list, []string{"4 at 1.003ms", "2 at 1.006ms"}) {
		t.Errorf("slots %v", list)
	}
}

// In a hierarchy every engine has a server of its own: the parts of both leaves
// are worked on at the same time, then those of the top one after the other.
func TestServersOfAHierarchy(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{})
	cfg := trioConfig(p).config()
	cfg.Servers = make([]impair.Params, cfg.pfes())
	for i := range cfg.Servers {
		cfg.Servers[i].PerFrame = 3 * us
	}
	r := newRig(t, cfg)
	var in []sansio.Arrival
	largest := 0
	perPFE := map[int]int{}
	for i := range p.Hosts {
		in = append(in, trioTrain(&p.Hosts[i], 16, 0))
		pfe := cfg.Switch.Ports[p.Hosts[i].SwitchPort].PFE
		perPFE[pfe]++
		largest = max(largest, perPFE[pfe])
	}
	r.handle(0, in...)
	r.until(units.Time(units.Millisecond))
	got := r.take()
	wantTrioResults(t, got, 1, 16, []int{0, 1, 2, 3, 4, 5}, false)
	want := units.Time((largest + len(perPFE)) * int(3*us))
	for _, d := range got {
		if d.At != want {
			t.Errorf("result on port %d at %v, want %v", d.Port, d.At, want)
		}
	}
}

func TestRefusesTooManyServers(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	cfg := switchmlConfig(p, 8).config()
	cfg.Servers = make([]impair.Params, 2)
	if _, err := New(cfg, newEngine, nil); err == nil || err.Error() != fmt.Sprintf("chassis %q: servers for 2 PFEs: it has 1", cfg.Switch.Name) {
		t.Errorf("error %v", err)
	}
	cfg.Servers = []impair.Params{{PerFrame: -1}}
	if _, err := New(cfg, newEngine, nil); err == nil {
		t.Error("a negative time was accepted")
	}
}
