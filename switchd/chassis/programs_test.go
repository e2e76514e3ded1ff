package chassis

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/transit"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/microcode"
	"github.com/inalab/inalab/switchd/program/user"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// wall forwards what comes to hop 0 and counts it, but for IPv4 from one address.
const wall = `
struct ether_ip_t { : 96; etype : 16; : 96; src : 32; dst : 32; };
register packet_work_t r_work @ WORK_REGISTER;
virtual ether_ip_t *pkt = HEAD_START;
counter passed;
export virtual DROP_BLOCKED = 1;
packet entry start;
start: begin if (pkt->etype == 0x0800 && pkt->src == 0x%x) goto blocked; end
begin CounterIncPhys(passed, r_work.pkt_len); end
begin Forward(0); exit; end
blocked: begin Drop(DROP_BLOCKED); exit; end
`

// wallAgainst is a program that keeps out what a host sends; nil: nothing.
func wallAgainst(name string, h *plan.Host) user.Config {
	addr := uint32(1)
	if h != nil {
		b := h.Addr.Addr().As4()
		addr = binary.BigEndian.Uint32(b[:])
	}
	return user.Config{Name: name, File: name + ".mc", Text: fmt.Sprintf(wall, addr), Hops: []user.Hop{{Routing: true}}}
}

func load(pfe int, u user.Config) Program {
	return Program{PFE: pfe, System: user.System, Name: u.Name, Config: encoded(u)}
}

// userRig is a switch with programs; the system's is Trio-ML in Microcode.
func userRig(t testing.TB, cfg Config, programs ...Program) *rig {
	t.Helper()
	c, err := newUser(cfg, programs...)
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, c: c}
}

func newUser(cfg Config, programs ...Program) (*Chassis, error) {
	return newUserBeside(microcode.Options{}, cfg, programs...)
}

// newUserBeside is newUser with options for Trio-ML.
func newUserBeside(opts microcode.Options, cfg Config, programs ...Program) (*Chassis, error) {
	cfg.System, cfg.Transit = "trioml", programs
	return New(cfg, transit.Maker("trioml", func(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
		var c trioml.Config
		if err := json.Unmarshal(config, &c); err != nil {
			return nil, err
		}
		c.Trace = sink
		return microcode.New(c, opts)
	}), nil)
}

func (r *rig) count(name string) uint64 { return sansio.CountOf(r.c.Counters(), name) }

// Trio-ML and a firewall on one PFE: the sums are right, and what the firewall keeps out
// does not pass, whatever the links are, and with time, when both have the same threads.
func TestTrioMLBesideAUsersProgram(t *testing.T) {
	timing := trio.DefaultTiming()
	for name, opts := range map[string]microcode.Options{"ideal": {}, "shaped": {}, "timed": {Timing: &timing}} {
		spec := links[name]
		t.Run(name, func(t *testing.T) {
			p := chassistest.Plan(t, "mx480", gen.Params{Link: spec, Fabric: spec})
			blocked := &p.Hosts[1]
			only := wallAgainst("wall", blocked)
			only.Match = dataplane.Match{Dst: alone(&p.Hosts[2]), Port: 9}
			all := wallAgainst("all", nil)
			out := wallAgainst("out", nil)
			out.Side, out.Match = user.Egress, dataplane.Match{Port: 12000}
			c, err := newUserBeside(opts, trioConfig(p).config(), load(0, only), load(0, all), load(1, all), load(0, out))
			if err != nil {
				t.Fatal(err)
			}
			r := &rig{t: t, c: c}
			for i := range p.Hosts {
				in := []sansio.Arrival{trioTrain(&p.Hosts[i], 16, 0, 1, 2)}
				if i != 2 {
					in = append(in, hostTrain(&p.Hosts[i], &p.Hosts[2], 1, 100))
				}
				r.handle(0, in...)
			}
			r.until(units.Time(units.Millisecond))
			var results, others []delivery
			for _, d := range r.take() {
				if inet.UDP(d.Frame[inet.EtherLen+inet.IPv4Len:]).DstPort() == 9 {
					others = append(others, d)
				} else {
					results = append(results, d)
				}
			}
			wantTrioResults(t, results, 3, 16, []int{0, 1, 2, 3, 4, 5}, false)
			if want := len(p.Hosts) - 2; len(others) != want {
				t.Errorf("%d of the hosts' frames came, want %d: of all but %s", len(others), want, blocked.Name)
			}
			if joined := len(c.Loaded()[0].Engine.(*user.Engine).Snapshot().PPEsBusy) > 0; joined != (opts.Timing != nil) {
				t.Errorf("the firewall has the threads of Trio-ML: %v", joined)
			}
			// Each of the three hosts on a PFE sends three packets of Trio-ML, and gets three results.
			for counter, want := range map[string]uint64{"pfe1/wall/wall-blocked": 1, "pfe1/wall/wall-passed": 1, "pfe1/all/all-passed": 9, "pfe2/all/all-passed": 12, "pfe1/out/out-passed": 9} {
				if got := r.count(counter); got != want {
					t.Errorf("%s: %d, want %d", counter, got, want)
				}
			}
			if n := r.c.UnaskedDrops(); len(n) != 0 {
				t.Errorf("drops %v", n)
			}
		})
	}
}

