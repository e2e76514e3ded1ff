package chassis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wireswitch "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// EtherTypes beside those of inet.
const (
	typeIPv6         uint16 = 0x86dd
	typeExperimental uint16 = 0x88b5 // IEEE 802, for local experiments
)

// crossing is a configuration with programs in transit, by their names.
type crossing struct {
	Config
	engines map[string]*chassistest.Transit
}

// add puts an engine on a PFE beside those of the system.
func (x *crossing) add(pfe int, name string, e *chassistest.Transit) {
	if x.engines == nil {
		x.engines = map[string]*chassistest.Transit{}
	}
	x.engines[fmt.Sprint(name, pfe)] = e
	x.Transit = append(x.Transit, Program{PFE: pfe, System: name, Config: encoded(fmt.Sprint(name, pfe))})
}

func (x *crossing) new() (*Chassis, error) {
	return New(x.Config, func(name string, config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
		var key string
		if json.Unmarshal(config, &key) == nil && x.engines[key] != nil {
			return x.engines[key], nil
		}
		return newEngine(name, config, sink)
	}, nil)
}

func (x *crossing) rig(t testing.TB) *rig {
	t.Helper()
	c, err := x.new()
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, c: c}
}

// frameKinds make frames of every kind from one host to another.
var frameKinds = map[string]func(rt *rapid.T, a, b *plan.Host) sansio.Train{
	"udp": func(rt *rapid.T, a, b *plan.Host) sansio.Train {
		return hostTrain(a, b, rapid.IntRange(1, 5).Draw(rt, "frames"), rapid.IntRange(1, 400).Draw(rt, "size")).Train
	},
	"tcp": func(rt *rapid.T, a, b *plan.Host) sansio.Train {
		h := inet.TCPHeader(flow(a, b), 12)
		body := rapid.SliceOfN(rapid.Byte(), 1, 900).Draw(rt, "body")
		inet.SetTCPBody(h, len(body))
		sansio.FillPartial(h, len(body))
		return sansio.Train{Header: h, Body: body, Seg: rapid.IntRange(100, 300).Draw(rt, "mss"), Checksum: sansio.ChecksumPartial}
	},
	"tcp, summed": func(_ *rapid.T, a, b *plan.Host) sansio.Train { return summedTCP(flow(a, b), []byte("summed")) },
	"ping":        func(_ *rapid.T, a, b *plan.Host) sansio.Train { return echoRequest(flow(a, b)) },
	"ping of the router": func(_ *rapid.T, a, _ *plan.Host) sansio.Train {
		return echoRequest(from(a, 0))
	},
	"nobody listens": func(_ *rapid.T, a, _ *plan.Host) sansio.Train { return trainOf(from(a, 9), []byte("?")) },
	"padded": func(_ *rapid.T, a, b *plan.Host) sansio.Train {
		t := trainOf(flow(a, b), []byte("short"))
		t.Body, t.Seg = append(t.Body, make([]byte, 13)...), 0 // 60 bytes
		return t
	},
	"fragment": func(_ *rapid.T, a, b *plan.Host) sansio.Train {
		t := trainOf(flow(a, b), []byte("part of a longer one"))
		inet.IPv4(t.Header[inet.EtherLen:])[6] |= 0x20 // more follow
		return whole(t)
	},
	"malformed": func(_ *rapid.T, a, b *plan.Host) sansio.Train {
		t := trainOf(flow(a, b), []byte("of a wrong length"))
		inet.IPv4(t.Header[inet.EtherLen:]).SetTotalLen(1400)
		return whole(t)
	},
	"expired": func(_ *rapid.T, a, b *plan.Host) sansio.Train {
		t := trainOf(from(a, 9), []byte("far away"))
		ip := inet.IPv4(t.Header[inet.EtherLen:])
		ip.SetDst(b.Addr.Addr())
		ip.SetTTL(1)
		ip.UpdateChecksum()
		return t
	},
	"arp":          func(_ *rapid.T, a, b *plan.Host) sansio.Train { return arpRequest(a, b.Addr.Addr().As4()) },
	"arp, router":  func(_ *rapid.T, a, _ *plan.Host) sansio.Train { return arpRequest(a, a.Gateway.As4()) },
	"ipv6":         func(_ *rapid.T, a, b *plan.Host) sansio.Train { return etherFrame(a, b, typeIPv6, 50) },
	"experimental": func(_ *rapid.T, a, b *plan.Host) sansio.Train { return etherFrame(a, b, typeExperimental, 30) },
	"no ethernet":  func(_ *rapid.T, _, _ *plan.Host) sansio.Train { return sansio.Train{Header: []byte("short")} },
}

