package chassis

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/gen"
)

// An engine holds, changes, drops and answers frames of every kind: held ones go on later,
// changed ones as they are then, dropped ones not at all, and answers go back.
func TestVerdicts(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	a, b := &p.Hosts[0], &p.Hosts[1]
	tcp := summedTCP(flow(a, b), []byte("tcp"))
	for kind, frame := range map[string]sansio.Train{
		"udp": trainOf(flow(a, b), []byte("udp")), "tcp": tcp, "icmp": echoRequest(flow(a, b)),
		"arp": arpRequest(a, b.Addr.Addr().As4()), "experimental": etherFrame(a, b, typeExperimental, 46),
	} {
		plain := newRig(t, Config{Switch: p.Switches[0]})
		plain.handle(0, sansio.Arrival{Train: frame})
		passed := plain.take()
		last := func(f []byte) []byte {
			out := bytes.Clone(f)
			out[len(out)-1] ^= 0x55
			return out
		}
		var delayed, changed []delivery
		for _, d := range passed {
			delayed = append(delayed, delivery{units.Time(us), d.Port, d.Frame})
			changed = append(changed, delivery{0, d.Port, last(d.Frame)})
		}
		back := etherFrame(b, a, typeExperimental, 50)
		carried := []delivery{{0, 1, slices.Concat(frame.Header, frame.Body)}}
		for name, tc := range map[string]struct {
			v    chassistest.Verdict
			want []delivery
		}{
			"pass": {chassistest.Verdict{}, passed},
			"hold": {chassistest.Verdict{Hold: us}, delayed},
			"drop": {chassistest.Verdict{Drop: true}, nil},
			"change": {chassistest.Verdict{Change: func(t *sansio.Train) {
				if len(t.Body) > 0 {
					t.Body = last(t.Body)
				} else {
					t.Header = last(t.Header)
				}
			}}, changed},
			"answer": {chassistest.Verdict{Drop: true, Send: &back, To: dataplane.Outbound(0)}, []delivery{{0, 0, back.Header}}},
			"carry":  {chassistest.Verdict{By: dataplane.Outbound(1)}, carried}, // what nobody would forward
		} {
			x := crossing{Config: Config{Switch: p.Switches[0]}}
			x.add(0, name, &chassistest.Transit{Want: dataplane.Wants{Transit: true, ARP: true}, Do: func(sansio.Port, *sansio.Train) chassistest.Verdict { return tc.v }})
			r := x.rig(t)
			r.handle(0, sansio.Arrival{Train: frame})
			r.until(units.Time(units.Second))
			if diff := cmp.Diff(tc.want, r.take()); diff != "" {
				t.Errorf("%s %s: (-want +got):\n%s", name, kind, diff)
			}
		}
	}
}

// What an engine sends by a port that it has not named, or that is not there, is dropped
// and counted under both names.
func TestPortsThatWereNotNamed(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{Hosts: 2})
	frame := trainOf(flow(&p.Hosts[0], &p.Hosts[1]), []byte("astray"))
	for port, reason := range map[sansio.Port]string{
		4: "unnamed-port/pfe1/astray->et-0-1-0", dataplane.Fabric(1): "unnamed-port/pfe1/astray->pfe2",
		3: "no-such-port/pfe1/astray", -1: "no-such-port/pfe1/astray", 999: "no-such-port/pfe1/astray", dataplane.Fabric(6): "no-such-port/pfe1/astray",
		dataplane.Inbound(3): "no-such-port/pfe1/astray", dataplane.Outbound(3): "no-such-port/pfe1/astray", // no link
		dataplane.Outbound(4): "no-such-port/pfe1/astray", dataplane.Inbound(4): "no-such-port/pfe1/astray", // of another PFE
	} {
		x := crossing{Config: Config{Switch: p.Switches[0]}}
		x.add(0, "astray", &chassistest.Transit{Want: dataplane.Wants{Transit: true}, Names: []sansio.Port{0, dataplane.Fabric(0)},
			Do: func(sansio.Port, *sansio.Train) chassistest.Verdict {
				return chassistest.Verdict{Send: &frame, To: port}
			}})
		r := x.rig(t)
		r.handle(0, hostTrain(&p.Hosts[0], &p.Hosts[1], 1, 9))
		if diff := cmp.Diff([]sansio.Count{{Name: "chassis/" + reason, N: 1}}, r.c.UnaskedDrops()); diff != "" || len(r.take()) != 1 {
			t.Errorf("port %d: drops (-want +got):\n%s", port, diff)
		}
	}
}