// Every kind of frame passes a program whose match is all frames: the switch forwards as if
// there were none, programs on both sides.
func TestProgramsForAllFrames(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{Hosts: 4})
	cfg := Config{Switch: p.Switches[0], MTU: p.MTU}
	var list []Program
	for pfe := range 2 {
		out := wallAgainst("out", nil)
		out.Side = user.Egress
		list = append(list, load(pfe, wallAgainst("in", nil)), load(pfe, out))
	}
	plain, passed := newRig(t, cfg), userRig(t, cfg, list...)
	frames := []sansio.Arrival{
		hostTrain(&p.Hosts[0], &p.Hosts[1], 30, 700),
		{Port: sansio.Port(p.Hosts[0].SwitchPort), Train: etherFrame(&p.Hosts[0], &p.Hosts[1], typeExperimental, 50)},
		{Port: sansio.Port(p.Hosts[0].SwitchPort), Train: etherFrame(&p.Hosts[0], &p.Hosts[1], inet.TypeARP, 50)},
	}
	for i, f := range frames {
		plain.handle(units.Time(i), f)
		passed.handle(units.Time(i), f)
	}
	plain.until(units.Time(units.Second))
	passed.until(units.Time(units.Second))
	want := plain.take()
	if diff := cmp.Diff(byPort(want), byPort(passed.take())); diff != "" || len(want) != 30 {
		t.Errorf("%d frames; they differ (-without +with programs):\n%s", len(want), diff)
	}
	if in := passed.count("pfe1/in/in-passed"); in != 32 {
		t.Errorf("%d packets passed on arrival, want 32", in)
	}
}

// A frame has the first program whose match it is, and no other.
func TestFirstMatch(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	named := func(name string, m dataplane.Match) Program {
		u := wallAgainst(name, nil)
		u.Match = m
		return load(0, u)
	}
	r := userRig(t, Config{Switch: p.Switches[0]}, named("udp9", dataplane.Match{Protocol: inet.ProtoUDP, Port: 9}),
		named("h2", dataplane.Match{Dst: alone(&p.Hosts[2])}), named("ip", dataplane.Match{EtherType: inet.TypeIPv4}))
	other := func(to *plan.Host) sansio.Arrival {
		f := from(&p.Hosts[0], 10)
		f.DstMAC, f.Dst = inet.MAC(to.MAC), to.Addr.Addr()
		return sansio.Arrival{Train: trainOf(f, []byte{1})}
	}
	r.handle(0, hostTrain(&p.Hosts[0], &p.Hosts[2], 1, 9), other(&p.Hosts[1]), other(&p.Hosts[2]), other(&p.Hosts[2]),
		sansio.Arrival{Train: etherFrame(&p.Hosts[0], &p.Hosts[1], typeExperimental, 50)})
	for name, want := range map[string]uint64{"udp9": 1, "h2": 2, "ip": 1} {
		if got := r.count("engine/" + name + "/" + name + "-passed"); got != want {
			t.Errorf("%s saw %d packets, want %d", name, got, want)
		}
	}
	if got := r.take(); len(got) != 4 { // forwarding has no way for the last
		t.Errorf("%d frames came, want 4", len(got))
	}
}

// alone is the prefix of one host.
func alone(h *plan.Host) netip.Prefix { return netip.PrefixFrom(h.Addr.Addr(), 32) }

