package chassis

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/strictjson"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// changed is a rack of two hosts on links of 1 Gbit/s and 1 us, of which h0's becomes faster
// towards the switch at 100 us, and h1's slower away from it at 300 us.
func changed(t *testing.T) (*plan.Plan, Config) {
	t.Helper()
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 2, Link: shaped(units.GbitPerSecond)})
	return p, Config{Switch: p.Switches[0], MTU: p.MTU, Seed: 1, Changes: []Change{
		{At: units.Time(300 * us), Port: p.Hosts[1].SwitchPort, Spec: shaped(units.GbitPerSecond / 2)},
		{At: units.Time(100 * us), Port: p.Hosts[0].SwitchPort, Inbound: true, Spec: shaped(2 * units.GbitPerSecond)},
	}}
}

// wire is what a frame of 1000 bytes, 1024 with framing, takes at 1 Gbit/s.
const wire = 8192 * units.Nanosecond

// A frame meets each link as it is at that time: those behind a change, down to the picosecond,
// the new rate, in either direction, and whatever else the links do not at all.
func TestLinksChange(t *testing.T) {
	p, cfg := changed(t)
	for _, epoch := range []units.Time{0, units.Time(7 * us)} {
		for at, want := range map[units.Duration]units.Duration{
			50 * us:    2*wire + 2*us, // nothing has changed
			100*us - 1: 2*wire + 2*us,
			100 * us:   wire/2 + wire + 2*us,
			300*us - 1: wire/2 + 2*wire + 2*us, // on the way when the other link changes
			500 * us:   wire/2 + 2*wire + 2*us,
		} {
			r := newRig(t, cfg)
			r.c.Begin(epoch)
			begin := epoch.Add(at)
			r.handle(begin, hostTrain(&p.Hosts[0], &p.Hosts[1], 1, 958))
			r.handle(begin, hostTrain(&p.Hosts[1], &p.Hosts[0], 1, 958)) // the other directions never change
			r.until(units.Time(units.Second))
			var there, back []units.Duration
			for _, d := range r.take() {
				if int(d.Port) == p.Hosts[1].SwitchPort {
					there = append(there, d.At.Sub(begin))
				} else {
					back = append(back, d.At.Sub(begin))
				}
			}
			if !slices.Equal(there, []units.Duration{want}) || !slices.Equal(back, []units.Duration{2*wire + 2*us}) {
				t.Errorf("epoch %v, sent at %v: there after %v, back after %v, want %v and %v", epoch, at, there, back, want, 2*wire+2*us)
			}
		}
	}
}

// A chassis that does not know the epoch changes nothing.
func TestChangesWaitForTheEpoch(t *testing.T) {
	p, cfg := changed(t)
	r := newRig(t, cfg)
	send := func(at units.Time) units.Duration {
		r.handle(at, hostTrain(&p.Hosts[0], &p.Hosts[1], 1, 958))
		r.until(at.Add(units.Millisecond))
		return r.take()[0].At.Sub(at)
	}
	if took := send(units.Time(units.Second)); took != 2*wire+2*us {
		t.Errorf("%v without an epoch", took)
	}
	r.c.Begin(units.Time(2 * units.Second))
	if took := send(units.Time(2 * units.Second)); took != 2*wire+2*us {
		t.Errorf("%v at the epoch", took)
	}
	if took := send(units.Time(3 * units.Second)); took != wire/2+2*wire+2*us {
		t.Errorf("%v behind both changes", took)
	}
}

// A driver that is late sees frames late, and changes come when they are due all the same.
func TestLateDriverDoesNotDelayChanges(t *testing.T) {
	p, cfg := changed(t)
	lost := shaped(units.GbitPerSecond)
	lost.Loss = 1
	cfg.Changes = []Change{{At: units.Time(14 * us), Port: p.Hosts[1].SwitchPort, Spec: lost}}
	for _, late := range []bool{false, true} {
		r := newRig(t, cfg)
		r.c.Begin(0)
		in := hostTrain(&p.Hosts[0], &p.Hosts[1], 3, 958) // at the switch at 9.192, 17.384 and 25.576 us
		if late {
			r.c.Handle(0, []sansio.Arrival{in}, &r.eff)
			r.carryOut(0)
			r.c.Expire(units.Time(units.Millisecond), &r.eff)
			r.carryOut(units.Time(units.Millisecond))
		} else {
			r.handle(0, in)
			r.until(units.Time(units.Millisecond))
		}
		if got := r.take(); len(got) != 1 || got[0].Frame[999] != 1 {
			t.Errorf("late %v: %d frames arrive, want the first", late, len(got))
		}
		drops := r.c.AskedDrops()
		if len(drops) != 1 || drops[0].N != 2 || !strings.HasSuffix(drops[0].Name, "/loss-bernoulli") || len(r.c.UnaskedDrops()) > 0 {
			t.Errorf("late %v: drops %v and %v", late, drops, r.c.UnaskedDrops())
		}
	}
}