// flow is that of UDP and TCP between two hosts of a subnet.
func flow(a, b *plan.Host) inet.Flow {
	f := from(a, 7)
	f.DstMAC, f.Dst = inet.MAC(b.MAC), b.Addr.Addr()
	return f
}

// whole makes a train of one that is all header, as for a frame that does not parse.
func whole(t sansio.Train) sansio.Train {
	return sansio.Train{Header: append(bytes.Clone(t.Header), t.Body...)}
}

func summedTCP(f inet.Flow, body []byte) sansio.Train {
	h := inet.TCPHeader(f, 0)
	inet.SetTCPBody(h, len(body))
	tcp := inet.TCP(h[inet.EtherLen+inet.IPv4Len:])
	tcp.SetChecksum(inet.TransportChecksum(inet.IPv4(h[inet.EtherLen:]), tcp, body))
	return sansio.Train{Header: h, Body: body}
}

func echoRequest(f inet.Flow) sansio.Train {
	h := inet.UDPHeader(f)[:inet.EtherLen+inet.IPv4Len]
	msg := []byte{8, 0, 0, 0, 1, 2, 3, 4, 'p', 'i', 'n', 'g'}
	sum := ^inet.Fold(inet.Sum(msg, 0))
	msg[2], msg[3] = byte(sum>>8), byte(sum)
	ip := inet.IPv4(h[inet.EtherLen:])
	ip[9] = inet.ProtoICMP
	ip.SetTotalLen(inet.IPv4Len + len(msg))
	ip.UpdateChecksum()
	return sansio.Train{Header: h, Body: msg}
}

func arpRequest(a *plan.Host, who [4]byte) sansio.Train {
	h := make([]byte, inet.EtherLen+inet.ARPLen)
	inet.Ether(h).Put(inet.BroadcastMAC, inet.MAC(a.MAC), inet.TypeARP)
	copy(h[inet.EtherLen:], []byte{0, 1, 8, 0, 6, 4, 0, 1})
	copy(h[inet.EtherLen+8:], a.MAC[:])
	copy(h[inet.EtherLen+14:], a.Addr.Addr().AsSlice())
	copy(h[inet.EtherLen+24:], who[:])
	return sansio.Train{Header: h}
}

func etherFrame(a, b *plan.Host, etherType uint16, n int) sansio.Train {
	h := make([]byte, inet.EtherLen+n)
	inet.Ether(h).Put(inet.MAC(b.MAC), inet.MAC(a.MAC), etherType)
	return sansio.Train{Header: h}
}

func drawFrame(rt *rapid.T, p *plan.Plan) sansio.Arrival {
	a := &p.Hosts[rapid.IntRange(0, len(p.Hosts)-1).Draw(rt, "from")]
	b := &p.Hosts[(a.Index+rapid.IntRange(1, len(p.Hosts)-1).Draw(rt, "other"))%len(p.Hosts)]
	kind := rapid.SampledFrom(slices.Sorted(func(yield func(string) bool) {
		for k := range frameKinds {
			if !yield(k) {
				return
			}
		}
	})).Draw(rt, "kind")
	return sansio.Arrival{Port: sansio.Port(a.SwitchPort), Train: frameKinds[kind](rt, a, b)}
}

// transitWants are the ways in which an engine can be on the way of frames.
var transitWants = []dataplane.Wants{
	{Transit: true}, {Transit: true, ARP: true}, {Leaving: true}, {Leaving: true, ARP: true}, {Transit: true, Leaving: true, ARP: true},
}