// A program on the side of egress sees frames at the PFE of the port by which they leave: what
// forwarding sends there, and what a program on arrival does; not what it sends itself.
func TestEgress(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{})
	to, a := &p.Hosts[0], &p.Hosts[5]
	pfe := p.Switches[0].Ports[to.SwitchPort].PFE
	if p.Switches[0].Ports[a.SwitchPort].PFE == pfe {
		t.Fatal("both hosts are on one PFE")
	}
	out := wallAgainst("out", &p.Hosts[1])
	out.Side = user.Egress
	direct := wallAgainst("direct", nil)
	direct.Hops = []user.Hop{{Ports: []sansio.Port{sansio.Port(to.SwitchPort)}}}
	direct.Match = dataplane.Match{EtherType: typeExperimental}
	for _, side := range []int{pfe, p.Switches[0].Ports[a.SwitchPort].PFE} {
		r := userRig(t, Config{Switch: p.Switches[0]}, load(pfe, out), load(side, direct))
		r.handle(0, hostTrain(a, to, 2, 100), hostTrain(&p.Hosts[1], to, 1, 100),
			sansio.Arrival{Port: sansio.Port(p.Hosts[side*3].SwitchPort), Train: etherFrame(a, &p.Hosts[4], typeExperimental, 50)})
		r.until(units.Time(units.Second))
		got := r.take()
		name := p.Switches[0].Chassis.PFEs[pfe].Name
		if len(got) != 3 || slices.ContainsFunc(got, func(d delivery) bool { return d.Port != sansio.Port(to.SwitchPort) }) {
			t.Errorf("direct on PFE %d: %d frames came, want 3 at one port", side, len(got))
		}
		if passed, blocked := r.count(name+"/out/out-passed"), r.count(name+"/out/out-blocked"); passed != 3 || blocked != 1 {
			t.Errorf("direct on PFE %d: %d passed and %d were blocked on leaving, want 3 and 1", side, passed, blocked)
		}
	}
}

// What a program on leaving sends by a port comes to no other program there.
func TestEgressSendsOut(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	turned, all := wallAgainst("turned", nil), wallAgainst("all", nil)
	turned.Match, turned.Hops = dataplane.Match{Port: 9}, []user.Hop{{Ports: []sansio.Port{2}}}
	turned.Side, all.Side = user.Egress, user.Egress
	r := userRig(t, Config{Switch: p.Switches[0]}, load(0, turned), load(0, all))
	r.handle(0, hostTrain(&p.Hosts[0], &p.Hosts[1], 1, 9))
	if got := r.take(); len(got) != 1 || got[0].Port != 2 || r.count("engine/all/all-passed") != 0 {
		t.Errorf("frames %v came, and %d passed the other program, want one by port 2 and none", got, r.count("engine/all/all-passed"))
	}
}

// What a program claims that another has is refused by name, before anything runs.
func TestRefusesPrograms(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{Hosts: 2})
	far := p.Hosts[1].SwitchPort
	dns := dataplane.Match{Protocol: inet.ProtoUDP, Port: 53}
	with := func(name string, change func(*user.Config)) Program {
		u := wallAgainst(name, nil)
		change(&u)
		return load(0, u)
	}
	same := func(*user.Config) {}
	for want, list := range map[string][]Program{
		`program "dns" of pfe1 would have no frame: of those that arrive, "all" before it has all frames: put "dns" first, narrow a match, or run one on another PFE`: {
			with("all", same), with("dns", func(u *user.Config) { u.Match = dns })},
		`of those that leave, "one" before it has IPv4 UDP port 53`: {
			with("one", func(u *user.Config) { u.Match, u.Side = dns, user.Egress }), with("two", func(u *user.Config) { u.Match, u.Side = dns, user.Egress })},
		`two programs of pfe1 are called "all": give one another name`: {
			with("all", func(u *user.Config) { u.Match = dns }), with("all", same)},
		`sees frames that leave, and sends by port`: {
			with("out", func(u *user.Config) {
				u.Side, u.Hops = user.Egress, []user.Hop{{Ports: []sansio.Port{sansio.Port(far)}}}
			})},
		`program of pfe1/all: results leave by port 3, which has no link`: {
			with("all", func(u *user.Config) { u.Hops = []user.Hop{{Ports: []sansio.Port{3}}} })},
		`loading program "all": all.mc:1:9: `: {with("all", func(u *user.Config) { u.Text = "nonsense" })},
	} {
		if _, err := newUser(Config{Switch: p.Switches[0]}, list...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\nwant %s", err, want)
		}
	}
	if _, err := newUser(Config{Switch: p.Switches[0]}, with("dns", func(u *user.Config) { u.Match = dns }), with("all", same),
		with("out", func(u *user.Config) { u.Side = user.Egress })); err != nil {
		t.Error(err)
	}
}

