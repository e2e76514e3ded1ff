package stream

import (
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

func drawConfig(t *rapid.T) Config {
	segment := rapid.IntRange(1, 60).Draw(t, "segment")
	return Config{
		MTU: overhead + segment, Window: units.Bytes(rapid.IntRange(1, 10*segment).Draw(t, "window")),
		Timeout: units.Duration(rapid.Int64Range(int64(units.Millisecond), int64(10*units.Millisecond)).Draw(t, "timeout")),
	}
}

func drawPieces(t *rapid.T) (out []piece) {
	at := units.Time(0)
	for range rapid.IntRange(0, 6).Draw(t, "pieces") {
		at += units.Time(rapid.SampledFrom([]int64{0, int64(ms / 100), int64(7 * ms)}).Draw(t, "pause"))
		out = append(out, piece{at, rapid.IntRange(0, 200).Draw(t, "bytes")})
	}
	return out
}

// tally watches the wires: what a host sends for the first time and again.
type tally struct{ segments, again, highest []int }

func newTally(n int) *tally {
	return &tally{segments: make([]int, n), again: make([]int, n), highest: make([]int, n)}
}

func (y *tally) see(w int, f sansio.Train) {
	kind, seq, n := segment(f)
	if kind != kindData {
		return
	}
	y.segments[w]++
	if int(seq) < y.highest[w] {
		y.again[w]++
	}
	y.highest[w] = max(y.highest[w], int(seq)+n)
}

func (y *tally) check(t *rapid.T, n *network) {
	for w, h := range n.hosts {
		if got, again := h.counted(CountSegments), h.counted(CountRetransmits); got != y.segments[w] || again != y.again[w] {
			t.Fatalf("host %d counts %d segments, %d of them again; on the wire were %d and %d", w, got, again, y.segments[w], y.again[w])
		}
	}
}

// Whatever is lost, every byte is delivered once and in order, and what was sent
// twice is counted.
func TestLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.IntRange(2, 3).Draw(t, "hosts")
		rate := rapid.Float64Range(0, 0.3).Draw(t, "loss")
		stream := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("loss")
		y := newTally(hosts)
		drop := func(w int, up bool, f sansio.Train) bool {
			if up {
				y.see(w, f)
			}
			return stream.Bernoulli(rate)
		}
		delay := units.Duration(rapid.SampledFrom([]int64{0, 1, int64(200 * units.Microsecond)}).Draw(t, "delay"))
		n := newNetwork(t, hosts, drawConfig(t), delay, drop, func(int) []piece { return drawPieces(t) })
		n.run(t)
		y.check(t, n)
	})
}

// Without loss nothing is sent twice, and no more segments than the bytes need
// but for those that a window or a piece cut short.
func TestLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.IntRange(2, 3).Draw(t, "hosts")
		cfg := drawConfig(t)
		n := newNetwork(t, hosts, cfg, 100*units.Microsecond, nil, func(int) []piece { return drawPieces(t) })
		n.run(t)
		for w, h := range n.hosts {
			if h.counted(CountRetransmits) != 0 || h.counted(DropOutOfOrder) != 0 || h.counted(DropForeign) != 0 || h.counted(DropBadAck) != 0 {
				t.Fatalf("host %d: %+v", w, h.Counters())
			}
		}
	})
}

// A transfer fills its segments: 66 bytes of headers like TCP with timestamps,
// the rest of the frame is payload.
func TestFullSegments(t *testing.T) {
	const mtu, bytes = 1500, 100 * (1500 - 52)
	n := newNetwork(t, 2, Config{MTU: mtu}, 10*units.Microsecond, nil, func(w int) []piece {
		return []piece{{0, bytes * (1 - w)}}
	})
	n.run(t)
	if got := n.up[0].Bytes; n.up[0].Frames != 100 || got != 100*(mtu+inet.EtherLen) {
		t.Errorf("%d frames, %v", n.up[0].Frames, got)
	}
	if got := n.up[1].Bytes; n.up[1].Frames != 100 || got != 100*66 {
		t.Errorf("%d acknowledgements, %v, want 66 bytes each", n.up[1].Frames, got)
	}
}

