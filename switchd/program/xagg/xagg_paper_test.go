package xagg

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	wire "github.com/inalab/inalab/internal/wire/xagg"
)

// "If agg.bitmap == (agg.bitmap | pkt.id) then Drop pkt" (Algorithm 1, lines 6 and 7).
func TestDuplicateIsDropped(t *testing.T) {
	b := newBench(t, testConfig(2, 1))
	for range 3 {
		if out := b.take(packet{host: 1, gradient: 1, v: 5}); out != nil {
			t.Fatal("an unfinished element is sent")
		}
	}
	if e := b.a.Sum(1); e.Bitmap != 1 || e.Counter != 1 || e.Values[0] != 5 || b.counted(Duplicate) != 2 {
		t.Errorf("the element is %+v, %d duplicates", e, b.counted(Duplicate))
	}
}

// "If agg.counter == n then forward agg to parent node" (lines 12 and 13), with the aggregator's id.
func TestFinishedElementIsForwarded(t *testing.T) {
	b := newBench(t, testConfig(3, 5))
	for i, want := range []int32{0, 0, 60} {
		out := b.take(packet{host: 1 << i, gradient: 2, v: int32(10 * (i + 1))})
		if (out != nil) != (want > 0) {
			t.Fatalf("packet %d: %+v", i, out)
		}
		if out == nil {
			continue
		}
		if h := (wire.Header{Host: server, Gradient: 2, Job: testJob, Iteration: testIteration}); out.h != h || out.v != want || out.to != b.c.Up.Addr || !out.good {
			t.Errorf("sent %+v", out)
		}
	}
}

// The PS broadcasts what is finished (§IV-A).
func TestRootSendsResults(t *testing.T) {
	c := testConfig(1, 2)
	c.Up, c.Down = Next{}, c.Up
	b := newBench(t, c)
	out := b.take(packet{host: 1, gradient: 2, v: 4})
	if out == nil || out.h.Flags != wire.Result|wire.EndOfGroup || out.h.Host != server || out.to != c.Down.Addr || out.v != 4 {
		t.Errorf("sent %+v", out)
	}
}

// "The gradient packet with index 8192 is identified as the last one of a group, the tuple (1,
// 8192) will be pushed into the Check Queue" (§IV-D); the tail ends with the last of all.
func TestCheckQueue(t *testing.T) {
	b := newBench(t, testConfig(2, 10000))
	b.take(packet{host: 1, gradient: 8191})
	b.take(packet{host: 1, gradient: 8192})
	b.take(packet{host: 1, gradient: 8192, flags: wire.Retransmit})
	b.take(packet{host: 2, gradient: 10000})
	b.take(packet{host: 2, gradient: 5, flags: wire.EndOfGroup})
	want := []Check{
		{1, 8192, testIteration, 0}, {1, 8192, testIteration, wire.Retransmit}, {2, 10000, testIteration, 0}, {2, 5, testIteration, wire.EndOfGroup},
	}
	if got := b.a.Drain(nil); !slices.Equal(got, want) || len(b.a.Drain(nil)) > 0 {
		t.Errorf("queue %v, want %v", got, want)
	}
}

func TestCheckQueueIsBounded(t *testing.T) {
	c := testConfig(1, 1)
	c.Checks = 2
	b := newBench(t, c)
	for range 5 {
		b.take(packet{host: 1, gradient: 1})
	}
	if n := len(b.a.Drain(nil)); n != 2 || b.counted(QueueFull) != 3 || b.counted(Queued) != 2 {
		t.Errorf("%d entries, %d lost", n, b.counted(QueueFull))
	}
	if b.take(packet{host: 1, gradient: 1}); len(b.a.Drain(nil)) != 1 {
		t.Error("a drained queue has no room")
	}
}