// What is wrong with a program on several PFEs is said once, with their names.
func TestRefusalNamesAllPFEs(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{})
	most := microcode.Options{Memory: mem.Config{Records: 1 << 16}}
	var list []Program
	for pfe := range p.Switches[0].Chassis.PFEs {
		big := wallAgainst("big", nil)
		big.Records, big.Match = 1<<16, dataplane.Match{Port: 9}
		list = append(list, load(pfe, big))
	}
	_, err := newUserBeside(most, trioConfig(p).config(), list...)
	const want = `program "big" of pfe1, pfe2, pfe3, pfe4, pfe5, pfe6: program big.mc needs `
	if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "needs") != 1 {
		t.Errorf("error %v\nwant once %s", err, want)
	}
}

// Programs of defaults fit on one PFE, beside Trio-ML with all the records that it may have.
func TestDefaultsFit(t *testing.T) {
	p := chassistest.Plan(t, "mx480", gen.Params{})
	reports := json.RawMessage(`{"PFE":{"Leaving":true},"Collector":{"Src":"10.9.9.1","Dst":"10.9.9.2"},"Reports":[0]}`)
	most := microcode.Options{Memory: mem.Config{Records: 1 << 16}}
	for records, fits := range map[int]bool{0: true, 1 << 16: false} {
		own := wallAgainst("own", nil)
		own.Records, own.Match = records, dataplane.Match{Port: 9}
		_, err := newUserBeside(most, trioConfig(p).config(), load(0, own), Program{System: "police"}, Program{System: "telemetry", Config: reports})
		if fits && err != nil || !fits && (err == nil || !strings.Contains(err.Error(), "of SRAM, and of 8MiB others of the PFE have [trioml.mc ")) {
			t.Errorf("%d records of a user's program: %v", records, err)
		}
	}
}

// A faulty program loses its own frames, which are counted with the place; all others go on.
func TestFaultyProgram(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	endless := user.Config{Name: "endless", File: "endless.mc", Text: "packet entry start;\nstart: begin goto start; end", Match: dataplane.Match{Port: 9}}
	r := userRig(t, Config{Switch: p.Switches[0]}, load(0, endless))
	other := from(&p.Hosts[0], 10)
	other.DstMAC, other.Dst = inet.MAC(p.Hosts[1].MAC), p.Hosts[1].Addr.Addr()
	r.handle(0, hostTrain(&p.Hosts[0], &p.Hosts[1], 5, 9), sansio.Arrival{Train: trainOf(other, []byte{1})})
	if got := r.take(); len(got) != 1 {
		t.Errorf("%d frames came, want the one that is not the program's", len(got))
	}
	for _, name := range []string{"pfe-instruction-limit", "pfe-instruction-limit at endless.mc:2:8"} {
		if got := r.count("engine/endless/" + name); got != 5 {
			t.Errorf("%s: %d, want 5", name, got)
		}
	}
	if got := r.c.Loaded()[0].Engine.(*user.Engine).Snapshot().Most; got != user.DefaultInstructions {
		t.Errorf("a thread executed %d instructions, want %d", got, user.DefaultInstructions)
	}
}

// A program is replaced while packets are inside: those are counted, all that come later pass
// the new one, and the counters of both are added up.
func TestReplace(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	timing := trio.DefaultTiming()
	old, next := wallAgainst("wall", nil), wallAgainst("wall", &p.Hosts[0])
	old.Timing, next.Timing = &timing, &timing
	r := userRig(t, Config{Switch: p.Switches[0]}, load(0, old))
	pair := func() []sansio.Arrival {
		return []sansio.Arrival{hostTrain(&p.Hosts[0], &p.Hosts[2], 2, 100), hostTrain(&p.Hosts[1], &p.Hosts[2], 2, 100)}
	}
	r.handle(0, pair()...)
	r.until(units.Time(units.Millisecond))
	at := units.Time(2 * units.Millisecond)
	r.handle(at, pair()...)
	before := len(r.take())
	lost, err := r.c.Reload(-1, "wall", "new.mc", next.Text)
	if err != nil || len(lost) != 1 || lost[0] != (dataplane.Replaced{PFE: "engine", Program: "wall", InFlight: 4}) || r.count("chassis/program-replaced/engine/wall") != 4 {
		t.Fatalf("%+v, %v, counters %v: want 4 packets in flight", lost, err, r.c.Counters())
	}
	r.handle(2*at, pair()...)
	r.until(units.Time(units.Second))
	if after := r.take(); before != 4 || len(after) != 2 || bytes.Equal(after[0].Frame[6:12], p.Hosts[0].MAC[:]) {
		t.Errorf("%d frames came before and %d after, want 4 and 2, of %s", before, len(after), p.Hosts[1].Name)
	}
	if came, blocked := r.count("engine/wall/pfe-packets"), r.count("engine/wall/wall-blocked"); came != 12 || blocked != 2 {
		t.Errorf("%d packets came and %d were blocked, want 12 and 2", came, blocked)
	}
	list := r.c.Loaded()
	if len(list) != 1 || list[0].Name != "wall" || list[0].Engine.(*user.Engine).Program().Name != "new.mc" {
		t.Errorf("loaded are %+v", list)
	}
}

