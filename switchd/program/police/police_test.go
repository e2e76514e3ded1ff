package police

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

var _ dataplane.Engine = (*Engine)(nil)

const ms = units.Time(units.Millisecond)

func host(n byte) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, n}) }

// gate is a PFE that polices, and what passes it.
type gate struct {
	t      rapid.TB
	e      *Engine
	eff    sansio.Effects
	now    units.Time
	passed int
}

func newGate(t rapid.TB, cfg Config) *gate {
	t.Helper()
	cfg.Node, cfg.Forward, cfg.Threads = "pfe", []sansio.Port{3}, 4
	cfg.Memory = mem.Config{SRAM: units.MiB, DRAM: units.MiB, Records: 32}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &gate{t: t, e: e}
}

// send sends a frame of 1000 bytes and reports whether it passes at once.
func (g *gate) send(from, to byte) bool {
	h := inet.UDPHeader(inet.Flow{Src: host(from), Dst: host(to), SrcPort: 5, DstPort: 6})
	body := make([]byte, 1000-len(h))
	inet.SetUDPBody(h, len(body))
	before := g.passed
	g.frame(h, body)
	return g.passed > before
}

func (g *gate) frame(header, body []byte) {
	g.e.Handle(g.now, []sansio.Arrival{{Train: sansio.Train{Header: header, Body: body}}}, &g.eff)
	g.collect()
}

func (g *gate) collect() {
	for _, s := range g.eff.Sends {
		g.passed += s.Train.Frames()
	}
	g.eff.Reset()
}

func (g *gate) until(to units.Time) {
	for d := g.e.NextDeadline(); d <= to; d = g.e.NextDeadline() {
		g.now = max(g.now, d)
		g.e.Expire(g.now, &g.eff)
		g.collect()
	}
	g.now = to
}

func (g *gate) count(name string) uint64 {
	for _, c := range g.e.Counters() {
		if c.Name == name {
			return c.N
		}
	}
	return 0
}

func (g *gate) want(counts map[string]uint64) {
	g.t.Helper()
	for name, n := range counts {
		if got := g.count(name); got != n {
			g.t.Errorf("%s: %d, want %d", name, got, n)
		}
	}
}

// A source may send its burst, then what its rate brings; others notice nothing.
func TestRateOfOneSource(t *testing.T) {
	g := newGate(t, Config{Rate: 8 * units.MbitPerSecond, Burst: 3000}) // a frame in a millisecond
	for i := range 6 {
		if got, want := g.send(1, 9), i < 4; got != want { // the first makes the bucket
			t.Errorf("packet %d passes: %v", i, got)
		}
	}
	if !g.send(2, 9) {
		t.Error("another source is policed for the first")
	}
	g.until(ms)
	if !g.send(1, 9) || g.send(1, 9) {
		t.Error("a millisecond brings one packet")
	}
	g.want(map[string]uint64{DropExceeded: 3, DropBlocked: 0, SourcesBlocked: 0})
}

// Who exceeds his rate too often is blocked, also when he slows down, until he has
// been silent for a period.
func TestBlockedAndForgiven(t *testing.T) {
	g := newGate(t, Config{Rate: 8 * units.MbitPerSecond, Burst: 1000, Limit: 3, Period: 100 * units.Millisecond})
	for range 8 {
		g.send(1, 9)
	}
	g.want(map[string]uint64{DropExceeded: 3, DropBlocked: 3, SourcesBlocked: 1})
	for s := range g.e.Senders() {
		if s != (Sender{host(1), 3, true}) {
			t.Errorf("%+v", s)
		}
	}
	for range 6 {
		g.until(g.now + 50*ms)
		if g.send(1, 9) {
			t.Fatalf("at %v a blocked source passes, though it does not fall silent", g.now)
		}
	}
	g.until(g.now + 200*ms)
	if !g.send(1, 9) {
		t.Error("a source is not forgiven")
	}
	g.want(map[string]uint64{SourcesForgiven: 1})
	g.until(g.now + 300*ms)
	if g.e.Memory().Hash().Len() != 0 || g.e.NextDeadline() != units.Never {
		t.Error("a silent source is remembered")
	}
}

// What is no IPv4, or comes when the table is full, passes; what claims to come
// from where it goes does not.
func TestOtherTraffic(t *testing.T) {
	g := newGate(t, Config{Burst: 1})
	arp := make([]byte, 60)
	inet.Ether(arp).Put(inet.MAC{1}, inet.MAC{2}, 0x0806)
	g.frame(arp, nil)
	if g.send(7, 7) {
		t.Error("a packet from where it goes passes")
	}
	for i := range byte(35) {
		if !g.send(i, 200) {
			t.Errorf("the first packet of source %d is dropped", i)
		}
	}
	g.want(map[string]uint64{CountOther: 1, CountNotPoliced: 3, DropSpoofed: 1})
	for _, bad := range []Config{{Rate: -1}, {Burst: 1 << 40}, {Limit: -1}} {
		if _, err := New(bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// Whatever comes, in a PFE with time as well, every packet passes or is dropped for
// a reason; without time nobody gets through more than bucket and rate allow.
func TestNobodyExceeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{Rate: 80 * units.MbitPerSecond, Burst: 5000, Limit: rapid.IntRange(1, 20).Draw(t, "limit")}
		if rapid.Bool().Draw(t, "timed") {
			d := trio.DefaultTiming()
			cfg.Timing = &d
		}
		g := newGate(t, cfg)
		n := rapid.IntRange(1, 80).Draw(t, "packets")
		first := units.Never
		for range n {
			g.until(g.now + units.Time(rapid.SampledFrom([]int64{0, 0, 50, 200}).Draw(t, "pause"))*units.Time(units.Microsecond))
			first = min(first, g.now)
			g.send(1, 9)
		}
		g.until(g.now + ms)
		dropped := g.count(DropExceeded) + g.count(DropBlocked)
		if uint64(g.passed)+dropped != uint64(n) {
			t.Fatalf("%d packets, %d passed, %d dropped", n, g.passed, dropped)
		}
		if cfg.Timing != nil {
			return // packets pass that come before their source has its record
		}
		// One that makes the bucket, 5 for the burst, 1 for every 100 us.
		if most := 6 + int(g.now.Sub(first)/(100*units.Microsecond)); g.passed > most {
			t.Fatalf("%d packets of 1000 bytes passed, at most %d may", g.passed, most)
		}
	})
}