// An engine reaches those of its own system across the fabric, and no others.
func TestFabricLeadsToTheSameSystem(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{Hosts: 2})
	x := crossing{Config: trioConfig(p).config()}
	var came []sansio.Port
	hello := etherFrame(&p.Hosts[0], &p.Hosts[1], typeExperimental, 50)
	x.add(0, "talking", &chassistest.Transit{Want: dataplane.Wants{Transit: true}, Names: []sansio.Port{dataplane.Fabric(1)},
		Do: func(sansio.Port, *sansio.Train) chassistest.Verdict {
			return chassistest.Verdict{Drop: true, Send: &hello, To: dataplane.Fabric(1)}
		}})
	x.add(1, "talking", &chassistest.Transit{Want: dataplane.Wants{Transit: true}, Do: func(at sansio.Port, _ *sansio.Train) chassistest.Verdict {
		came = append(came, at)
		return chassistest.Verdict{Drop: true}
	}})
	r := x.rig(t)
	r.handle(0, hostTrain(&p.Hosts[0], &p.Hosts[1], 1, 9))
	r.until(units.Time(units.Second))
	if want := []sansio.Port{dataplane.Fabric(0)}; !slices.Equal(came, want) || len(r.take()) > 0 {
		t.Errorf("came by %v, want %v; drops %v", came, want, r.c.UnaskedDrops())
	}
}

// Programs that cannot be together, or send where they cannot, are refused by name, with
// what to do.
func TestRefusesProgramsInTransit(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{Hosts: 2})
	transit, leaving := dataplane.Wants{Transit: true}, dataplane.Wants{Leaving: true}
	for want, add := range map[string]func(x *crossing){
		`program "police" of pfe1 would have no frame: of those that arrive, "telemetry" before it has all frames: put "police" first, narrow a match, or run one on another PFE`: func(x *crossing) {
			x.add(0, "telemetry", &chassistest.Transit{Want: transit})
			x.add(0, "police", &chassistest.Transit{Want: transit})
		},
		`program "police" of pfe2 would have no frame: of those that leave, "telemetry" before it has all frames: put "police" first, narrow a match, or run one on another PFE`: func(x *crossing) {
			x.add(1, "telemetry", &chassistest.Transit{Want: leaving})
			x.add(1, "police", &chassistest.Transit{Want: leaving})
		},
		`program of pfe1/astray: results leave by port 3, which has no link: name ports with a link, or a PFE with a program`: func(x *crossing) {
			x.add(0, "astray", &chassistest.Transit{Names: []sansio.Port{0, 3}})
		},
		`program of pfe1/astray: results go to PFE 1 across the fabric, which has no engine: name ports with a link, or a PFE with a program`: func(x *crossing) {
			x.add(0, "astray", &chassistest.Transit{Names: []sansio.Port{dataplane.Fabric(1)}})
			x.add(1, "other", &chassistest.Transit{})
		},
		`program of "lost" on PFE 6: there are 6, counted from 0`: func(x *crossing) { x.add(6, "lost", &chassistest.Transit{}) },
	} {
		x := crossing{Config: Config{Switch: p.Switches[0]}}
		add(&x)
		if _, err := x.new(); err == nil || err.Error() != `chassis "mx480": `+want {
			t.Errorf("error %v\nwant %s", err, want)
		}
	}
	x := crossing{Config: Config{Switch: p.Switches[0]}}
	x.add(0, "in", &chassistest.Transit{Want: transit})
	x.add(0, "out", &chassistest.Transit{Want: leaving})
	x.add(1, "in", &chassistest.Transit{Want: dataplane.Wants{Transit: true, Leaving: true}})
	if _, err := x.new(); err != nil {
		t.Error(err)
	}
}