// A replacement that cannot be is refused by name, and the old program goes on.
func TestReplaceRefuses(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3, Link: topo.LinkSpec{}})
	one, two := wallAgainst("one", nil), wallAgainst("two", nil)
	one.Match = dataplane.Match{Port: 9}
	r := userRig(t, Config{Switch: p.Switches[0]}, load(0, one), load(0, two))
	with := func(change func(*user.Config)) Program {
		u := one
		change(&u)
		return load(0, u)
	}
	for want, next := range map[string]Program{
		`unknown-program: there is no program "three" on tor: there are ["one" "two"]`: with(func(u *user.Config) { u.Name = "three" }),
		`unknown-program: there is no PFE 7`:                                           {PFE: 7},
		`bad-program: loading program "one": one.mc:1:9: `:                             with(func(u *user.Config) { u.Text = "nonsense" }),
		`bad-program: program "one" of engine would see frames elsewhere`:              with(func(u *user.Config) { u.Side = user.Egress }),
		`bad-program: program "two" of engine would have no frame`:                     with(func(u *user.Config) { u.Match = dataplane.Match{} }),
		`bad-program: program of engine/one: results leave by port 77, which has no`:   with(func(u *user.Config) { u.Hops = []user.Hop{{Ports: []sansio.Port{77}}} }),
	} {
		if _, err := r.c.Replace(next); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v\nwant %s", err, want)
		}
	}
	r.handle(0, hostTrain(&p.Hosts[0], &p.Hosts[1], 3, 9))
	if got := r.count("engine/one/one-passed"); got != 3 || len(r.take()) != 3 {
		t.Errorf("%d packets passed the old program, want 3", got)
	}
}

// What a program on arrival lets pass comes to an engine of the system that wants frames in
// transit, and what that lets out by a port to a program on leaving.
func TestProgramsAroundTheSystemsEngine(t *testing.T) {
	p := chassistest.Plan(t, "rack", gen.Params{Hosts: 3})
	out := wallAgainst("out", nil)
	out.Side = user.Egress
	var seen []sansio.Port
	system := &chassistest.Transit{Want: dataplane.Wants{Transit: true, Leaving: true}, Do: func(at sansio.Port, _ *sansio.Train) chassistest.Verdict {
		seen = append(seen, at)
		return chassistest.Verdict{}
	}}
	cfg := Config{Switch: p.Switches[0], System: "own", Programs: []json.RawMessage{[]byte("{}")}, Transit: []Program{load(0, wallAgainst("in", &p.Hosts[1])), load(0, out)}}
	c, err := New(cfg, transit.Maker("own", func(json.RawMessage, trace.Sink) (dataplane.Engine, error) { return system, nil }), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, c: c}
	r.handle(0, hostTrain(&p.Hosts[0], &p.Hosts[2], 1, 9), hostTrain(&p.Hosts[1], &p.Hosts[2], 1, 9))
	r.until(0)
	if want := []sansio.Port{dataplane.Inbound(0), dataplane.Outbound(2)}; !slices.Equal(seen, want) || len(r.take()) != 1 {
		t.Errorf("the system's engine saw frames at %v, want %v", seen, want)
	}
	if in, o := r.count("engine/in/in-passed"), r.count("engine/out/out-passed"); in != 1 || o != 1 {
		t.Errorf("%d passed on arrival and %d on leaving, want 1 and 1", in, o)
	}
}
