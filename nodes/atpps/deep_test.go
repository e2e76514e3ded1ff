package atpps

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/proptest"
	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	host "github.com/inalab/inalab/nodes/atp"
	program "github.com/inalab/inalab/switchd/program/atp"
)

// Whatever is lost, copied, overtaken, forgotten or in another's way, at three levels, four or five, every packet
// that leaves a switch has the sum of exactly the workers that the server takes it for, and every worker gets the
// exact sum of all.
func TestDeepSumsAreExact(t *testing.T) {
	came := map[string]bool{}
	needed := []string{"collision", "collision above", "partial", "freed above the first", "duplicate", "of a switch below", "overlap", "whole"}
	proptest.Until(t, func() bool { return len(came) >= len(needed) }, func(t *rapid.T) {
		levels := rapid.IntRange(3, 5).Draw(t, "levels")
		aggregators := rapid.SampledFrom([]int{0, 1, 2, 3, 16}).Draw(t, "aggregators")
		resend, superset := rapid.SampledFrom([]host.Resend{host.Expected, host.Passed, host.Gaps}).Draw(t, "resend"), rapid.Bool().Draw(t, "superset")
		n := newDeepNet(t, drawShape(t, levels), aggregators, func(c *host.Config) { c.Resend = resend })
		n.server.cfg.Superset = superset
		n.begin()
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			n.act(t)
		}
		n.finish()
		n.wantSums()
		n.note(came)
	})
	for _, what := range needed {
		if !came[what] {
			t.Errorf("%s never came up", what)
		}
	}
}

// note notes what came up in a run.
func (n *deepNet) note(came map[string]bool) {
	note := func(what string, is bool) {
		if is {
			came[what] = true
		}
	}
	for _, s := range n.switches {
		c := s.engine.CountsOf(1)
		note("collision", c[program.Collisions] > 0)
		note("collision above", s.level > 1 && c[program.Collisions] > 0 && c[program.Results] > 0)
		note("partial", c[program.Partials] > 0)
		note("freed above the first", s.level > 1 && c[program.FreedByResend] > 0)
		note("duplicate", c[program.Duplicate] > 0)
	}
	note("of a switch below", sansio.CountOf(n.server.Counters(), CountPartial) > 0)
	note("overlap", sansio.CountOf(n.server.Counters(), DropOverlap) > 0)
	note("whole", sansio.CountOf(n.server.Counters(), CountWhole) > 0)
}

// Without faults and collisions the server has one packet of each fragment, whatever the levels; without aggregators
// one of each contribution. Parameters free all that was reserved.
func TestDeepOneInOneOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		aggregators := rapid.SampledFrom([]int{0, 16}).Draw(t, "aggregators")
		n := newDeepNet(t, drawShape(t, rapid.IntRange(3, wire.MaxLevels).Draw(t, "levels")), aggregators, nil)
		n.begin()
		n.finish()
		n.wantSums()
		want := uint64(deepBlocks)
		if aggregators == 0 {
			want *= uint64(len(n.workers))
		}
		if got := sansio.CountOf(n.server.Counters(), CountPackets); got != want || n.now != 0 {
			t.Fatalf("%d packets at the server after %v, want %d", got, n.now, want)
		}
		for i, s := range n.switches {
			if s.engine.Remembers() {
				t.Fatalf("switch %d holds an aggregator", i)
			}
		}
	})
}

// A mark on a packet of one worker, wherever it is in the tree, is in the parameters.
func TestDeepMarksReachTheServer(t *testing.T) {
	shape := deepShape{levels: 4, parents: []int{-1, 0, 1, 2, 0}, levelOf: []int{3, 2, 1, 0, 2}, workers: []int{3, 3, 2, 4, 0}}
	for marked := range len(shape.workers) + 1 {
		n := newDeepNet(t, shape, 16, func(c *host.Config) { c.Window = 1 })
		n.begin()
		if marked < len(n.workers) {
			inet.IPv4(n.flight[marked].train.Header[inet.EtherLen:]).SetECN(inet.CE)
		}
		for len(n.flight) > 0 && n.flight[0].to != toServer {
			n.deliver(n.take(0))
		}
		if len(n.flight) != 1 {
			t.Fatalf("%d packets come to the server", len(n.flight))
		}
		var h wire.Header
		f := n.flight[0].train
		h.ReadDeep(f.Body, 0)
		if got := h.Flags.Has(wire.ECN); got != (marked < len(n.workers)) || h.Next() != 4 {
			t.Errorf("worker %d marked: the sum is %v, on its way to level %d", marked, got, h.Next())
		}
	}
}

// deepHeader is that of worker 0 of the shape below: bits 0 of a switch of two workers, 0 of one of two, 1 of the
// root, which has a worker with bit 2.
func deepHeader(bitmaps [3]uint32, next uint8, flags wire.Flags) *wire.Header {
	h := &wire.Header{Bitmaps: [2]uint32{bitmaps[0], bitmaps[1]}, FanIns: [2]uint8{2, 2}, Flags: flags}
	h.Upper = wire.Upper{Levels: 3, Level: next, Bitmaps: [4]uint32{bitmaps[2]}, FanIns: [4]uint8{3}}
	return h
}

