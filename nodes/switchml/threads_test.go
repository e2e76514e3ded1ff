package switchml_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/switchml"
)

// Threads change who carries a block and when, not what comes of it: with any
// number of them, and any loss, all integers and means are those of one thread.
func TestThreadsGiveTheSameResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		threads := rapid.SampledFrom([]int{2, 3, 4, 8}).Draw(t, "threads")
		p.slots *= threads
		rate := rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "loss")
		one := rapid.Bool().Draw(t, "one port")
		run := func(threads int) *rig {
			p.host = func(c *switchml.Config) { c.Threads, c.OnePort = threads, one }
			stream := rng.Root(3).Stream("loss")
			var ports []portUse
			p.drop = func(_ int, up bool, f sansio.Train) bool {
				if up {
					ports = append(ports, portOf(f))
				}
				return stream.Bernoulli(rate)
			}
			r := newRig(t, p)
			mustBeDone(t, r)
			checkShards(t, p.slots, threads, one, ports)
			return r
		}
		single, many := run(1), run(threads)
		many.check(t)
		for w := range p.n {
			for g := range p.gens {
				if !slices.Equal(single.rec[w].Out[g], many.rec[w].Out[g]) || !slices.Equal(single.rec[w].In[g], many.rec[w].In[g]) {
					t.Fatalf("worker %d, generation %d: other integers than with one thread", w, g)
				}
				if !slices.Equal(single.hosts[w].Means[g], many.hosts[w].Means[g]) {
					t.Fatalf("worker %d, generation %d: other means than with one thread", w, g)
				}
			}
		}
	})
}

type portUse struct {
	port uint16
	slot int
}

func portOf(f sansio.Train) portUse {
	h, _ := wire.ParseUnstored(f.Body, f.Unstored)
	return portUse{inet.UDP(f.Header[inet.EtherLen+inet.IPv4Len:]).SrcPort(), int(h.Slot)}
}

// checkShards holds packets against the public client: "thread t of T owns slots
// [2Mt, 2Mt+M)", and sends from its own UDP port.
func checkShards(t rapid.TB, slots, threads int, onePort bool, used []portUse) {
	t.Helper()
	m := slots / threads
	for _, u := range used {
		owner := u.slot / (2 * m)
		if owner >= threads || u.slot >= 2*m*owner+m {
			t.Fatalf("slot %d of nobody: %d threads of %d slots", u.slot, threads, m)
		}
		if want := uint16(port + owner); !onePort && u.port != want || onePort && u.port != port {
			t.Fatalf("slot %d from UDP port %d, that of its thread is %d", u.slot, u.port, want)
		}
		if u.slot >= switchml.PoolOf(slots, threads) {
			t.Fatalf("slot %d is beyond the pool of %d", u.slot, switchml.PoolOf(slots, threads))
		}
	}
}

// A result that comes to another thread's port is not for the slot it names.
func TestResultsOfAnotherThread(t *testing.T) {
	cfg := testConfig()
	cfg.Threads = 2
	c := newCore(t, cfg)
	var eff sansio.Effects
	c.Begin(0, 0, make([]float32, 4*elements), &eff)
	eff.Reset()
	down := flowOf(0).Reverse()
	h := wire.Header{Type: 1, Size: 1, PacketID: 1, Slot: 2} // of thread 1: M is 1
	for _, x := range []struct {
		slot, port uint16
		why        string
	}{
		{2, port, switchml.DropForeign}, {0, port + 1, switchml.DropForeign}, {1, port, switchml.DropForeign},
		{3, port + 1, switchml.DropForeign}, {4, port + 1, switchml.DropForeign}, {2, port + 2, switchml.DropForeign},
	} {
		h.Slot, down.DstPort = x.slot, x.port
		before := count(c, x.why)
		c.Handle(0, []sansio.Arrival{answer(down, h, 1)}, &eff)
		if count(c, x.why) != before+1 || len(eff.Sends) != 0 {
			t.Errorf("slot %d at port %d is not dropped", x.slot, x.port)
		}
	}
	h.Slot, down.DstPort = 2, port+1
	c.Handle(0, []sansio.Arrival{answer(down, h, 0)}, &eff)
	if got := headers(t, &eff); len(got) != 1 || got[0].Slot != 2 {
		t.Errorf("thread 1 goes on with %+v", got)
	}
	if waits := c.Waiting(9); len(waits) != 2 || waits[0].Block != 0 || waits[1].Block != 2 {
		t.Errorf("waiting %+v", waits)
	}
}

func TestThreadConfig(t *testing.T) {
	for _, c := range []struct {
		change func(*switchml.Config)
		says   string
	}{
		{func(c *switchml.Config) { c.Threads = 3 }, "3 threads for 2 slots"},
		{func(c *switchml.Config) { c.Threads = -1 }, "threads"},
		{func(c *switchml.Config) { c.Threads, c.Slots = 65, 65 }, "1 to 64"},
		{func(c *switchml.Config) { c.Threads, c.Slots = 8, 1<<13; c.Slots *= 2 }, "reach up to"},
		{func(c *switchml.Config) { c.Threads, c.Flow.SrcPort = 2, 0xffff }, "65536"},
		{func(c *switchml.Config) { c.Threshold = -1 }, "doubles"},
		{func(c *switchml.Config) { c.Tensors = []int{200, 0, 56} }, "tensor 1"},
		{func(c *switchml.Config) { c.Tensors = []int{200, 55} }, "255"},
		{func(c *switchml.Config) { c.Tensors = []int{200, 56}; c.Sample.Every = 2 }, "do not sample"},
		{func(c *switchml.Config) { c.Values = "float8" }, "int32, fixed16, half"},
		{func(c *switchml.Config) { c.Values, c.Workers = switchml.Half, 33 }, "half values allow 32"},
		{func(c *switchml.Config) { c.Values, c.Integers = switchml.Fixed16, true }, "as they are"},
		{func(c *switchml.Config) { c.Scaling = "none" }, "appendix-e"},
	} {
		cfg := testConfig()
		c.change(&cfg)
		if _, err := switchml.New(cfg); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v, want one about %q", err, c.says)
		}
	}
	if got := switchml.PoolOf(512, 8); got != 960 { // 7 threads of 64 and 64 left out, and the last
		t.Errorf("8 threads need a pool of %d", got)
	}
	if got := switchml.PoolOf(512, 0); got != 512 {
		t.Errorf("one thread needs a pool of %d", got)
	}
}