// What an engine gives back unchanged is forwarded as if it had not been there: to the
// byte and to the picosecond, wherever the engine stands, with links, fabric and a server
// before it, whoever owns the memory.
func TestAsIfNoEngineWereThere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec := rapid.SampledFrom([]topo.LinkSpec{{}, shaped(hundredG), {Rate: units.GbitPerSecond, Loss: 0.1, Queue: 3000}})
		topology := rapid.SampledFrom([]string{"rack", "mx480"}).Draw(rt, "topology")
		params := gen.Params{Hosts: 4, Link: spec.Draw(rt, "link")}
		if topology == "mx480" {
			params.Fabric = spec.Draw(rt, "fabric")
		}
		p := chassistest.Plan(rt, topology, params)
		cfg := Config{Switch: p.Switches[0], MTU: p.MTU, Seed: 1}
		passed := crossing{Config: cfg}
		e := chassistest.Transit{Want: rapid.SampledFrom(transitWants).Draw(rt, "wants")}
		if rapid.Bool().Draw(rt, "claims some") {
			e.Claim = func(f dataplane.Frame) dataplane.Claim {
				return dataplane.Claim(len(f.Header) % 2 * int(dataplane.InTransit))
			}
		}
		for pfe := range cfg.pfes() {
			one := e
			passed.add(pfe, "passing", &one)
		}
		plain, through := newRig(t, cfg), passed.rig(t)
		if rapid.Bool().Draw(rt, "keeping") {
			through.keeping()
		}
		now := units.Time(0)
		for range rapid.IntRange(1, 20).Draw(rt, "frames") {
			now += units.Time(rapid.IntRange(0, 2000).Draw(rt, "gap ns")) * 1000
			in := drawFrame(rt, p)
			plain.handle(now, in)
			through.handle(now, in)
		}
		end := units.Time(units.Second)
		plain.until(end)
		through.until(end)
		if diff := cmp.Diff(byPort(plain.take()), byPort(through.take())); diff != "" {
			rt.Fatalf("frames differ (-without +with an engine):\n%s", diff)
		}
		if diff := cmp.Diff(plain.c.Counters(), without(through.c.Counters(), "/passing/")); diff != "" {
			rt.Fatalf("counters differ (-without +with an engine):\n%s", diff)
		}
		if diff := cmp.Diff(plain.c.PortStats(), through.c.PortStats()); diff != "" {
			rt.Fatalf("port counters differ (-without +with an engine):\n%s", diff)
		}
		if n := through.c.Made(); n != 0 {
			rt.Fatalf("the engine is said to have made %d frames", n)
		}
	})
}

// without returns the counters whose name does not hold a part.
func without(list []sansio.Count, part string) (out []sansio.Count) {
	for _, c := range list {
		if !strings.Contains(c.Name, part) {
			out = append(out, c)
		}
	}
	return out
}

// meddle drops, holds, changes and answers frames as their bytes say.
func meddle(at sansio.Port, t *sansio.Train) (v chassistest.Verdict) {
	sum := inet.Fold(inet.Sum(t.Body, inet.Sum(t.Header, 0)))
	switch sum % 5 {
	case 0:
		v.Drop = true
	case 1:
		v.Hold = units.Duration(sum) * units.Nanosecond
	case 2:
		v.Change = func(t *sansio.Train) {
			if n := len(t.Body); n > 0 {
				t.Body[n-1]++
			} else {
				t.Header[len(t.Header)-1]++
			}
		}
	case 3:
		back := sansio.Train{Header: bytes.Clone(t.Header), Body: bytes.Clone(t.Body), Checksum: t.Checksum}
		h := inet.Ether(back.Header)
		h.Put(h.Src(), h.Dst(), h.Type())
		v.Drop, v.Send, v.To = true, &back, at
		if port, ok := dataplane.IsInbound(at); ok {
			v.To = dataplane.Outbound(port)
		}
	}
	return v
}

// Whether frames come in trains or alone, an engine that drops, holds, changes and
// answers them makes the same of them.
func TestTrainsInTransitAreTheirFrames(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		spec := rapid.SampledFrom([]topo.LinkSpec{{}, shaped(hundredG), {Rate: units.GbitPerSecond, Loss: 0.1, Queue: 3000}})
		p := chassistest.Plan(rt, "mx480", gen.Params{Link: spec.Draw(rt, "link"), Fabric: spec.Draw(rt, "fabric")})
		want := rapid.SampledFrom(transitWants).Draw(rt, "wants")
		var rigs [2]*rig
		for i := range rigs {
			x := crossing{Config: trioConfig(p).config()}
			for pfe := range x.pfes() {
				x.add(pfe, "meddling", &chassistest.Transit{Want: want, Do: meddle})
			}
			rigs[i] = x.rig(t)
		}
		if rapid.Bool().Draw(rt, "keeping") {
			rigs[0].keeping()
		}
		together, apart := rigs[0], rigs[1]
		now := units.Time(0)
		for range rapid.IntRange(1, 12).Draw(rt, "trains") {
			now += units.Time(rapid.IntRange(0, 2000).Draw(rt, "gap ns")) * 1000
			in := drawFrame(rt, p)
			if rapid.Bool().Draw(rt, "aggregate") {
				in = drawArrival(rt, p)
			}
			together.handle(now, in)
			var single []sansio.Arrival
			for i := range in.Train.Frames() {
				single = append(single, sansio.Arrival{Port: in.Port, Train: in.Train.Frame(i, nil)})
			}
			apart.handle(now, single...)
		}
		end := units.Time(50 * units.Millisecond)
		together.until(end)
		apart.until(end)
		if diff := cmp.Diff(byPort(apart.take()), byPort(together.take())); diff != "" {
			rt.Fatalf("frames differ (-apart +together):\n%s", diff)
		}
		if diff := cmp.Diff(apart.c.Counters(), together.c.Counters()); diff != "" {
			rt.Fatalf("counters differ (-apart +together):\n%s", diff)
		}
	})
}

