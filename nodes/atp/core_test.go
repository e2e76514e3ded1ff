package atp

import (
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/gradient"
)

// Packets that are no parameters of this worker's are counted by reason, and change nothing.
func TestForeignPackets(t *testing.T) {
	for name, test := range map[string]struct {
		change func(h *wire.Header, frame *sansio.Train)
		reason string
	}{
		"another job":       {func(h *wire.Header, _ *sansio.Train) { h.Job = 2 }, DropForeign},
		"a gradient packet": {func(h *wire.Header, _ *sansio.Train) { h.Flags, h.Bitmaps = 0, [2]uint32{1, 1} }, DropForeign},
		"another server":    {func(_ *wire.Header, f *sansio.Train) { f.Header = downHeader(3) }, DropForeign},
		"the other server":  {func(_ *wire.Header, f *sansio.Train) { f.Header = downHeader(1) }, DropForeign},
		"another port": {func(_ *wire.Header, f *sansio.Train) {
			inet.UDP(f.Header[inet.EtherLen+inet.IPv4Len:]).SetPorts(17000, 17001)
		}, DropForeign},
		"a number of nobody":  {func(h *wire.Header, _ *sansio.Train) { h.Sequence = 511 }, DropForeign},
		"a number not sent":   {func(h *wire.Header, _ *sansio.Train) { h.Sequence = 9 }, DropStale},
		"one behind packet 0": {func(h *wire.Header, _ *sansio.Train) { h.Sequence = 254 }, DropStale},
		"number 0":            {func(h *wire.Header, _ *sansio.Train) { h.Sequence = 0 }, string(wire.BadSequence)},
		"too short": {func(_ *wire.Header, f *sansio.Train) {
			f.Body = f.Body[:wire.PayloadLen-4]
			inet.SetUDPBody(f.Header, len(f.Body))
		}, string(wire.Truncated)},
		"a length in place of values": {func(_ *wire.Header, f *sansio.Train) {
			f.Body, f.Unstored = f.Body[:wire.HeaderLen], 4*block
		}, DropUnlike},
		"floats that nobody asked for": {func(h *wire.Header, _ *sansio.Train) { h.Flags |= wire.Overflow | wire.Resend }, DropUnlike},
	} {
		cfg := testConfig(0, 2, 2)
		cfg.SequenceBits = 9 // two streams of 254 numbers
		s := newScript(t, cfg)
		s.begin(0)
		h := wire.Header{Job: 1, Sequence: 1, Flags: wire.IsAck, FanIns: [2]uint8{1, 1}}
		f := sansio.Train{Header: downHeader(0), Body: make([]byte, wire.PayloadLen)}
		body := f.Body
		test.change(&h, &f)
		h.Put(body)
		before := len(s.sent)
		s.feed.Arrive(us, sansio.Arrival{Train: f})
		x := &s.core.streams[0]
		if n := s.core.count.Get(test.reason); n != 1 || x.expected != 0 || x.inFlight != 2 || len(s.sent) != before || s.core.count.Get(CountParameters) != 0 {
			t.Errorf("%s: %d counted as %s; counters %v", name, n, test.reason, s.core.Counters())
		}
	}
}

// A mark is the header's flag or the codepoint of the IP packet, and each counts once.
func TestMarksOfBothKinds(t *testing.T) {
	for _, flags := range []wire.Flags{0, wire.ECN} {
		for _, codepoint := range []uint8{inet.ECT0, inet.CE} {
			s := newScript(t, testConfig(0, 2, 1))
			s.begin(0)
			h := wire.Header{Job: 1, Sequence: 1, Flags: wire.IsAck | flags, FanIns: [2]uint8{1, 1}}
			f := sansio.Train{Header: downHeader(0), Body: make([]byte, wire.PayloadLen)}
			h.Put(f.Body)
			inet.IPv4(f.Header[inet.EtherLen:]).SetECN(codepoint)
			s.feed.Arrive(us, sansio.Arrival{Train: f})
			want := uint64(0)
			if flags != 0 || codepoint == inet.CE {
				want = 1
			}
			if n := s.core.count.Get(CountMarks); n != want || s.core.count.Get(CountHalved) != want {
				t.Errorf("flags %v, codepoint %d: %d marks", flags, codepoint, n)
			}
		}
	}
}

// Cuts go to the thread with the fewest values so far, and to servers by number; the last tensor of
// a generation goes first.
func TestShares(t *testing.T) {
	cfg := testConfig(0, 2, 2)
	cfg.Threads, cfg.SequenceBits, cfg.Cut = 2, 10, 3*block+1 // cut to 3 packets
	cfg.Tensors = []int{7 * block, 5}
	cfg.Tensor = 7*block + 5
	core, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	g := core.newGeneration(0)
	core.share(&g.tensors[1])
	core.share(&g.tensors[0])
	// Number 3 is 5 values, to thread 0; 0 is 3 packets, to thread 1; 1 to thread 0; 2 is one packet, to thread 1, with less.
	want := [][][3]int{
		0: nil,
		1: {{1, 0, 1}, {0, 3, 6}},
		2: {{0, 0, 3}, {0, 6, 7}},
		3: nil,
	}
	for i := range core.streams {
		var got [][3]int
		for _, p := range core.streams[i].parts {
			which := 0
			if p.tensor == &g.tensors[1] {
				which = 1
			}
			got = append(got, [3]int{which, p.from, p.to})
		}
		if !slices.Equal(got, want[i]) {
			t.Errorf("stream %d has %v, want %v", i, got, want[i])
		}
	}
	if want := []uint64{5 + 3*block, 4 * block}; !slices.Equal(core.loads, want) {
		t.Errorf("loads %v, want %v", core.loads, want)
	}
	if g.remaining != 8 {
		t.Errorf("%d packets", g.remaining)
	}
}

