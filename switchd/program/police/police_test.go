package police

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/middlebox"
	"github.com/inalab/inalab/switchd/program/middlebox/middleboxtest"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

var _ dataplane.Engine = (*Engine)(nil)

const ms = units.Time(units.Millisecond)

// gate is a PFE that polices, and what passes it.
type gate struct {
	middleboxtest.Bench
	t      rapid.TB
	e      *Engine
	passed int
}

func newGate(t rapid.TB, cfg Config) *gate {
	t.Helper()
	cfg.PFE.Node, cfg.PFE.Threads = "pfe", 4
	cfg.PFE.Memory = mem.Config{SRAM: units.MiB, DRAM: units.MiB, Records: 32}
	e, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{t: t, e: e}
	g.Bench = middleboxtest.New(e, func(_ units.Time, s *sansio.Send) { g.passed += s.Train.Frames() })
	return g
}

// send sends a frame of 1000 bytes and reports whether it passes at once.
func (g *gate) send(from, to byte) bool {
	before := g.passed
	g.Send(from, to, 1000-inet.UDPHeaders)
	return g.passed > before
}

func (g *gate) want(counts map[string]uint64) {
	g.t.Helper()
	for name, n := range counts {
		if got := g.Count(name); got != n {
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
	g.Until(ms)
	if !g.send(1, 9) || g.send(1, 9) {
		t.Error("a millisecond brings one packet")
	}
	g.want(map[string]uint64{DropExceeded: 3, DropBlocked: 0, SourcesBlocked: 0})
}

// Who exceeds his rate too often is blocked, also when he slows down, until he has
// been silent for a period.
func TestBlockedAndForgiven(t *testing.T) {
	g := newGate(t, Config{Rate: 8 * units.MbitPerSecond, Burst: 1000, Limit: 3, PFE: middlebox.Config{Period: 100 * units.Millisecond}})
	for range 8 {
		g.send(1, 9)
	}
	g.want(map[string]uint64{DropExceeded: 3, DropBlocked: 3, SourcesBlocked: 1})
	for s := range g.e.Senders() {
		if s != (Sender{middleboxtest.Host(1), 3, true}) {
			t.Errorf("%+v", s)
		}
	}
	for range 6 {
		g.Until(g.Now + 50*ms)
		if g.send(1, 9) {
			t.Fatalf("at %v a blocked source passes, though it does not fall silent", g.Now)
		}
	}
	g.Until(g.Now + 200*ms)
	if !g.send(1, 9) {
		t.Error("a source is not forgiven")
	}
	g.want(map[string]uint64{SourcesForgiven: 1})
	g.Until(g.Now + 300*ms)
	if g.e.Memory().Hash().Len() != 0 || g.e.NextDeadline() != units.Never {
		t.Error("a silent source is remembered")
	}
}

// What is no IPv4, or comes when the table is full, passes; what claims to come
// from where it goes does not.
func TestOtherTraffic(t *testing.T) {
	g := newGate(t, Config{Burst: 1})
	g.ARP()
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
// a reason, and nobody gets through more than bucket and rate allow.
func TestNobodyExceeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{Rate: 80 * units.MbitPerSecond, Burst: 5000, Limit: rapid.IntRange(1, 20).Draw(t, "limit")}
		if rapid.Bool().Draw(t, "timed") {
			d := trio.DefaultTiming()
			cfg.PFE.Timing = &d
		}
		g := newGate(t, cfg)
		n := rapid.IntRange(1, 80).Draw(t, "packets")
		first := units.Never
		for range n {
			g.Until(g.Now + units.Time(rapid.SampledFrom([]int64{0, 0, 50, 200}).Draw(t, "pause"))*units.Time(units.Microsecond))
			first = min(first, g.Now)
			g.send(1, 9)
		}
		g.Until(g.Now + ms)
		dropped := g.Count(DropExceeded) + g.Count(DropBlocked)
		if uint64(g.passed)+dropped != uint64(n) {
			t.Fatalf("%d packets, %d passed, %d dropped", n, g.passed, dropped)
		}
		// One that makes the bucket, 5 for the burst, 1 for every 100 us.
		if most := 6 + int(g.Now.Sub(first)/(100*units.Microsecond)); g.passed > most {
			t.Fatalf("%d packets of 1000 bytes passed, at most %d may", g.passed, most)
		}
	})
}