// As in the public client: the timeout doubles when a threshold of timeouts is
// reached, the threshold grows, and the next tensor begins with the first timeout.
func TestBackoff(t *testing.T) {
	cfg := testConfig()
	cfg.Slots, cfg.Timeout, cfg.Threshold, cfg.Increment = 1, units.Millisecond, 2, 1
	c := newCore(t, cfg)
	var eff sansio.Effects
	c.Begin(0, 0, make([]float32, 4*elements), &eff)
	var gaps []units.Duration
	last := units.Time(0)
	for range 10 {
		at := c.NextDeadline()
		gaps = append(gaps, at.Sub(last))
		last = at
		eff.Reset()
		c.Expire(at, &eff)
	}
	u := units.Millisecond
	if want := []units.Duration{u, u, 2 * u, 2 * u, 2 * u, 4 * u, 4 * u, 4 * u, 4 * u, 8 * u}; !slices.Equal(gaps, want) {
		t.Errorf("timeouts %v, want %v", gaps, want)
	}
	if got := count(c, switchml.CountDoubled); got != 3 {
		t.Errorf("doubled %d times", got)
	}
	for range 400 {
		at := c.NextDeadline()
		if at.Sub(last) > switchml.MaxTimeout {
			t.Fatalf("a timeout of %v", at.Sub(last))
		}
		last = at
		eff.Reset()
		c.Expire(at, &eff)
	}
	finishGeneration(t, c, last, &eff)
	c.Begin(last, 1, make([]float32, 4*elements), &eff)
	if got := c.NextDeadline().Sub(last); got != u {
		t.Errorf("the next tensor begins with a timeout of %v", got)
	}
}

// finishGeneration answers what generation 0 of a core with one slot has in
// flight until it is complete.
func finishGeneration(t *testing.T, c *switchml.Core, now units.Time, eff *sansio.Effects) {
	t.Helper()
	for !c.Complete(0) {
		sent := headers(t, eff)
		c.Handle(now, []sansio.Arrival{answer(flowOf(0).Reverse(), sent[len(sent)-1], 0)}, eff)
	}
	eff.Reset()
	c.Finish(0)
}

// In a stream, a tensor that begins with the first timeout again is not held up
// by packets of the one before, whose timeout has doubled.
func TestShorterTimeoutComesFirst(t *testing.T) {
	cfg := testConfig()
	cfg.Tensor, cfg.Streaming, cfg.Timeout, cfg.Threshold = 1, true, units.Millisecond, 1
	c := newCore(t, cfg)
	var eff sansio.Effects
	c.Begin(0, 0, []float32{1}, &eff)
	for _, at := range []units.Time{ms, 3 * ms} {
		if got := c.NextDeadline(); got != at {
			t.Fatalf("deadline %v, want %v", got, at)
		}
		c.Expire(at, &eff)
	}
	c.Begin(3*ms, 1, []float32{1}, &eff)
	eff.Reset()
	if got := c.NextDeadline(); got != 4*ms {
		t.Errorf("deadline %v, want that of slot 1 at 4 ms", got)
	}
	c.Expire(4*ms, &eff)
	if got := headers(t, &eff); len(got) != 1 || got[0].Slot != 1 {
		t.Errorf("sent again: %+v", got)
	}
}

// A thread that looks at its timers once a timeout sends again at the first look after a
// timer has expired, and from one tensor to the next starts its looks anew.
func TestCoarseTimers(t *testing.T) {
	cfg := testConfig()
	cfg.Slots, cfg.Timeout, cfg.Coarse = 2, units.Millisecond, true
	c := newCore(t, cfg)
	var eff sansio.Effects
	begin := units.Time(250 * units.Microsecond)
	c.Begin(begin, 0, make([]float32, 4*elements), &eff)
	sent := headers(t, &eff)
	eff.Reset()
	c.Handle(begin.Add(300*units.Microsecond), []sansio.Arrival{answer(flowOf(0).Reverse(), sent[0], 0)}, &eff)
	for _, want := range []struct {
		at    units.Time
		slots []uint16
	}{{begin + ms, []uint16{1}}, {begin + 2*ms, []uint16{0, 1}}, {begin + 3*ms, []uint16{0, 1}}} {
		if got := c.NextDeadline(); got != want.at {
			t.Fatalf("deadline %v, want %v", got, want.at)
		}
		eff.Reset()
		c.Expire(want.at-1, &eff)
		if len(eff.Sends) > 0 {
			t.Fatalf("sent again before %v", want.at)
		}
		c.Expire(want.at, &eff)
		var slots []uint16
		for _, h := range headers(t, &eff) {
			slots = append(slots, h.Slot)
		}
		if slices.Sort(slots); !slices.Equal(slots, want.slots) {
			t.Errorf("at %v slots %v are sent again, want %v", want.at, slots, want.slots)
		}
	}
}
