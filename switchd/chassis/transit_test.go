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

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
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
		fareAlike(rt, rigs[0], rigs[1], func() sansio.Arrival {
			in := drawFrame(rt, p)
			if rapid.Bool().Draw(rt, "aggregate") {
				in = drawArrival(rt, p)
			}
			return in
		})
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
