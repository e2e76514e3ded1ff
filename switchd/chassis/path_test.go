package chassis

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// A frame from one PFE to another is charged at the ingress link, the fabric and
// the egress link, each for its own bytes and delay.
func TestHostToHostTiming(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{Link: shaped(units.GbitPerSecond), Fabric: topo.LinkSpec{Rate: 10 * units.GbitPerSecond, Delay: 500 * units.Nanosecond}})
	r := newRig(t, Config{Switch: p.Switches[0], MTU: p.MTU, Seed: 1})
	r.handle(0, hostTrain(&p.Hosts[0], &p.Hosts[3], 2, 958)) // 1000 bytes a frame, 1024 on the wire
	r.until(units.Time(units.Second))
	const wire, us = 8192 * units.Nanosecond, units.Microsecond
	first := units.Time(wire + us + wire/10 + us/2 + wire + us)
	var at []units.Time
	for i, d := range r.take() {
		at = append(at, d.At)
		if want := p.Hosts[3].SwitchPort; int(d.Port) != want || inet.Ether(d.Frame).Dst() != inet.MAC(p.Hosts[3].MAC) || d.Frame[999] != byte(i+1) {
			t.Errorf("frame %d came to MAC %x on port %d, last byte %d", i, inet.Ether(d.Frame).Dst(), d.Port, d.Frame[999])
		}
	}
	if want := []units.Time{first, first.Add(wire)}; !slices.Equal(at, want) {
		t.Errorf("frames at %v, want %v", at, want)
	}
}

// A driver that sleeps through many deadlines gets all frames when it wakes up,
// but the links have not stood still meanwhile.
func TestLateDriverDoesNotSlowLinksDown(t *testing.T) {
	spec := topo.LinkSpec{Rate: units.GbitPerSecond, Delay: 100 * units.Microsecond}
	p := chassistest.Plan(t, "mx480", gen.Params{Link: spec, Fabric: spec})
	const nap = units.Time(5 * units.Millisecond)
	var exact [][]byte
	for _, late := range []bool{false, true} {
		r := newRig(t, Config{Switch: p.Switches[0], MTU: p.MTU, Seed: 1})
		var last units.Time
		for at := units.Time(0); at < 12*nap; at += nap {
			if late {
				r.c.Expire(at, &r.eff)
				r.carryOut(at)
			}
			if at < 4*nap { // 64 frames of 8262 ns in 5 ms: the links have gaps to catch up in
				in := hostTrain(&p.Hosts[0], &p.Hosts[3], 64, 966+int(at/nap))
				r.handle(at, in)
			}
		}
		r.until(units.Time(units.Second))
		var frames [][]byte
		for _, d := range r.take() {
			frames, last = append(frames, d.Frame), d.At
		}
		if !late {
			exact = frames
			if len(frames) != 4*64 {
				t.Fatalf("%d frames", len(frames))
			}
			continue
		}
		if diff := cmp.Diff(exact, frames); diff != "" {
			t.Errorf("frames differ (-exact +late):\n%s", diff)
		}
		if last > 4*nap {
			t.Errorf("last frame at %v, want it with the next wake-up after it was sent at 3 naps", last)
		}
	}
}

// Between two switches only the sender's side models the link; towards a host
// the switch models both directions.
func TestLinksAreModelledOnce(t *testing.T) {
	spec := topo.LinkSpec{Delay: units.Millisecond}
	p := chassistest.Plan(t, "leaf-spine", gen.Params{Hosts: 4, Link: spec, Uplink: spec})
	for name, want := range map[string]int{"leaf0": 2*2 + 2, "spine0": 2} {
		sw, _ := p.Switch(name)
		c, err := New(Config{Switch: *sw}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.parts) != want {
			t.Errorf("%s models %d directions, want %d", name, len(c.parts), want)
		}
		bare, err := New(Config{Switch: *sw, NoLinks: true}, nil, nil)
		if err != nil || len(bare.parts) != 0 {
			t.Errorf("%s without links: %d parts, %v", name, len(bare.parts), err)
		}
	}
	leaf, _ := p.Switch("leaf0")
	r := newRig(t, Config{Switch: *leaf})
	r.handle(0, hostTrain(&p.Hosts[0], &p.Hosts[1], 1, 100))
	r.until(units.Time(units.Second))
	if got := r.take(); len(got) != 1 || got[0].At != units.Time(2*units.Millisecond) {
		t.Errorf("deliveries %v, want one after both delays", got)
	}
}