// Of a packet of three levels, the server knows whose sum it has by the bitmaps, or drops it and says why.
func TestDeepWhose(t *testing.T) {
	// w0 w1 below 0 below 1 below the root; w2 below 1 of 1 alone; w3 below 0 of the root alone; w4 at the root; w5 to w7 below 0 alone below 3
	s, err := New(Config{
		Workers: 8, Job: 1, Levels: 3, Span: 4, Streams: wire.Split(wire.SequenceBits, 1),
		Flow:  inet.Flow{Src: deepServerAddr, Dst: deepGroup},
		Paths: [][]uint8{{1, 0, 0}, {1, 0, 1}, {1, 1}, {0, 0, 0}, {2}, {3, 0, 0}, {3, 0, 1}, {3, 0, 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		bitmaps [3]uint32
		next    uint8
		flags   wire.Flags
		want    uint64
		reason  string
	}{
		"worker":                        {[3]uint32{2, 1, 2}, 0, 0, 0b10, ""},
		"worker sent again":             {[3]uint32{2, 1, 2}, 3, wire.Resend, 0b10, ""},
		"rack":                          {[3]uint32{3, 1, 2}, 1, 0, 0b11, ""},
		"rack that collided":            {[3]uint32{3, 1, 2}, 2, wire.Resend, 0b11, ""},
		"switch above":                  {[3]uint32{3, 3, 2}, 2, 0, 0b111, ""},
		"likewise, a worker came last":  {[3]uint32{1, 3, 2}, 2, 0, 0b111, ""},
		"all":                           {[3]uint32{1, 1, 15}, 3, 0, 0xff, ""},
		"worker of the second":          {[3]uint32{1, 2, 2}, 1, 0, 0b100, ""},
		"worker of the last":            {[3]uint32{1, 1, 4}, 2, 0, 0b10000, ""},
		"through switches of one":       {[3]uint32{1, 1, 1}, 2, 0, 0b1000, ""},
		"no such place at the last":     {[3]uint32{1, 1, 16}, 2, 0, 0, DropPlace},
		"no such place at the second":   {[3]uint32{1, 4, 2}, 1, 0, 0, DropPlace},
		"no such worker":                {[3]uint32{4, 1, 2}, 0, 0, 0, DropPlace},
		"below a worker":                {[3]uint32{2, 2, 2}, 1, 0, 0, DropPlace},
		"on its way to below it":        {[3]uint32{1, 1, 4}, 1, 0, 0, DropPlace},
		"some of the last":              {[3]uint32{1, 1, 3}, 3, 0, 0, DropParts},
		"some of the last, sent again":  {[3]uint32{1, 1, 3}, 3, wire.Resend, 0, DropParts},
		"one as if a switch had all":    {[3]uint32{1, 1, 2}, 1, 0, 0, DropParts},
		"one as if the second had":      {[3]uint32{3, 1, 2}, 2, 0, 0, DropParts},
		"all where no switch has been":  {[3]uint32{3, 1, 2}, 0, wire.Resend, 0, DropParts},
		"all of the last, before it":    {[3]uint32{1, 1, 15}, 2, 0, 0, DropParts},
		"worker of one that went on":    {[3]uint32{1, 2, 2}, 2, 0, 0, DropParts},
		"some of a rack":                {[3]uint32{3, 1, 8}, 3, wire.Resend, 0b1100000, ""},
		"some as a whole rack":          {[3]uint32{3, 1, 8}, 3, 0, 0, DropParts},
		"worker of the last, went past": {[3]uint32{1, 1, 4}, 3, 0, 0, DropParts},
	} {
		set, reason := s.whose(deepHeader(c.bitmaps, c.next, c.flags))
		if set[0] != c.want || reason != c.reason {
			t.Errorf("%s: %b %q, want %b %q", name, set[0], reason, c.want, c.reason)
		}
	}
	h := deepHeader([3]uint32{1, 1, 1}, 0, 0)
	h.Upper.Levels = 4
	if _, reason := s.whose(h); reason != DropLevels {
		t.Errorf("four levels: %q", reason)
	}
}

func TestDeepConfigs(t *testing.T) {
	for want, c := range map[string]Config{
		"2 levels: 3 to 6 are possible":             {Levels: 2, Paths: [][]uint8{{0}, {1}}},
		"7 levels: 3 to 6 are possible":             {Levels: 7, Paths: [][]uint8{{0}, {1}}},
		"racks and paths":                           {Levels: 3, Racks: make([]Rack, 1), Paths: [][]uint8{{0}, {1}}},
		"1 paths of 2 workers":                      {Levels: 3, Paths: [][]uint8{{0}}},
		"worker 1 is below 4 switches":              {Levels: 3, Paths: [][]uint8{{0}, {1, 0, 0, 0}}},
		"worker 1 is below 0 switches":              {Levels: 3, Paths: [][]uint8{{}, {}}},
		"worker 1 has bit 32":                       {Levels: 3, Paths: [][]uint8{{0}, {32}}},
		"2 workers have one place":                  {Levels: 3, Paths: [][]uint8{{1, 0}, {1, 0}}},
		"have one place, or a worker and a switch:": {Levels: 3, Paths: [][]uint8{{1}, {1, 0}}},
	} {
		c.Workers, c.Flow, c.Span, c.Streams = 2, inet.Flow{Src: deepServerAddr, Dst: deepGroup}, 4, wire.Split(wire.SequenceBits, 1)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