// Frames that overtake, repeat or vanish: no order of deliveries gives anything
// but the stream.
func TestAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		hosts := [2]*host{}
		want := [2]int{}
		for w := range hosts {
			pieces := drawPieces(t)
			hosts[w] = newHost(t, w, 2, cfg, pieces)
			want[w] = hosts[w].inner.total()
		}
		type flight struct {
			to    int
			frame sansio.Train
		}
		var bag []flight
		var eff sansio.Effects
		now := units.Time(0)
		carry := func(from int) {
			for _, s := range eff.Sends {
				for i := range s.Train.Frames() {
					f := s.Train.Frame(i, nil)
					f.Header, f.Body = append([]byte(nil), f.Header...), append([]byte(nil), f.Body...)
					bag = append(bag, flight{1 - from, f})
				}
			}
			eff.Reset()
		}
		deliver := func(i int) {
			f := bag[i]
			hosts[f.to].Handle(now, []sansio.Arrival{{Train: f.frame}}, &eff)
			carry(f.to)
		}
		remove := func(i int) { bag = append(bag[:i:i], bag[i+1:]...) }
		expire := func() bool {
			d := min(hosts[0].NextDeadline(), hosts[1].NextDeadline())
			if d == units.Never {
				return false
			}
			now = max(now, d)
			for w, h := range hosts {
				h.Expire(now, &eff)
				carry(w)
			}
			return true
		}
		for range rapid.IntRange(0, 120).Draw(t, "steps") {
			what := rapid.IntRange(0, 9).Draw(t, "what")
			if len(bag) == 0 || what == 0 {
				expire()
				continue
			}
			i := rapid.IntRange(0, len(bag)-1).Draw(t, "which")
			if what > 1 { // else it is lost
				deliver(i)
			}
			if what > 2 { // else it comes again
				remove(i)
			}
		}
		for steps := 0; len(bag) > 0 || expire(); steps++ {
			if steps > 100_000 {
				t.Fatal("a network without loss does not come to rest")
			}
			if len(bag) > 0 {
				f := bag[0]
				bag = bag[1:]
				hosts[f.to].Handle(now, []sansio.Arrival{{Train: f.frame}}, &eff)
				carry(f.to)
			}
		}
		checkHeard(t, hosts[0], 1, want[1])
		checkHeard(t, hosts[1], 0, want[0])
	})
}

// A lost segment is sent again after three repeated acknowledgements (RFC 5681
// §3.2), well before the timeout.
func TestFastRetransmit(t *testing.T) {
	for _, victim := range []uint64{0, 500} {
		lost := false
		drop := func(w int, up bool, f sansio.Train) bool {
			kind, seq, _ := segment(f)
			hit := !lost && w == 0 && up && kind == kindData && seq == victim
			lost = lost || hit
			return hit
		}
		n := newNetwork(t, 2, Config{MTU: overhead + 100, Window: 1000, Timeout: 100 * units.Millisecond}, 100*units.Microsecond, drop, func(w int) []piece {
			return []piece{{0, 5000 * (1 - w)}}
		})
		n.run(t)
		if again := n.hosts[0].counted(CountRetransmits); !lost || again == 0 || again > 15 || n.Now() > 50*ms {
			t.Errorf("byte %d lost: %v, %d sent again, over at %v", victim, lost, again, n.Now())
		}
	}
}

// Acknowledgements lost for a while: the window is sent again, every segment of
// it is acknowledged again, and that must not look like a loss, or every window
// from then on would be sent twice.
func TestSpuriousRetransmissionEnds(t *testing.T) {
	var n *network
	drop := func(w int, up bool, f sansio.Train) bool {
		kind, _, _ := segment(f)
		return kind == kindAck && n != nil && n.Now() < 5*ms
	}
	const window, size = 1000, 100
	n = newNetwork(t, 2, Config{MTU: overhead + size, Window: window, Timeout: 10 * units.Millisecond}, 100*units.Microsecond, drop, func(w int) []piece {
		return []piece{{0, 100 * window * (1 - w)}}
	})
	n.run(t)
	if got := n.hosts[0].counted(CountRetransmits); got == 0 || got > 2*window/size {
		t.Errorf("%d of %d segments were sent again, want about one window", got, 100*window/size)
	}
}

// A sender that goes back may cut its bytes elsewhere than before: the receiver
// takes the part of a segment that it does not have.
func TestOverlappingSegment(t *testing.T) {
	h := newHost(t, 1, 2, Config{MTU: 1500}, nil)
	var eff sansio.Effects
	for _, c := range []struct {
		seq uint64
		n   int
		ack uint64
	}{{0, 100, 100}, {50, 100, 150}, {0, 150, 150}, {0, 100, 150}, {151, 10, 150}, {149, 2, 151}} {
		b := make([]byte, headerLen+c.n)
		b[0], b[15] = kindData, byte(c.seq)
		for i := range c.n {
			b[headerLen+i] = byteOf(0, int(c.seq)+i)
		}
		header := inet.UDPHeader(flow(0, 1))
		inet.SetUDPBody(header, len(b))
		h.Handle(0, []sansio.Arrival{{Train: sansio.Train{Header: header, Body: b}}}, &eff)
		if kind, ack, _ := segment(eff.Sends[0].Train); kind != kindAck || ack != c.ack {
			t.Errorf("bytes %d to %d are answered with %d, want %d", c.seq, int(c.seq)+c.n, ack, c.ack)
		}
		eff.Reset()
	}
	checkHeard(t, h, 0, 151)
	if got := h.counted(DropOutOfOrder); got != 3 {
		t.Errorf("%d segments out of order", got)
	}
}