// "After an epoch, reset aggregator metadata" (Algorithm 1): by the first packet of the next one.
func TestNextIterationResets(t *testing.T) {
	b := newBench(t, testConfig(2, 1))
	b.take(packet{host: 1, gradient: 1, v: 5})
	b.take(packet{host: 1, gradient: 1, v: 7, ahead: 1}) // 65535 + 1 wraps to 0
	if e := b.a.Sum(1); e.Bitmap != 1 || e.Counter != 1 || e.Iteration != 0 || e.Values[0] != 7 {
		t.Errorf("the element is %+v", e)
	}
	b.take(packet{host: 2, gradient: 1, v: 9})
	if out := b.take(packet{host: 2, gradient: 1, v: 1, ahead: 1}); out == nil || out.v != 8 || b.counted(Stale) != 1 {
		t.Errorf("sent %+v, %d stale", out, b.counted(Stale))
	}
}

// A forged or wrapped iteration resets nothing.
func TestOtherIterationsResetNothing(t *testing.T) {
	b := newBench(t, testConfig(2, 1))
	b.take(packet{host: 1, gradient: 1, v: 5})
	for ahead := range 1 << 16 {
		if ahead != 0 && ahead != 1 {
			b.take(packet{host: 2, gradient: 1, ahead: ahead})
		}
	}
	if b.counted(Stale) != 1<<15 || b.counted(Early) != 1<<15-2 {
		t.Errorf("%d stale, %d early", b.counted(Stale), b.counted(Early))
	}
	if out := b.take(packet{host: 2, gradient: 1, v: 6}); out == nil || out.v != 11 {
		t.Errorf("sent %+v", out)
	}
	b.reconfigure(func(c *Config) { c.Window.Ahead = 0 })
	if b.take(packet{host: 2, gradient: 1, ahead: 1}); b.a.Sum(1).Iteration != testIteration {
		t.Error("a packet ahead of the window resets the element")
	}
}

// An element that was not used for any number of iterations takes the current one. (After 65535 more it
// would be the next one of the window.)
func TestUnusedElementIsNeverAhead(t *testing.T) {
	for later := 1; later < 1<<16-1; later++ {
		b := newBench(t, testConfig(1, 1))
		b.take(packet{host: 1, gradient: 1, v: 3})
		b.reconfigure(func(c *Config) { c.Window.Current += uint16(later) })
		if out := b.take(packet{host: 1, gradient: 1, v: 4, ahead: later}); out == nil || out.v != 4 {
			t.Fatalf("%d iterations later: %+v", later, out)
		}
	}
}

// Elements are kept, so that any can be sent again.
func TestFinishedElementIsSentAgain(t *testing.T) {
	b := newBench(t, testConfig(2, 3))
	b.take(packet{host: 1, gradient: 1, v: 5})
	if b.take(packet{host: 1, gradient: 1, v: 5, flags: wire.Retransmit}) != nil {
		t.Error("an unfinished element is sent")
	}
	b.take(packet{host: 2, gradient: 1, v: 6})
	if b.take(packet{host: 2, gradient: 1, v: 6}) != nil {
		t.Error("a copy has the element sent again")
	}
	b.reconfigure(func(c *Config) { c.Window.Current++ })
	out := b.take(packet{host: 2, gradient: 1, v: 99, flags: wire.Retransmit})
	if out == nil || out.v != 11 || out.h.Flags != wire.Retransmit || b.counted(Resent) != 1 || b.a.Sum(1).Values[0] != 11 {
		t.Errorf("sent %+v", out)
	}
}

