package reference

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// Malformed packets are counted under their reason and change nothing: the open
// block completes as if they had not come.
func TestMalformedPackets(t *testing.T) {
	good := packet(wire.Header{Source: 1}, 1, 2)
	noWorkers := packet(wire.Header{Source: 1}, 1, 2)
	noWorkers[7] = 0
	empty := packet(wire.Header{Source: 1})
	for _, c := range []struct {
		reason  string
		payload []byte
	}{
		{string(wire.Short), good[:11]},
		{string(wire.Short), nil},
		{string(wire.NoGrads), empty},
		{string(wire.Truncated), good[:len(good)-1]},
		{string(wire.Oversized), append(good[:len(good):len(good)], 0)},
		{trioml.DropGradMismatch, packet(wire.Header{Source: 1}, 1)},
		{trioml.DropGradMismatch, packet(wire.Header{Source: 1}, 1, 2, 3)},
		{trioml.DropNoWorkers, noWorkers},
	} {
		b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
		b.send(packet(wire.Header{Source: 0}, 10, 20))
		b.handle(sansio.Arrival{Train: sansio.Train{Header: make([]byte, 42), Body: c.payload}})
		b.wantCounts(map[string]uint64{c.reason: 1, trioml.CountPackets: 2})
		got := wantOne(t, b.send(good))
		if !sameInts(got.grads, []int32{11, 22}) || got.h.SrcCnt != 2 {
			t.Errorf("%s: the block came out as %+v", c.reason, got)
		}
	}
}

func FuzzHandle(f *testing.F) {
	f.Add(packet(wire.Header{Source: 0}, 10, 20), 0)
	f.Add(packet(wire.Header{Source: 1, Gen: 65535, Block: 1<<32 - 1, Degraded: true}, 10), 16)
	f.Add([]byte{}, 1)
	f.Fuzz(func(t *testing.T, body []byte, seg int) {
		b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
		b.send(packet(wire.Header{Source: 0}, 1), packet(wire.Header{Block: 1, Source: 1}, 1))
		b.handle(sansio.Arrival{Train: sansio.Train{Header: make([]byte, 42), Body: body, Seg: seg}})
		b.advance(50 * ms)
		var dropped uint64
		for _, c := range b.p.Counters() {
			switch c.Name {
			case trioml.CountPackets, trioml.CountResults, trioml.CountDegraded, trioml.CountAged, trioml.CountSuperseded, trioml.CountOverCount:
			default:
				dropped += c.N
			}
		}
		var added uint64
		for _, e := range b.events {
			if e.Kind == "contribution" {
				added++
			}
		}
		if packets := b.count(trioml.CountPackets); packets != dropped+added {
			t.Fatalf("%d packets, of which %d were added and %d dropped", packets, added, dropped)
		}
		if b.p.OpenBlocks() != 0 {
			t.Fatalf("%d records outlive their timeout", b.p.OpenBlocks())
		}
	})
}