// A perfect wire that becomes a link, the order of changes in the list, and their record.
func TestPerfectWireChanges(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 2})
	port := p.Hosts[1].SwitchPort
	limited := shaped(units.GbitPerSecond)
	limited.Queue = 1000
	cfg := Config{Switch: p.Switches[0], MTU: p.MTU, Seed: 1, Changes: []Change{
		{At: units.Time(2 * units.Millisecond), Port: port}, {At: units.Time(units.Millisecond), Port: port, Spec: limited},
	}}
	r := newRig(t, cfg)
	r.c.Begin(0)
	var took []units.Duration
	for i := range 3 {
		at := units.Time(units.Millisecond) * units.Time(i)
		r.handle(at, hostTrain(&p.Hosts[0], &p.Hosts[1], 3, 958)) // one is sent, one waits, one finds no room
		r.until(at.Add(100 * us))
		for _, d := range r.take() {
			took = append(took, d.At.Sub(at))
		}
	}
	if want := []units.Duration{0, 0, 0, wire + us, 2*wire + us, 0, 0, 0}; !slices.Equal(took, want) {
		t.Errorf("frames took %v, want %v", took, want)
	}
	links := r.c.Links(0, units.Time(2*units.Millisecond))
	if len(links) != 1 || links[0].Changes != 2 || links[0].Rate != 0 || links[0].DroppedBy("queue-full") != 1 {
		t.Fatalf("links %+v", links)
	}
	if use, want := links[0].Use, float64(2*wire)/float64(units.Millisecond); use != want {
		t.Errorf("use %v, want %v: the time without a rate does not count", use, want)
	}
	if len(r.c.UnaskedDrops()) > 0 || len(r.c.AskedDrops()) != 1 {
		t.Errorf("drops %v nobody asked for, %v asked for: the limit was given", r.c.UnaskedDrops(), r.c.AskedDrops())
	}
}

// A configuration with changes is the same behind JSON, and so is what it does.
func TestChangesSurviveJSON(t *testing.T) {
	_, cfg := changed(t)
	cfg.Changes[0].Spec = topo.LinkSpec{
		Rate: 7, Delay: 2 * us, Jitter: us, Loss: 0.25, LossEvery: 3, Queue: 4000,
		Bursts: topo.Bursts{Enter: 0.1, Leave: 0.2, Bad: 1}, Marking: topo.Marking{Min: 10, Max: 20, P: 0.5},
		Distribution: topo.Normal, Reorder: 0.1, ReorderGap: 2, Duplicate: 0.1, Corrupt: 0.1, Script: "1/5:3",
	}
	cfg.Labels = []impair.Label{{Protocol: 17, Ports: [2]uint16{1, 2}, Job: impair.Field{Offset: 1, Bytes: 1}, Slot: impair.Field{Offset: 2, Bytes: 2, Mask: 7}}}
	text, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var back Config
	if err := strictjson.Decode(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(cfg.Changes, back.Changes) + cmp.Diff(cfg.Labels, back.Labels); diff != "" {
		t.Errorf("changes and labels (-before +after):\n%s", diff)
	}
	if _, err := New(back, newEngine, nil); err != nil { // it has all streams
		t.Error(err)
	}
}

func TestRefusesChanges(t *testing.T) {
	p := chassistest.Plan(t, "leaf-spine", gen.Params{Hosts: 2, Leaves: 2, Spines: 1})
	leaf := p.Switches[0]
	up := slices.IndexFunc(leaf.Ports, func(p plan.Port) bool { return p.PeerSwitch != plan.None })
	for want, cfg := range map[string]Config{
		"change of a link at 1us: port 99 has no link: name a port that has one":  {Changes: []Change{{At: units.Time(us), Port: 99}}},
		"change of a link at 0s: port -1 has no link: name a port that has one":   {Changes: []Change{{Port: -1}}},
		"change of a link at 0s: links are left out: leave out one or the other":  {Changes: []Change{{}}, NoLinks: true},
		"is modelled by " + leaf.Ports[up].Peer.Node + ": change it there":        {Changes: []Change{{Port: up, Inbound: true}}},
		"from 1us on: rate -1bit/s is negative: it must be positive, or zero for": {Changes: []Change{{At: units.Time(us), Port: up, Spec: topo.LinkSpec{Rate: -1}}}},
		"a change at -1us: it must be at the epoch or later":                      {Changes: []Change{{At: -units.Time(us), Port: up}}},
	} {
		cfg.Switch = leaf
		if _, err := New(cfg, newEngine, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
