package conductor

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/xaggctl"
)

func TestModes(t *testing.T) {
	for _, c := range []struct {
		mode             Mode
		workers, servers int
		k                int
		want             string
	}{
		{Star, 4, 2, 0, "ps(w1 w2 w3 w4)"},
		{Plan, 4, 2, 0, "ps(w1 w2 w3 w4)"},
		{KAry, 4, 2, 2, "ps(s1(w1 w2) s2(w3 w4))"},
		{KAry, 12, 4, 4, "ps(s1(w1 w2 w3 w4) s2(w5 w6 w7 w8) s3(w9 w10 w11 w12))"},
		{KAry, 24, 6, 7, "ps(s1(w1 w2 w3 w4 w5 w6 w7) s2(w8 w9 w10 w11 w12 w13 w14) s3(w15 w16 w17 w18 w19 w20 w21) s4(w22 w23 w24))"},
		{Testbed, 7, 2, 0, "ps(s1(w1 w2 w3) s2(w4 w5 w6) w7)"},
		{Testbed, 7, 5, 5, "ps(s1(w1 w2 w3) s2(w4 w5 w6) w7)"},
		{Star, 31, 0, 0, "ps(w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15 w16 w17 w18 w19 w20 w21 w22 w23 w24 w25 w26 w27 w28 w29 w30 w31)"},
	} {
		cfg := testConfig(c.mode, c.workers, c.servers)
		cfg.K = c.k
		b := newBench(t, cfg)
		b.tree(c.want)
		if b.c.Version() != 1 {
			t.Errorf("%s: version %d", c.mode, b.c.Version())
		}
		b.open(65535)
	}
}