func TestConfig(t *testing.T) {
	ok := func() trioml.Config { return trioml.Config{Jobs: []trioml.Job{testJob(3)}} }
	if _, err := New(ok()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*trioml.Config)
		says   string
	}{
		"negative timeout":     {func(c *trioml.Config) { c.Timeout = -1 }, "timeout"},
		"timeout past 63 bits": {func(c *trioml.Config) { c.Timeout = units.Duration(units.Never) }, "timeout"},
		"negative threads":     {func(c *trioml.Config) { c.Threads = -1 }, "threads"},
		"too many threads":     {func(c *trioml.Config) { c.Threads = trioml.MaxThreads + 1 }, "threads"},
		"threads too close":    {func(c *trioml.Config) { c.Timeout, c.Threads = 50*units.Nanosecond, 100 }, "1ns apart"},
		"late policy":          {func(c *trioml.Config) { c.Late = "never" }, "tombstone, stale-drop, naive"},
		"job twice":            {func(c *trioml.Config) { c.Jobs = append(c.Jobs, testJob(2)) }, "there is a job 1"},
		"no sources":           {func(c *trioml.Config) { c.Jobs[0].Sources = nil }, "job 1 has no sources"},
		"256 sources": {func(c *trioml.Config) {
			c.Jobs[0] = testJob(255)
			c.Jobs[0].Sources = append(c.Jobs[0].Sources, 255)
		}, "256 sources"},
		"source twice":     {func(c *trioml.Config) { c.Jobs[0].Sources[1] = 0 }, "source 0 twice"},
		"negative blocks":  {func(c *trioml.Config) { c.Jobs[0].BlockMax = -1 }, "block_cnt_max"},
		"negative grads":   {func(c *trioml.Config) { c.Jobs[0].GradMax = -1 }, "block_grad_max"},
		"too many grads":   {func(c *trioml.Config) { c.Jobs[0].GradMax = 4096 }, "block_grad_max"},
		"no ports":         {func(c *trioml.Config) { c.Jobs[0].To = nil }, "no port"},
		"no address":       {func(c *trioml.Config) { c.Jobs[0].Out.Src = netip.Addr{} }, "IPv4"},
		"IPv6 destination": {func(c *trioml.Config) { c.Jobs[0].Out.Dst = netip.MustParseAddr("ff02::1") }, "IPv4"},
	} {
		cfg := ok()
		c.change(&cfg)
		_, err := New(cfg)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one about %q", name, err, c.says)
		}
	}
}

// The largest settings do not overflow the picoseconds.
func TestLargestTimers(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}, Timeout: trioml.MaxTimeout, Threads: trioml.MaxThreads})
	b.now = units.Time(trioml.MaxTimeout) * 3600 // 100 hours
	b.send(packet(wire.Header{Source: 0}, 1))
	got := wantOne(t, b.advance(b.now.Add(3*trioml.MaxTimeout)))
	if age := got.at.Sub(units.Time(trioml.MaxTimeout) * 3600); age <= trioml.MaxTimeout || age > 2*trioml.MaxTimeout {
		t.Errorf("aged after %v", age)
	}
}

func TestTranscriptOfABlockWithAStraggler(t *testing.T) {
	var w transcript
	p, err := New(trioml.Config{Jobs: []trioml.Job{testJob(3)}, Threads: 1, Trace: &w})
	if err != nil {
		t.Fatal(err)
	}
	w.WriteString("One block, three sources, a timer thread every 10 ms. Source 2 sleeps until 27 ms.\n\n")
	var eff sansio.Effects
	expire := func(until units.Time) {
		for d := p.NextDeadline(); d <= until; d = p.NextDeadline() {
			p.Expire(d, &eff)
			eff.Reset()
		}
	}
	for _, c := range []struct {
		at units.Time
		h  wire.Header
	}{
		{1 * ms, wire.Header{Source: 0, Gen: 4}},
		{2 * ms, wire.Header{Source: 1, Gen: 4}},
		{3 * ms, wire.Header{Source: 1, Gen: 4}},                  // again: a duplicate, but it sets REF
		{27 * ms, wire.Header{Source: 2, Gen: 4}},                 // too late
		{28 * ms, wire.Header{Source: 0, Gen: 5}},                 // the others went on
		{29 * ms, wire.Header{Source: 2, Gen: 5}},                 // and the straggler joins them
		{29*ms + 500*us, wire.Header{Source: 7, Gen: 5}},          // a stranger
		{31 * ms, wire.Header{Source: 1, Gen: 5}},                 // complete: no timer needed
		{32 * ms, wire.Header{Source: 1, Gen: 4, Degraded: true}}, // a packet that was long on its way
	} {
		expire(c.at)
		p.Handle(c.at, []sansio.Arrival{arrival(packet(c.h, 1, 2))}, &eff)
		eff.Reset()
	}
	expire(100 * ms)
	w.WriteString("\n")
	for _, c := range p.Counters() {
		fmt.Fprintf(&w, "%s %d\n", c.Name, c.N)
	}
	golden.Equal(t, "straggler.txt", w.String())
}