func TestDropsAskedAndUnasked(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 4})
	sw := p.Switches[0]
	sw.Ports[0].In = topo.LinkSpec{LossEvery: 2}
	sw.Ports[1].Out = topo.LinkSpec{Rate: units.KbitPerSecond, Queue: 200}
	sw.Ports[2].Out = topo.LinkSpec{Rate: units.KbitPerSecond}
	r := newRig(t, Config{Switch: sw, Seed: 1})
	r.handle(0, hostTrain(&p.Hosts[0], &p.Hosts[3], 10, 58))
	r.handle(1, hostTrain(&p.Hosts[3], &p.Hosts[1], 10, 58)) // one sent, two wait, seven dropped
	for i := range 3 {
		r.handle(units.Time(2+i), hostTrain(&p.Hosts[3], &p.Hosts[2], 64, 8000)) // 130 frames wait in 1 MiB
	}
	stranger := hostTrain(&p.Hosts[3], &p.Hosts[0], 3, 10)
	inet.Ether(stranger.Train.Header).Put(inet.MAC{2, 9, 9}, inet.MAC(p.Hosts[3].MAC), inet.TypeIPv4)
	r.handle(9, stranger)

	asked := []sansio.Count{{Name: "link/h0:eth0->tor:p0/loss-every-nth", N: 5}, {Name: "link/tor:p1->h1:eth0/queue-full", N: 7}}
	if diff := cmp.Diff(asked, r.c.AskedDrops()); diff != "" {
		t.Errorf("asked drops differ (-want +got):\n%s", diff)
	}
	unasked := []sansio.Count{{Name: "forward/unknown-unicast", N: 3}, {Name: "link/tor:p2->h2:eth0/queue-full", N: 192 - 1 - uint64(units.MiB/8042)}}
	if diff := cmp.Diff(unasked, r.c.UnaskedDrops()); diff != "" {
		t.Errorf("unasked drops differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(append(unasked[:1:1], asked[0], asked[1], unasked[1]), r.c.Counters()); diff != "" {
		t.Errorf("counters differ (-want +got):\n%s", diff)
	}
	stats := r.c.PortStats()
	want := PortStat{Port: 3, Name: "p3", In: Volume{Frames: 10 + 192 + 3, Bytes: 10*100 + 192*8042 + 3*52}, Out: Volume{Frames: 5, Bytes: 500}}
	if diff := cmp.Diff(want, stats[3]); diff != "" || len(stats) != 4 {
		t.Errorf("port 3 of %d differs (-want +got):\n%s", len(stats), diff)
	}
}

// Frames that the fabric loses leave no trace: those behind them still find
// their ports.
func TestLossyFabricKeepsLabelsRight(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{Hosts: 6, Fabric: topo.LinkSpec{Rate: hundredG, Delay: units.Microsecond, Loss: 0.5}})
	r := newRig(t, Config{Switch: p.Switches[0], Seed: 3})
	for i := range 200 {
		r.handle(units.Time(i)*units.Time(50*units.Nanosecond), hostTrain(&p.Hosts[i%3], &p.Hosts[3+i%2], 1+i%3, 100))
	}
	r.until(units.Time(units.Second))
	got := r.take()
	for _, d := range got {
		to := p.Switches[0].Ports[d.Port].PeerHost
		if dst := inet.Ether(d.Frame).Dst(); dst != inet.MAC(p.Hosts[to].MAC) {
			t.Fatalf("a frame to %x came to %s", dst, p.Hosts[to].Name)
		}
	}
	lost := r.c.AskedDrops()
	if len(lost) != 1 || len(got)+int(lost[0].N) != 399 || len(got) < 150 {
		t.Errorf("%d frames came, lost %v; want 399 together", len(got), lost)
	}
	for _, f := range r.c.fabric {
		if f != nil && len(f.labels.queue) != 0 {
			t.Errorf("%d labels are left in an empty fabric", len(f.labels.queue))
		}
	}
}

// Whether frames come in trains or alone, every port sends the same frames at
// the same times.
func TestTrainsAndFramesFareAlike(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec := rapid.SampledFrom([]topo.LinkSpec{{}, shaped(hundredG), {Rate: units.GbitPerSecond, Loss: 0.1, Queue: 3000}, {Delay: 5000, Jitter: 5000, LossEvery: 3}})
		p := chassistest.Plan(t, "mx480", gen.Params{Link: spec.Draw(rt, "link"), Fabric: spec.Draw(rt, "fabric")})
		together, apart := newRig(t, trioConfig(p).config()), newRig(t, trioConfig(p).config())
		fareAlike(rt, together, apart, func() sansio.Arrival { return drawArrival(rt, p) })
	})
}

// Foreign bytes on any port are counted and go no further than forwarding.
func TestForeignBytesAreCounted(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 2, Link: shaped(hundredG)})
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, switchmlConfig(p, 4).config())
		b := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(rt, "frame")
		if rapid.Bool().Draw(rt, "to the switch") && len(b) >= inet.EtherLen {
			inet.Ether(b).Put(inet.MAC(p.Switches[0].MAC), inet.MAC(p.Hosts[0].MAC), inet.TypeIPv4)
		}
		r.handle(0, sansio.Arrival{Port: sansio.Port(rapid.IntRange(-1, 3).Draw(rt, "port")), Train: sansio.NewTrain(bytes.Clone(b), 0, sansio.ChecksumAsIs)})
		r.until(units.Time(units.Second))
		if len(r.take()) == 0 && len(r.c.Counters()) == 0 {
			rt.Errorf("%x was neither forwarded nor counted", b)
		}
	})
}