// Frames that are not of this host's streams are counted and change nothing.
func TestForeignFrames(t *testing.T) {
	h := newHost(t, 0, 3, Config{MTU: 1500}, []piece{{0, 100}})
	var eff sansio.Effects
	h.Expire(0, &eff)
	eff.Reset()
	frame := func(f inet.Flow, kind uint8, seq uint64, n int) sansio.Train {
		b := make([]byte, n)
		if n > 15 {
			b[0], b[15] = kind, byte(seq)
		}
		header := inet.UDPHeader(f)
		inet.SetUDPBody(header, n)
		return sansio.Train{Header: header, Body: b}
	}
	other := flow(2, 0)
	other.DstPort++
	for name, c := range map[string]struct {
		reason string
		train  sansio.Train
	}{
		"too short":             {DropForeign, frame(flow(2, 0), kindData, 0, headerLen-1)},
		"other port":            {DropForeign, frame(other, kindData, 0, 100)},
		"data of the next host": {DropForeign, frame(flow(1, 0), kindData, 0, 100)},
		"ack of the previous":   {DropForeign, frame(flow(2, 0), kindAck, 50, headerLen)},
		"unknown kind":          {DropForeign, frame(flow(2, 0), 3, 0, 100)},
		"no frame":              {DropForeign, sansio.Train{}},
		"ack of the future":     {DropBadAck, frame(flow(1, 0), kindAck, 101, headerLen)},
		"segment of the future": {DropOutOfOrder, frame(flow(2, 0), kindData, 1, 100)},
	} {
		before := h.counted(c.reason)
		h.Handle(0, []sansio.Arrival{{Train: c.train}}, &eff)
		if got := h.counted(c.reason); got != before+1 {
			t.Errorf("%s: %d counted as %s", name, got-before, c.reason)
		}
		eff.Reset()
	}
	if len(h.inner.heard) != 0 || h.tx.acked != 0 {
		t.Errorf("heard %d bytes, %d acknowledged", len(h.inner.heard), h.tx.acked)
	}
}

// Bytes that wait are not moved for every acknowledgement: a queue of 64 MiB
// in segments of 16 bytes would take hours (10^14 bytes to move).
func TestLongQueueIsCheap(t *testing.T) {
	tx := sender{buf: make([]byte, 1<<26), sent: 1 << 26}
	for tx.acked < 1<<26 {
		tx.release(tx.acked + 16)
	}
	if len(tx.pending()) != 0 || len(tx.buf) != 0 {
		t.Errorf("%d bytes are left, %d of them pending", len(tx.buf), len(tx.pending()))
	}
}

// Nor does the memory of acknowledged bytes add up.
func TestMemoryIsReused(t *testing.T) {
	var pieces []piece
	for i := range 1000 {
		pieces = append(pieces, piece{units.Time(i) * ms, 1000})
	}
	n := newNetwork(t, 2, Config{MTU: 1500}, 0, nil, func(w int) []piece { return pieces[:1000*(1-w)] })
	n.run(t)
	if got := cap(n.hosts[0].tx.buf); got > 10_000 {
		t.Errorf("a buffer of %d bytes for pieces of 1000", got)
	}
}

func TestConfig(t *testing.T) {
	ok := Config{MTU: 1500, Next: flow(0, 1), Prev: flow(0, 1)}
	if _, err := New(ok, &talker{}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*Config)
		says   string
	}{
		"MTU":          {func(c *Config) { c.MTU = overhead }, "MTU"},
		"huge MTU":     {func(c *Config) { c.MTU = 1 << 16 }, "MTU"},
		"window":       {func(c *Config) { c.Window = -1 }, "window"},
		"timeout":      {func(c *Config) { c.Timeout = -1 }, "timeout"},
		"no address":   {func(c *Config) { c.Next.Dst = netip.Addr{} }, "IPv4"},
		"no address 2": {func(c *Config) { c.Prev.Src = netip.Addr{} }, "IPv4"},
	} {
		cfg := ok
		c.change(&cfg)
		if _, err := New(cfg, &talker{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one about %q", name, err, c.says)
		}
	}
}