// Several tensors of odd lengths, and int32 tensors as they are.
func TestTensorsAndIntegers(t *testing.T) {
	p := params{n: 3, gens: 4, servers: 2, age: units.Millisecond, loss: 0.05, again: 0.1, odd: 0.2, seed: 5, host: func(c *Config) {
		c.Tensors, c.Tensor, c.Cut, c.Threads, c.SequenceBits = []int{1, 62, 63, 500}, 626, 130, 2, 9
	}}
	r := newRig(t, p)
	r.mustBeDone(t)
	r.check(t)

	host := p.host
	p.host = func(c *Config) {
		host(c)
		c.Integers = true
	}
	r = newRig(t, p)
	var ints []*sansiotest.Ints
	for w := range p.n {
		x := &sansiotest.Ints{IntCore: r.cores[w], Tensor: func(gen int) []int32 { return numbers(w, gen, 626) }}
		r.hosts[w].Core = x
		ints = append(ints, x)
	}
	r.mustBeDone(t)
	for g := range p.gens {
		for i := range 626 {
			want := int32(0)
			for w := range p.n {
				want += numbers(w, g, 626)[i]
			}
			for w := range p.n {
				if got := ints[w].Got[g][i]; got != want {
					t.Fatalf("worker %d, generation %d, element %d: sum %d, want %d", w, g, i, got, want)
				}
			}
		}
	}
}

func numbers(w, gen, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32((w+1)*1_000_003*(i+1) + gen)
	}
	return out
}

// Values that do not fit are clipped and counted, and the outcome says so.
func TestSaturation(t *testing.T) {
	cfg := testConfig(0, 1, 1)
	cfg.Tensor = block
	s := newScript(t, cfg)
	grad := make([]float32, block)
	grad[0], grad[1], grad[2] = 30, -30, float32(math.NaN()) // 2^31 / 1e8 is 21.5
	s.core.Begin(0, 0, grad, &s.eff)
	s.eff.Reset()
	h := wire.Header{Job: 1, Sequence: 1, Flags: wire.IsAck, FanIns: [2]uint8{1, 1}}
	s.arrive(us, &h, 3)
	out, _ := s.core.Finish(0)
	if n := s.core.count.Get(CountSaturated); n != 3 || out.Saturated != 3 || !out.Contributed {
		t.Errorf("%d values saturated; outcome %+v", n, out)
	}
}

// Packets that lack parameters, and one that waits for its number, are told by the names that they
// have in events.
func TestWaiting(t *testing.T) {
	cfg := testConfig(0, 2, 1)
	cfg.Sweep, cfg.Tensor = true, 3*block
	log := trace.NewLog(1)
	cfg.Trace = log
	s := newScript(t, cfg)
	s.begin(0)
	if got, want := s.core.Waiting(9), []trace.Wait{{Block: 1}}; !slices.Equal(got, want) {
		t.Errorf("before the sweep it waits for %v, want %v", got, want)
	}
	s.wait(3 * units.Millisecond)
	s.parameters(2, 0)
	want := []trace.Wait{{Block: 1, Sent: true}, {Block: 3, Sent: true}, {Block: 4, Sent: true}, {Block: 5, Sent: true}}
	if got := s.core.Waiting(9); !slices.Equal(got, want) {
		t.Errorf("it waits for %v, want %v", got, want)
	}
	if got := s.core.Waiting(2); !slices.Equal(got, want[:2]) {
		t.Errorf("asked for 2, it waits for %v", got)
	}
	if last, ok := log.Last(); !ok || last.Kind != trace.Sent || last.Block != 5 || last.Gen != 0 {
		t.Errorf("the last event is %+v", last)
	}
	s.core.streams[0].next = 126 + 4
	if gen, number := s.core.streams[0].name(126 + 3); gen != 1 || number != 4 {
		t.Errorf("packet 129 is number %d for the time %d", number, gen)
	}
}