// "Children re-sending to the grandparent" (§V) are not counted twice, before or after their old
// parent's own sum.
func TestFailoverCountsOnce(t *testing.T) {
	failing := func(c *Config) { c.Children = []Child{{ID: 1}, {ID: 16, Below: 2 | 4}} }
	failed := func(c *Config) { c.Children = []Child{{ID: 1}, {ID: 2}, {ID: 4}} }
	c := testConfig(0, 2)
	failing(&c)
	b := newBench(t, c)
	b.take(packet{host: 16, gradient: 1, v: 30}) // its sum came before it failed
	b.take(packet{host: 1, gradient: 1, v: 1})
	b.reconfigure(failed)
	for _, host := range []uint32{2, 4} {
		b.take(packet{host: host, gradient: 1, v: 15, flags: wire.Retransmit})
		b.take(packet{host: 1, gradient: 2, v: 1})
		out := b.take(packet{host: host, gradient: 2, v: 15})
		if (out != nil) != (host == 4) || out != nil && out.v != 31 {
			t.Errorf("host %d: %+v", host, out)
		}
	}
	if b.take(packet{host: 16, gradient: 2, v: 30}); b.counted(OtherHost) != 1 {
		t.Error("the failed child counts")
	}
	duplicates := b.counted(Duplicate)
	b.reconfigure(failing) // it is back, and late
	if b.take(packet{host: 16, gradient: 2, v: 30}); b.counted(Duplicate) != duplicates+1 {
		t.Error("its sum counts beside those that it is made of")
	}
	for g := uint32(1); g <= 2; g++ {
		if v := b.a.Sum(g).Values[0]; v != 31 {
			t.Errorf("sum %d is %d, want 31", g, v)
		}
	}
}

// "The aggregated gradient will be received by XDP deployed on the worker side and cached in the
// eBPF map, which is similar to the implementation of aggregation nodes" (§IV-A).
func TestReceiverStoresResults(t *testing.T) {
	c := testConfig(0, 2)
	c.Parent, c.Up = parent, Next{}
	b := newBench(t, c)
	for range 2 {
		if b.take(packet{host: parent, gradient: 1, v: 5, flags: wire.Result}) != nil {
			t.Error("a receiver without a next hop sends")
		}
	}
	b.take(packet{host: 1, gradient: 1, v: 9})
	if e := b.a.Result(1); e.Values[0] != 5 || e.Counter != 1 || b.counted(Stored) != 1 || b.counted(Duplicate) != 1 || b.counted(NoTable) != 1 {
		t.Errorf("stored %+v", e)
	}
}

func TestOverflowWrapsAndIsCounted(t *testing.T) {
	for _, c := range []struct {
		v, w, sum int32
		wraps     bool
	}{
		{math.MaxInt32, 1, math.MinInt32, true},
		{math.MinInt32, -1, math.MaxInt32, true},
		{math.MinInt32, math.MinInt32, 0, true},
		{math.MaxInt32, math.MinInt32, -1, false},
		{5, -7, -2, false},
	} {
		b := newBench(t, testConfig(2, 1))
		b.take(packet{host: 1, gradient: 1, v: c.v})
		out := b.take(packet{host: 2, gradient: 1, v: c.w})
		if n := b.counted(Overflows); out == nil || out.v != c.sum || (n == testValues) != c.wraps || (n == 0) == c.wraps {
			t.Errorf("%d + %d: sent %+v, %d overflows", c.v, c.w, out, n)
		}
	}
}

// In any order, with any copies, every element is the sum of one packet of each child, is sent once,
// and every packet is counted once.
func TestAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, fragments := rapid.IntRange(1, wire.MaxHosts-1).Draw(t, "children"), rapid.Uint32Range(1, 4).Draw(t, "fragments")
		b := newBench(t, testConfig(n, fragments))
		var list []packet
		want := make([]int32, fragments+1)
		for i := range n {
			for g := uint32(1); g <= fragments; g++ {
				p := packet{host: 1 << i, gradient: g, v: rapid.Int32().Draw(t, "value")}
				list = append(list, slices.Repeat([]packet{p}, rapid.IntRange(1, 3).Draw(t, "copies"))...)
				want[g] += p.v
			}
		}
		results := 0
		for _, p := range rapid.Permutation(list).Draw(t, "order") {
			if out := b.take(p); out != nil {
				if results++; out.v != want[out.h.Gradient] {
					t.Fatalf("sum %d is %d, want %d", out.h.Gradient, out.v, want[out.h.Gradient])
				}
			}
		}
		added := n * int(fragments)
		if results != int(fragments) || b.counted(Added) != uint64(added) || b.counted(Duplicate) != uint64(len(list)-added) {
			t.Fatalf("%d results, %v", results, b.a.Tally())
		}
	})
}
