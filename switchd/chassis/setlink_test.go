package chassis

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// A perfect wire that is set has the delay and the loss that were asked for, in one direction and at once,
// and reading says so.
func TestSetLink(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 2})
	r := newRig(t, Config{Switch: p.Switches[0], MTU: p.MTU, Seed: 1})
	frame := func(at units.Duration) (arrived []units.Duration) {
		r.handle(units.Time(at), hostTrain(&p.Hosts[0], &p.Hosts[1], 1, 958))
		r.until(units.Time(at + units.Millisecond))
		for _, d := range r.take() {
			arrived = append(arrived, d.At.Sub(units.Time(at)))
		}
		return arrived
	}
	if got := frame(0); len(got) != 1 || got[0] != 0 {
		t.Errorf("on perfect wires a frame takes %v", got)
	}
	port := p.Hosts[0].SwitchPort
	slow, dead := topo.LinkSpec{Delay: 7 * us}, topo.LinkSpec{Delay: 7 * us, Loss: 1}
	if err := r.c.SetLink(units.Time(2*units.Millisecond), port, true, slow); err != nil {
		t.Fatal(err)
	}
	if got := frame(3 * units.Millisecond); len(got) != 1 || got[0] != 7*us {
		t.Errorf("behind a delay of 7 us a frame takes %v", got)
	}
	if err := r.c.SetLink(units.Time(5*units.Millisecond), port, true, dead); err != nil {
		t.Fatal(err)
	}
	if got := frame(6 * units.Millisecond); len(got) != 0 {
		t.Errorf("a frame passes a link that loses all: %v", got)
	}
	links := r.c.ReadLinks()
	if len(links) != 4 {
		t.Fatalf("%d directions, want 4", len(links))
	}
	for _, l := range links {
		want, lost := topo.LinkSpec{}, 0
		if l.Port == port && l.Inbound {
			want, lost = dead, 1
		}
		if l.Spec != want || len(l.Drops) != lost {
			t.Errorf("%s: %+v, drops %v; want %+v, %d", l.Name, l.Spec, l.Drops, want, lost)
		}
	}
	if p.Switches[0].Ports[port].In != (topo.LinkSpec{}) {
		t.Error("the plan, which others have, was changed")
	}
}

func TestSetLinkRefuses(t *testing.T) {
	p := chassistest.Plan(t, "leaf-spine", gen.Params{Leaves: 2, Spines: 1, Hosts: 2})
	leaf, _ := p.Switch("leaf0")
	r := newRig(t, Config{Switch: *leaf, MTU: p.MTU, Seed: 1})
	up := -1
	for _, port := range leaf.Ports {
		if port.Wired && port.PeerSwitch >= 0 && port.PeerHost < 0 {
			up = port.Index
		}
	}
	for want, err := range map[string]error{
		"has no link":          r.c.SetLink(0, len(leaf.Ports), false, topo.LinkSpec{}),
		"is modelled by spine": r.c.SetLink(0, up, true, topo.LinkSpec{}),
		"rate -1":              r.c.SetLink(0, up, false, topo.LinkSpec{Rate: -1}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