// Parameters that arrive as a train do what they do one by one.
func TestTrains(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cfg := testConfig(0, 2, 1)
		cfg.Tensor, cfg.Window = 30*block, 8
		order := rapid.Permutation([]uint32{1, 2, 3, 4, 5, 6, 7, 8}).Draw(rt, "order")
		one, all := newScript(t, cfg), newScript(t, cfg)
		one.begin(0)
		all.begin(0)
		var body []byte
		for _, number := range order {
			h := wire.Header{Job: 1, Sequence: number, Flags: wire.IsAck, FanIns: [2]uint8{1, 1}}
			payload := make([]byte, wire.PayloadLen)
			h.Put(payload)
			body = append(body, payload...)
			one.feed.Arrive(us, sansio.Arrival{Train: sansio.Train{Header: downHeader(0), Body: payload}})
		}
		header := downHeader(0)
		inet.SetUDPBody(header, len(body))
		all.feed.Arrive(us, sansio.Arrival{Train: sansio.Train{Header: header, Body: body, Seg: wire.PayloadLen}})
		if !slices.Equal(one.sent, all.sent) || !slices.Equal(one.core.Counters(), all.core.Counters()) {
			rt.Errorf("one by one:\n%s\nas a train:\n%s", one, all)
		}
	})
}

// What cannot work is refused, by the name of the thing and with what to do.
func TestConfigurationsAreRefused(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"worker 2 of 2":        func(c *Config) { c.Worker = 2 },
		"tensor of 0 elements": func(c *Config) { c.Tensor = 0 },
		"cut to 61: there must be one, and a cut holds at least the 62 values": func(c *Config) { c.Cut = 61 },
		"timeout -1":                                  func(c *Config) { c.Timeout = -1 },
		"age limit -1":                                func(c *Config) { c.Age = -1 },
		"lifetime of packets -1":                      func(c *Config) { c.Lifetime = -1 },
		"65537 aggregators: 0 to 65536":               func(c *Config) { c.Aggregators = 65537 },
		"scaling factor NaN":                          func(c *Config) { c.Scaling.Factor = math.NaN() },
		"the 1 tensors have 3 elements":               func(c *Config) { c.Tensors = []int{3} },
		"do not sample them":                          func(c *Config) { c.Tensors, c.Sample.Every = []int{2 * block, 2 * block}, 2 },
		"one block of -1":                             func(c *Config) { c.Sample.Every = -1 },
		"at most 256 streams":                         func(c *Config) { c.Threads = 257 },
		"1 threads and 0 servers":                     func(c *Config) { c.Servers = nil },
		"must be IPv4":                                func(c *Config) { c.Servers[0].Flow.Dst = netip.IPv6Loopback() },
		"UDP port 5 of server 0: ATP has port 17000":  func(c *Config) { c.Servers[0].Flow.DstPort = 5 },
		"give each a host of its own":                 func(c *Config) { c.Servers = slices.Concat(c.Servers, c.Servers) },
		"fan-in 33 of level 1: 1 to 32":               func(c *Config) { c.Servers[0].FanIns[1] = 33 },
		"fan-in 0 of level 0":                         func(c *Config) { c.Servers[0].FanIns[0] = 0 },
		"bitmap 0x3 of level 0: a worker has one bit": func(c *Config) { c.Servers[0].Bitmaps[0] = 3 },
		"both must be 1":                              func(c *Config) { c.Servers[0].Direct = true },
		"window of -1":                                func(c *Config) { c.Window = -1 },
		"not below the least window":                  func(c *Config) { c.LeastWindow = 9 },
		"indexing 4: 0 to 3":                          func(c *Config) { c.Indexing = 4 },
		"only static indexing has a part":             func(c *Config) { c.Part = 4 },
		"places have indexes with indexing 0 only":    func(c *Config) { c.ByPlace, c.Indexing = true, Linear },
		"choose one inside the table":                 func(c *Config) { c.Indexing, c.Base, c.Part = Static, 10, 7 },
		"part of 0 aggregators for 1 streams":         func(c *Config) { c.Indexing = Static },
		"sequence numbers of 25 bits: 4 to 24":        func(c *Config) { c.SequenceBits = 25 },
		"126 sequence numbers each":                   func(c *Config) { c.Aggregators = 56 },
		"take fewer threads or servers":               func(c *Config) { c.Span = 22 },
		"a half must hold a span of 30 packets":       func(c *Config) { c.Indexing, c.Part, c.Span = Static, 4, 30 },
	} {
		cfg := testConfig(0, 2, 1)
		change(&cfg)
		_, err := New(cfg)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "configuring ATP worker w: ") {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	for name, change := range map[string]func(*Config){
		"defaults": func(c *Config) {
			c.Window, c.Span, c.SequenceBits, c.Aggregators, c.Timeout = 0, 0, 0, wire.MaxAggregators, 0
		},
		"most streams":       func(c *Config) { c.Threads, c.Span, c.SequenceBits, c.Aggregators = 256, 64, 0, 20000 },
		"no aggregators":     func(c *Config) { c.Aggregators, c.Indexing = 0, Static },
		"the longest span":   func(c *Config) { c.Indexing, c.Part, c.Span = Static, 4, 29 },
		"the most that fits": func(c *Config) { c.Aggregators = 55 },
		"one tensor sampled": func(c *Config) { c.Sample = gradient.Sampling{Every: 3} },
	} {
		cfg := testConfig(0, 2, 1)
		change(&cfg)
		if _, err := New(cfg); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