func TestBadConfigs(t *testing.T) {
	for want, change := range map[string]func(c *Config){
		`tree "ring"`:                             func(c *Config) { c.Mode = "ring" },
		"tree testbed with 6 workers":             func(c *Config) { c.Workers = c.Workers[1:] },
		"tree testbed: workers come out":          func(c *Config) { c.Servers[1].Bandwidth = 10 * g },
		"period -1":                               func(c *Config) { c.Period = -1 },
		"host ids have 32 bits":                   func(c *Config) { c.Servers = append(c.Servers, testConfig(KAry, 0, 31).Servers...) },
		`host "w1" has host id 0x3: it must`:      func(c *Config) { c.Workers[0].ID = 3 },
		`hosts "ps" and "w1" have host id 0x1`:    func(c *Config) { c.Workers[0].ID = 1 },
		`host "w2" has address invalid IP`:        func(c *Config) { c.Workers[1].Addr = Host{}.Addr },
		`host "s1" has Ethernet address 00000000`: func(c *Config) { c.Servers[0].MAC = inet.MAC{} },
		"is named twice":                          func(c *Config) { c.Workers[0].Name = "ps" },
		`host "w3" is named twice`:                func(c *Config) { c.Servers[0].Name = "w3" },
		"k = 32 children: 2 to 31":                func(c *Config) { c.Mode, c.K = Plan, 32 },
		"k = 1 children":                          func(c *Config) { c.Mode, c.K = KAry, 1 },
		"model of 0 bytes":                        func(c *Config) { c.Model = 0 },
	} {
		c := testConfig(Testbed, 7, 2)
		change(&c)
		if _, err := New(0, c); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "conduct job 7: ") {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Only servers that reported are planned with, and the plan waits for them no longer than Startup.
func TestServersThatNeverReport(t *testing.T) {
	b := newBench(t, testConfig(Plan, 7, 3))
	b.open(0)
	b.report(nil, "s2", "s3")
	b.rounds(units.Second)
	b.c.Close(b.now, 0)
	if got, want := b.c.Stall(b.now), "the plan of the tree lacks the first load of s1"; got != want || b.c.MayOpen(1) {
		t.Errorf("stall %q, want %q", got, want)
	}
	if at := b.c.NextDeadline(); at != units.Time(DefaultStartup) {
		t.Errorf("deadline %v", at)
	}
	b.wait(DefaultStartup, "s2", "s3")
	b.tree("ps(s2(w1 w2 w3) s3(w4 w5 w6) w7)")
	b.open(1)
}

// The first times that a worker gives of the first iteration count.
func TestFirstTimesCount(t *testing.T) {
	b := newBench(t, testConfig(Plan, 4, 2))
	b.open(3)
	b.report(nil, "s1")
	long := xaggctl.Times{Training: 9 * units.Second, Transfer: units.Second}
	b.c.Round(b.now, &xaggctl.Message{Host: b.id("w4"), Iteration: 2, Times: long})
	b.c.Round(b.now, &xaggctl.Message{Host: b.id("w3"), Iteration: 3, Times: long})
	b.c.Round(b.now, &xaggctl.Message{Host: b.id("w3"), Iteration: 3, Times: xaggctl.Times{Transfer: 1}})
	b.c.Close(b.now, 3)
	b.now = b.now.Add(2 * DefaultStartup)
	b.c.Expire(b.now)
	if b.c.NextDeadline() <= b.now {
		t.Errorf("deadline %v while times lack", b.c.NextDeadline())
	}
	b.report(nil, "s1", "s2")
	b.rounds(units.Second)
	b.tree("ps(s1(w3 w1) s2(w2 w4))")
	b.open(4)
}

// Where no server fits, the star goes on, and the next iteration is planned again.
func TestNoServerYet(t *testing.T) {
	b := newBench(t, testConfig(Plan, 7, 2))
	b.open(0)
	full := func(l *xaggctl.Load) { l.Used = l.Total }
	b.report(full, "s1", "s2")
	b.rounds(units.Second)
	for i := range uint16(3) {
		b.c.Close(b.now, i)
		b.open(i + 1)
	}
	b.tree("ps(w1 w2 w3 w4 w5 w6 w7)")
	b.noted("all workers send to ps: no server can aggregate")
	if n := len(b.notes); n != 2 {
		t.Errorf("%d notes: %q", n, b.notes)
	}
	b.report(nil, "s1", "s2")
	b.c.Close(b.now, 3)
	b.tree("ps(s1(w1 w2 w3) s2(w4 w5 w6) w7)")
	b.open(4)
}

// A server that says nothing for three periods fails; its children hear of it when its parent has.
func TestSilentServer(t *testing.T) {
	b := running(t, 7, 2, 3)
	b.wait(3*DefaultPeriod-1, "s2")
	b.tree("ps(s1(w1 w2 w3) s2(w4 w5 w6) w7)")
	b.wait(1, "s2")
	b.tree("ps(w1 w2 w3 s2(w4 w5 w6) w7)")
	b.noted("s1 left: no report for 300ms, and one is due every 100ms")
	if list := b.take(); len(list) != 2 || list[0].To.Name != "ps" || list[1].To.Name != "s1" {
		t.Errorf("orders %+v: workers wait for the PS", list)
	}
	if got := b.c.Stall(b.now); got != "version 2 of the tree is not acknowledged by ps, w1, w2, w3" {
		t.Errorf("stall %q", got)
	}
	b.c.Acknowledge(b.now, b.id("ps"), 2)
	if got := b.answer("w2"); !slices.Equal(got, []string{"w1", "w2", "w3"}) {
		t.Errorf("orders to %v once the PS has its own", got)
	}
	// w2 gets its order again, until it answers; s1 does not, as long as it is silent.
	b.now = b.now.Add(DefaultResend)
	b.c.Expire(b.now)
	if got := b.answer(); !slices.Equal(got, []string{"w2"}) || b.c.Stall(b.now) != "" {
		t.Errorf("orders to %v again, stall %q", got, b.c.Stall(b.now))
	}
}

// A server may only be slow: it hears that it is out whenever it reports, is a stranger to its former
// parent, and a candidate after the iteration.
func TestSlowServer(t *testing.T) {
	b := running(t, 7, 2, 3)
	b.wait(3*DefaultPeriod, "s2")
	b.answer("s1")
	if slices.ContainsFunc(b.order("ps").Place.Children, func(c xaggctl.Child) bool { return c.Host == b.id("s1") }) {
		t.Error("s1 is still a child of the PS")
	}
	for range 2 {
		b.report(nil, "s1")
		if got := b.answer("s1"); !slices.Equal(got, []string{"s1"}) || b.order("s1").Place.In() {
			t.Errorf("orders to %v", got)
		}
	}
	b.noted("s1 reports again: it is a candidate after the iteration")
	b.report(nil, "s1")
	b.answer()
	if b.report(nil, "s1"); len(b.take()) != 0 {
		t.Error("s1 knows that it is out, and is told again")
	}
	b.tree("ps(w1 w2 w3 s2(w4 w5 w6) w7)")
	b.c.Close(b.now, 0)
	b.tree("ps(s2(w4 w5 w6) w7 s1(w1 w2 w3))")
	b.open(1)
}

// A server that lost its place fails, though it reports.
func TestRestart(t *testing.T) {
	b := running(t, 7, 2, 3)
	for i := range uint32(3) {
		b.tree("ps(s1(w1 w2 w3) s2(w4 w5 w6) w7)")
		b.c.Report(b.now, &xaggctl.Message{Host: b.id("s1"), Number: 2 + i, Load: xaggctl.Load{Total: 128 * gib, Bandwidth: 100 * g, Cores: 44}})
	}
	b.tree("ps(w1 w2 w3 s2(w4 w5 w6) w7)")
	b.noted("s1 left: 3 reports without the place that it had, as after a restart")
	b.answer()
	b.c.Close(b.now, 0)
	b.open(1)
	for i := range uint32(3) { // s2 between iterations
		b.c.Close(b.now, 1)
		b.c.Report(b.now, &xaggctl.Message{Host: b.id("s2"), Number: 2 + i, Load: xaggctl.Load{Total: 128 * gib, Bandwidth: 100 * g, Cores: 44}})
	}
	b.tree("ps(w4 w5 w6 w7 s1(w1 w2 w3))")
	b.noted("s2 left: 3 reports without the place that it had")
}

// Reports without a place are none of a restart before the place is acknowledged, and after the server
// left.
func TestReportsWithoutPlace(t *testing.T) {
	b := running(t, 8, 6, 2)
	number := uint32(1)
	report := func(name string, used units.Bytes) {
		number++
		b.c.Report(b.now, &xaggctl.Message{Host: b.id(name), Number: number, Load: xaggctl.Load{Used: used, Total: 128 * gib, Bandwidth: 100 * g, Cores: 44}})
	}
	report("s1", 128*gib)
	b.answer("s5")
	for range misplacedReports {
		report("s5", 0)
		report("s1", 0)
	}
	b.tree("ps(s5(w1 w2 s2(w3 w4)) s6(s3(w5 w6) s4(w7 w8)))")
	b.now = b.now.Add(DefaultResend)
	b.c.Expire(b.now)
	b.answer()
	if b.c.Close(b.now, 0); !strings.Contains(b.c.Tree(), "s1(w") && !strings.Contains(b.c.Tree(), "s1(s") {
		t.Errorf("%s: s1 is not used", b.c.Tree())
	}
	b.open(1)
}

// A server that reports and does not acknowledge its place fails, in an iteration and between two. It is
// no candidate before it has acknowledged that.
func TestServerThatDoesNotAnswer(t *testing.T) {
	full := func(l *xaggctl.Load) { l.Used = l.Total }
	for _, c := range []struct {
		open          bool
		before, after string
		others        []string
	}{
		{true, "ps(s5(w1 w2 s2(w3 w4)) s6(s3(w5 w6) s4(w7 w8)))", "ps(w1 w2 s2(w3 w4) s6(s3(w5 w6) s4(w7 w8)))", []string{"s2", "s3", "s4", "s6"}},
		{false, "ps(s5(s7(w1 w2) s2(w3 w4)) s6(s3(w5 w6) s4(w7 w8)))", "ps(s7(w1 w2) s2(w3 w4) s6(s3(w5 w6) s4(w7 w8)))", []string{"s2", "s3", "s4", "s6", "s7"}},
	} {
		b := running(t, 8, 8, 2)
		if !c.open {
			b.c.Close(b.now, 0)
		}
		b.tree("ps(s5(s1(w1 w2) s2(w3 w4)) s6(s3(w5 w6) s4(w7 w8)))")
		b.report(full, "s1")
		for range mostTries {
			b.tree(c.before)
			b.answer("s5")
			b.wait(DefaultResend, append(c.others, "s5")...)
		}
		b.tree(c.after)
		b.noted("s5 left: it did not acknowledge its place, which it was sent 10 times")
		b.answer("s5")
		if c.open {
			b.c.Close(b.now, 0)
		}
		if b.report(nil, "s5"); strings.Contains(b.c.Tree(), "s5") {
			t.Errorf("%s: s5 is used, and did not acknowledge that it left", b.c.Tree())
		}
		b.open(1)
		if b.c.Close(b.now, 1); !strings.Contains(b.c.Tree(), "s5") {
			t.Errorf("%s: s5 is not used", b.c.Tree())
		}
	}
}

// Bandwidth that becomes idle is no load; cores that are wanted elsewhere are.
func TestOverload(t *testing.T) {
	b := running(t, 7, 2, 3)
	b.report(func(l *xaggctl.Load) { l.Bandwidth, l.Cores = 400*g, 10 }, "s1")
	b.tree("ps(s1(w1 w2 w3) s2(w4 w5 w6) w7)")
	b.report(func(l *xaggctl.Load) { l.Bandwidth, l.Cores = 40*g, 4 }, "s1")
	b.tree("ps(s1(w1 w2 w3) s2(w4 w5 w6) w7)")
	b.report(func(l *xaggctl.Load) { l.Bandwidth, l.Cores = 400*g, 9 }, "s1")
	b.tree("ps(w1 w2 w3 s2(w4 w5 w6) w7)")
	b.noted(`s1 left: overloaded: server "s1" has 100Gbit/s idle and 9 idle cores`)
	b.report(func(l *xaggctl.Load) { l.Used = 103 * gib }, "s2")
	b.tree("ps(w1 w2 w3 w4 w5 w6 w7)")
}

// Servers fail at once, one the parent of another, and that of a third.
func TestChainFails(t *testing.T) {
	b := running(t, 8, 8, 2)
	b.tree("ps(s5(s1(w1 w2) s2(w3 w4)) s6(s3(w5 w6) s4(w7 w8)))")
	b.wait(3*DefaultPeriod, "s2", "s3", "s4", "s6")
	b.tree("ps(w1 w2 s2(w3 w4) s6(s3(w5 w6) s4(w7 w8)))")
	if b.c.Version() != 2 {
		t.Errorf("version %d of one change", b.c.Version())
	}
	b.answer()
	for _, name := range []string{"w1", "w2", "s2"} {
		if m := b.order(name); !m.Place.Again || m.Place.Parent.Host != 1 {
			t.Errorf("order to %s: %+v", name, m)
		}
	}
	b.noted("w1, w2 send all of iteration 0 again, to ")
	if b.c.Stall(b.now) != "" {
		t.Error(b.c.Stall(b.now))
	}
}

// A server fails that had not acknowledged what an earlier failure gave it.
func TestFailureDuringChange(t *testing.T) {
	b := running(t, 8, 8, 2)
	full := func(l *xaggctl.Load) { l.Used = l.Total }
	b.report(full, "s1")
	b.tree("ps(s5(w1 w2 s2(w3 w4)) s6(s3(w5 w6) s4(w7 w8)))")
	if got := b.answer("s5"); !slices.Equal(got, []string{"ps", "s1", "s5"}) {
		t.Errorf("orders to %v: w1 and w2 wait for s5", got)
	}
	b.report(full, "s5")
	b.tree("ps(w1 w2 s2(w3 w4) s6(s3(w5 w6) s4(w7 w8)))")
	old := b.order("s5").Number
	b.answer("s5")
	if m := b.order("w1"); !m.Place.Again || m.Place.Parent.Host != 1 || m.Place.Parent.Since != 3 || b.c.Stall(b.now) != "" {
		t.Errorf("order %+v, stall %q", m, b.c.Stall(b.now))
	}
	if b.c.Acknowledge(b.now, b.id("s5"), old); b.c.Drops().Stale != 1 {
		t.Error("an answer to an order that was replaced counts")
	}
}

// An edge that was made in mid-iteration says so until the iteration ends.
func TestAgainLastsAnIteration(t *testing.T) {
	b := running(t, 7, 2, 3)
	b.report(func(l *xaggctl.Load) { l.Used = l.Total }, "s1")
	b.answer("w1") // whose values the PS had of s1
	b.c.Close(b.now, 0)
	if p := b.c.place(b.c.named("w1")); p.Again {
		t.Errorf("place %+v after the iteration", p)
	}
	if b.c.MayOpen(1) {
		t.Error("iteration 1 may open, and w1 does not know its place")
	}
	b.now = b.now.Add(DefaultResend)
	b.c.Expire(b.now)
	b.answer()
	if m := b.order("w1"); m.Place.Again || m.Iteration != 1 {
		t.Errorf("order %+v", m)
	}
	b.open(1)
}

// Between iterations nobody sends anything again, and another server takes the place.
func TestSilentBetweenIterations(t *testing.T) {
	b := running(t, 7, 3, 3)
	b.c.Close(b.now, 0)
	b.wait(3*DefaultPeriod, "s2", "s3")
	b.tree("ps(s3(w1 w2 w3) s2(w4 w5 w6) w7)")
	b.noted("s1 left: no report for 300ms")
	if b.open(1); b.order("w1").Place.Again {
		t.Errorf("order %+v", b.order("w1"))
	}
	b.report(nil, "s1")
	b.noted("s1 reports again")
}

// A server that is silent by now is found before an iteration opens.
func TestOpenLooksFirst(t *testing.T) {
	b := running(t, 7, 2, 3)
	b.c.Close(b.now, 0)
	b.now = b.now.Add(3 * DefaultPeriod)
	if !b.c.MayOpen(1) || b.c.Open(b.now, 1) {
		t.Error("an iteration opens over silent servers")
	}
	b.tree("ps(w1 w2 w3 w4 w5 w6 w7)")
	b.answer("s1", "s2")
	if !b.c.Open(b.now, 1) {
		t.Errorf("iteration 1 waits for servers that left: %q", b.c.Stall(b.now))
	}
}

func TestOrderOfIterations(t *testing.T) {
	b := newBench(t, testConfig(Star, 2, 0))
	if b.c.MayOpen(0) || b.c.Open(b.now, 0) || b.c.Close(b.now, 0) {
		t.Error("an iteration opens before anybody knows its place")
	}
	b.open(65535)
	if b.c.MayOpen(0) || b.c.Close(b.now, 0) || !b.c.Close(b.now, 65535) || b.c.Close(b.now, 65535) {
		t.Error("an iteration opens in another, or closes twice")
	}
	if b.c.MayOpen(65535) || b.c.MayOpen(1) || !b.c.Open(b.now, 0) {
		t.Error("iteration 0 follows 65535, and no other")
	}
}

// Versions wrap at 16 bits past 0, numbers of orders and reports at 32.
func TestWraps(t *testing.T) {
	b := running(t, 7, 2, 3)
	b.c.version = 65534
	for _, h := range b.c.hosts {
		h.number, h.report = 1<<32-1, 1<<32-1
	}
	b.reports["s1"] = 1<<32 - 1
	b.report(func(l *xaggctl.Load) { l.Used = l.Total }, "s1")
	if b.answer(); b.order("w1").Tree != 65535 || b.order("w1").Number != 1 {
		t.Errorf("order %+v", b.order("w1"))
	}
	b.reports["s2"] = 1<<32 - 1
	b.report(func(l *xaggctl.Load) { l.Used = l.Total }, "s2")
	if b.answer(); b.order("w4").Tree != 1 || b.order("w4").Place.Parent.Since != 1 || b.c.Stall(b.now) != "" {
		t.Errorf("order %+v", b.order("w4"))
	}
	b.c.Close(b.now, 0)
	b.report(nil, "s1", "s2")
	b.open(1)
}

func TestDrops(t *testing.T) {
	b := running(t, 7, 2, 3)
	for _, m := range []xaggctl.Message{{Host: 1}, {Host: b.id("w1")}, {Host: 1 << 31}} {
		b.c.Report(b.now, &m)
	}
	for _, m := range []xaggctl.Message{{Host: 1}, {Host: b.id("s1")}, {Host: 1 << 31}} {
		b.c.Round(b.now, &m)
	}
	b.c.Acknowledge(b.now, 1<<31, 1)
	if got := b.c.Drops(); got != (Drops{Stranger: 7}) {
		t.Errorf("%+v", got)
	}
	b.c.Report(b.now, &xaggctl.Message{Host: b.id("s1"), Number: 1})
	b.c.Acknowledge(b.now, b.id("w1"), 0)
	b.c.Acknowledge(b.now, b.id("w1"), 2)
	b.c.hosts[8].number = 0 // s1, as if it had no order yet
	b.c.Acknowledge(b.now, b.id("s1"), 0)
	if got := b.c.Drops(); got != (Drops{Stranger: 7, Stale: 4}) {
		t.Errorf("%+v", got)
	}
}

// Notes that nobody takes are bounded.
func TestNotesAreBounded(t *testing.T) {
	b := newBench(t, testConfig(Star, 2, 0))
	for range 2 * maxNotes {
		b.c.note(1, "a")
	}
	if n := b.c.Notes(); len(n) != maxNotes || n[0].Text != "a" || len(b.c.Notes()) != 0 {
		t.Errorf("%d notes", len(n))
	}
}

// A server that never acknowledged a place gets no edges of earlier versions, since it refuses those that it
// should know.
func TestEdgesOfAServerThatNeverAnswered(t *testing.T) {
	cfg := testConfig(KAry, 7, 2)
	cfg.K = 3
	b := newBench(t, cfg)
	b.report(nil, "s1", "s2")
	b.answer("s1")
	b.report(func(l *xaggctl.Load) { l.Used = l.Total }, "s2")
	b.tree("ps(s1(w1 w2 w3) w4 w5 w6 w7)")
	b.answer("s1", "w1")
	check := func(version uint16, names ...string) {
		t.Helper()
		for _, name := range names {
			if m := b.order(name); m.Place.Parent.Since != version {
				t.Errorf("order to %s: %+v, and its edge to the parent is to be of version %d", name, m, version)
			}
		}
	}
	check(2, "s1")
	for _, child := range b.order("s1").Place.Children {
		if child.Since != 2 {
			t.Errorf("a child by an edge of version %d", child.Since)
		}
	}
	b.wait(DefaultResend, "s1", "s2")
	b.answer()
	check(2, "s1", "w1", "w2", "w3")
}