// A train that is given back whole is forwarded whole.
func TestTrainsStayTrains(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 2})
	for _, want := range transitWants {
		x := crossing{Config: Config{Switch: p.Switches[0]}}
		x.add(0, "passing", &chassistest.Transit{Want: want})
		r := x.rig(t)
		in := hostTrain(&p.Hosts[0], &p.Hosts[1], 30, 100)
		r.c.Handle(0, []sansio.Arrival{in}, &r.eff)
		if r.c.NextDeadline() == 0 {
			r.c.Expire(0, &r.eff)
		}
		if len(r.eff.Sends) != 1 || r.eff.Sends[0].Train.Frames() != 30 {
			t.Errorf("%+v: %d sends, want one of 30 frames", want, len(r.eff.Sends))
		}
	}
}

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
		`"telemetry" and "police" both want the frames in transit of pfe1: one program of a PFE may have them: leave one out, or run it on another PFE`: func(x *crossing) {
			x.add(0, "telemetry", &chassistest.Transit{Want: transit})
			x.add(0, "police", &chassistest.Transit{Want: transit})
		},
		`"telemetry" and "police" both want the frames that leave by ports of pfe2: one program of a PFE may have them: leave one out, or run it on another PFE`: func(x *crossing) {
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

// A PFE with time through which frames pass twice, when they arrive and when they leave,
// loses and changes none of them, at one instant neither.
func TestPFEWithTwoTurns(t *testing.T) {
	program, err := microcode.Compile("pass.mc", "packet entry start;\nstart: begin Forward(0); exit; end")
	if err != nil {
		t.Fatal(err)
	}
	timing := trio.DefaultTiming()
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 4})
	rapid.Check(t, func(rt *rapid.T) {
		cfg := Config{Switch: p.Switches[0], MTU: p.MTU, Transit: []Program{{System: "pass"}}}
		c, err := New(cfg, func(string, json.RawMessage, trace.Sink) (dataplane.Engine, error) {
			return trio.New(trio.Config{
				Program: program, Timing: &timing, Wants: dataplane.Wants{Transit: true, Leaving: true}, NextHops: []trio.NextHop{{Back: true}},
				Memory: mem.Config{SRAM: units.MiB, DRAM: units.MiB, Records: 1},
			})
		}, nil)
		if err != nil {
			rt.Fatal(err)
		}
		cfg.Transit = nil
		plain, passed := newRig(t, cfg), &rig{t: t, c: c}
		if rapid.Bool().Draw(rt, "keeping") {
			passed.keeping()
		}
		now := units.Time(0)
		for range rapid.IntRange(1, 30).Draw(rt, "frames") {
			now += units.Time(rapid.SampledFrom([]int{0, 0, 100, 5000}).Draw(rt, "gap ns")) * 1000
			in := drawFrame(rt, p)
			plain.handle(now, in)
			passed.handle(now, in)
		}
		plain.until(units.Time(units.Second))
		passed.until(units.Time(units.Second))
		frames := func(list []delivery) (out []string) {
			for _, d := range list {
				out = append(out, fmt.Sprintf("%d %x", d.Port, d.Frame))
			}
			slices.Sort(out) // flows are in order, others of one port need not be
			return out
		}
		if diff := cmp.Diff(frames(plain.take()), frames(passed.take())); diff != "" {
			rt.Fatalf("frames differ (-without +with a PFE):\n%s", diff)
		}
	})
}
