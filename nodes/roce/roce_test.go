package roce

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/roce"
)

// Whatever is lost, every byte is delivered once and in order, unstored bytes in
// their places, both ways at once; what was sent twice is counted.
func TestLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0, 0.3).Draw(t, "loss")
		stream := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("loss")
		var seen, again, bytes [2]int
		highest := [2]int{-1, -1}
		drop := func(from int, f sansio.Train) bool {
			if p, data := isData(f); data {
				seen[from]++
				if int(p) <= highest[from] {
					again[from]++
					bytes[from] += len(f.Body) + f.Unstored
				}
				highest[from] = max(highest[from], int(p))
			}
			return stream.Bernoulli(rate)
		}
		delay := units.Duration(rapid.SampledFrom([]int64{0, 1, int64(200 * us)}).Draw(t, "delay"))
		p := newPair(t, drawConfig(t), delay, drop, [2][]write{drawWrites(t), drawWrites(t)})
		p.run(t)
		for w, e := range p.ends {
			if e.counted(CountPackets) != seen[w] || e.counted(CountAgain) != again[w] {
				t.Fatalf("end %d counts %d packets, %d of them again; on the wire were %d and %d", w, e.counted(CountPackets), e.counted(CountAgain), seen[w], again[w])
			}
			if got, want := sansio.ResentOf(e.Counters()), (result.Resent{Packets: uint64(again[w]), Bytes: units.Bytes(bytes[w])}); got != want {
				t.Fatalf("end %d counts %+v sent again, on the wire were %+v", w, got, want)
			}
		}
	})
}

// Without loss no packet is sent twice or refused, and there are as many as the
// messages need.
func TestLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		writes := [2][]write{drawWrites(t), drawWrites(t)}
		p := newPair(t, cfg, 100*us, nil, writes)
		p.run(t)
		for w, e := range p.ends {
			if got, want := e.counted(CountPackets), packets(writes[w], cfg.PathMTU); got != want {
				t.Fatalf("end %d sent %d packets, want %d", w, got, want)
			}
			for _, c := range e.Counters() {
				if c.Name != CountPackets && c.Name != CountAcks {
					t.Fatalf("end %d: %+v", w, e.Counters())
				}
			}
		}
	})
}

// Packets that overtake, repeat or vanish: no order of deliveries gives anything
// but the stream.
func TestAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		b := &bag{t: t}
		for w := range b.ends {
			b.ends[w] = newEnd(t, w, cfg, drawWrites(t))
		}
		for range rapid.IntRange(0, 120).Draw(t, "steps") {
			what := rapid.IntRange(0, 9).Draw(t, "what")
			if len(b.flying) == 0 || what == 0 {
				b.expire()
				continue
			}
			i := rapid.IntRange(0, len(b.flying)-1).Draw(t, "which")
			if what > 1 { // else it is lost
				b.deliver(i)
			}
			if what > 2 { // else it comes again
				b.flying = append(b.flying[:i:i], b.flying[i+1:]...)
			}
		}
		for steps := 0; len(b.flying) > 0 || b.expire(); steps++ {
			if steps > 100_000 {
				t.Fatal("a network without loss does not come to rest")
			}
			if len(b.flying) > 0 {
				b.deliver(0)
				b.flying = b.flying[1:]
			}
		}
		(&pair{ends: b.ends}).checkHeard(t)
	})
}

// bag is a network without order.
type bag struct {
	t      rapid.TB
	ends   [2]*end
	now    units.Time
	eff    sansio.Effects
	flying []flight
}

type flight struct {
	to    int
	frame sansio.Train
}

func (b *bag) carry(from int) {
	for _, s := range b.eff.Sends {
		for i := range s.Train.Frames() {
			f := s.Train.Frame(i, nil)
			f.Header, f.Body = slices.Clone(f.Header), slices.Clone(f.Body)
			b.flying = append(b.flying, flight{1 - from, f})
		}
	}
	b.eff.Reset()
}

func (b *bag) deliver(i int) {
	f := b.flying[i]
	b.ends[f.to].Handle(b.now, []sansio.Arrival{{Train: f.frame}}, &b.eff)
	b.carry(f.to)
}

func (b *bag) expire() bool {
	d := min(b.ends[0].NextDeadline(), b.ends[1].NextDeadline())
	if d == units.Never {
		return false
	}
	b.now = max(b.now, d)
	for w, e := range b.ends {
		e.Expire(b.now, &b.eff)
		b.carry(w)
	}
	return true
}

// A train means its frames: what follows from it does not depend on how they
// are joined.
func TestTrainsAreFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		cfg.Rate = 0 // no timers
		writes := drawWrites(t)
		if len(writes) == 0 {
			return
		}
		var joined, split [2]*end
		for w := range joined {
			joined[w], split[w] = newEnd(t, w, cfg, slices.Clone(writes)), newEnd(t, w, cfg, slices.Clone(writes))
		}
		var a, b sansio.Effects
		joined[0].Expire(1000*ms, &a)
		split[0].Expire(1000*ms, &b)
		for from := 0; len(a.Sends) > 0; from = 1 - from {
			var whole, frames []sansio.Arrival
			for _, s := range a.Sends {
				whole = append(whole, sansio.Arrival{Train: s.Train})
				for i := range s.Train.Frames() {
					frames = append(frames, sansio.Arrival{Train: s.Train.Frame(i, nil)})
				}
			}
			var a2, b2 sansio.Effects
			joined[1-from].Handle(1000*ms, whole, &a2)
			split[1-from].Handle(1000*ms, frames, &b2)
			if !slices.EqualFunc(a2.Sends, b2.Sends, func(x, y sansio.Send) bool {
				return slices.Equal(x.Train.Header, y.Train.Header) && slices.Equal(x.Train.Body, y.Train.Body) && x.Train.Seg == y.Train.Seg && x.Train.Unstored == y.Train.Unstored
			}) {
				t.Fatal("the answers differ")
			}
			a = a2
		}
		if !slices.Equal(joined[1].received, split[1].received) || !slices.Equal(joined[1].received, joined[0].written) {
			t.Fatal("what was heard differs")
		}
	})
}

// One lost packet: one NAK, one window again, no timeout.
func TestGoBackOnNak(t *testing.T) {
	lost := false
	drop := func(from int, f sansio.Train) bool {
		p, data := isData(f)
		hit := !lost && from == 0 && data && p == 7
		lost = lost || hit
		return hit
	}
	cfg := Config{PathMTU: 1024, Window: 16 * 1024, AckEvery: 4, Timeout: 100 * units.Millisecond}
	p := newPair(t, cfg, 100*us, drop, [2][]write{{{0, 64 * 1024, 0}}, nil})
	p.run(t)
	tx, rx := p.ends[0], p.ends[1]
	// At the NAK, packets 7 to 19 are out: acknowledgements up to 3 let 4 more go.
	if got := tx.counted(CountAgain); got != 13 {
		t.Errorf("%d packets were sent again, want 13", got)
	}
	if rx.counted(CountNaks) != 1 || tx.counted(CountTimeouts) != 0 || rx.counted(DropSequence) != 12 {
		t.Errorf("sender %+v, receiver %+v", tx.Counters(), rx.Counters())
	}
	if p.Now() > 2*ms {
		t.Errorf("over at %v", p.Now())
	}
}

// The end of a message lost with nothing behind it: the timeout repairs it.
func TestGoBackOnTimeout(t *testing.T) {
	for _, answers := range []bool{false, true} { // what is lost: the packet or its acknowledgement
		lost := false
		drop := func(from int, f sansio.Train) bool {
			_, data := isData(f)
			hit := !lost && data != answers
			lost = lost || hit
			return hit
		}
		p := newPair(t, Config{Timeout: 10 * units.Millisecond}, 100*us, drop, [2][]write{{{0, 100, 0}}, nil})
		p.run(t)
		if e := p.ends[0]; e.counted(CountTimeouts) != 1 || e.counted(CountAgain) != 1 || p.Now() != 10*ms+2*ms/10 {
			t.Errorf("over at %v: %+v", p.Now(), e.Counters())
		}
		if got := p.ends[1].counted(DropDuplicate) == 1; got != answers {
			t.Errorf("a duplicate is counted: %v", got)
		}
	}
}

// A peer that is gone: the connection ends after 7 timeouts in a row, and what
// is written then is dropped.
func TestRetriesEnd(t *testing.T) {
	drop := func(int, sansio.Train) bool { return true }
	p := newPair(t, Config{Timeout: units.Millisecond}, 0, drop, [2][]write{{{0, 100, 0}, {20 * ms, 100, 0}}, nil})
	if pending, err := p.Run(100 * ms); pending || err != nil {
		t.Fatalf("pending: %v, error: %v", pending, err)
	}
	e := p.ends[0]
	if e.counted(CountTimeouts) != 7 || e.counted(CountExhausted) != 1 || e.counted(DropFailed) != 1 || p.wires[0].Frames != 8 {
		t.Errorf("%d frames, %+v", p.wires[0].Frames, e.Counters())
	}
}

// Sequence numbers wrap at 2^24.
func TestSequenceNumbersWrap(t *testing.T) {
	stream := rng.Root(1).Stream("loss")
	drop := func(int, sansio.Train) bool { return stream.Bernoulli(0.1) }
	p := newPair(t, Config{PathMTU: 256, Window: 4096, Timeout: units.Millisecond, Retries: 100}, 100*us, drop, [2][]write{{{0, 20_000, 0}}, nil})
	const start = 1<<24 - 30
	tx := &p.ends[0].tx
	tx.acked, tx.next, tx.highest, tx.end = start, start, start, start
	p.ends[1].rx.expected = start
	p.run(t)
	if tx.acked != start+79 {
		t.Errorf("%d packets are acknowledged", tx.acked-start)
	}
}

// The bytes on the wire, reviewed: a message of three bytes, its
// acknowledgement, and the NAK to a packet too far.
func TestWire(t *testing.T) {
	a, b := newEnd(t, 0, Config{}, nil), newEnd(t, 1, Config{}, nil)
	var eff, answers sansio.Effects
	a.Write(0, []byte{0xaa, 0xbb, 0xcc}, 0, &eff)
	show := func(s sansio.Send) string { return hex.EncodeToString(s.Train.Body) }
	udp := inet.UDP(eff.Sends[0].Train.Header[inet.EtherLen+inet.IPv4Len:])
	if udp.DstPort() != 4791 || udp.SrcPort() < 0xc000 || eff.Sends[0].Train.Bytes() != 14+20+8+12+4+4 {
		t.Errorf("ports %d and %d, %d bytes", udp.SrcPort(), udp.DstPort(), eff.Sends[0].Train.Bytes())
	}
	b.Handle(0, []sansio.Arrival{{Train: eff.Sends[0].Train}}, &answers)
	b.rx.expected = 0xfffffe // a duplicate from here
	far := slices.Clone(eff.Sends[0].Train.Body)
	far[9], far[10], far[11] = 0xff, 0xff, 0xff
	b.Handle(0, []sansio.Arrival{{Train: sansio.Train{Header: eff.Sends[0].Train.Header, Body: far}}}, &answers)
	for i, c := range []struct{ got, want string }{
		//              op f pkey  - queue  A- PSN
		{show(eff.Sends[0]), "0410ffff000012318000000" + "0aabbcc00" + "00000000"},
		{show(answers.Sends[0]), "1100ffff0000123000000000" + "1f000001" + "00000000" + "1100ffff0000123000fffffe" + "60000001" + "00000000"},
	} {
		if c.got != c.want {
			t.Errorf("%d: %s, want %s", i, c.got, c.want)
		}
	}
}

// Unstored values: the same frames as with content, in few trains of little memory.
func TestCountedBytesTravelInTrains(t *testing.T) {
	const size = 1 << 20
	run := func(w write) *pair {
		p := newPair(t, Config{}, 10*us, nil, [2][]write{{w}, nil})
		p.run(t)
		return p
	}
	real, lengths := run(write{0, size, 0}), run(write{0, 0, size})
	if real.wires[0].Frames != lengths.wires[0].Frames || real.wires[0].Bytes != lengths.wires[0].Bytes || real.Now() != lengths.Now() {
		t.Errorf("%d frames, %v until %v; unstored values %d, %v until %v", real.wires[0].Frames, real.wires[0].Bytes, real.Now(),
			lengths.wires[0].Frames, lengths.wires[0].Bytes, lengths.Now())
	}
	var eff sansio.Effects
	newEnd(t, 0, Config{Window: units.Bytes(size)}, nil).Write(0, nil, size, &eff)
	if frames := eff.Sends[0].Train.Frames(); frames != 15 { // 65535/(4096+16)
		t.Errorf("%d frames in the first train", frames)
	}
}

// What a peer or a stranger may send never breaks a connection: it is counted.
func TestNonsense(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := newEnd(t, 0, Config{}, nil)
		var eff sansio.Effects
		e.say(0, write{body: 3 * 4096}, &eff)
		eff.Reset()
		body := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "body")
		if len(body) >= bthLen && rapid.Bool().Draw(t, "mine") {
			wire.BTH(body).Put(opcode(rapid.SampledFrom([]int{0, 1, 2, 4, 0x11}).Draw(t, "opcode")), int(body[1]), e.own, true, wire.PSN(rapid.IntRange(0, 4).Draw(t, "psn")))
		}
		f := datagram(flow(1))
		header := inet.UDPHeader(f)
		inet.SetUDPBody(header, len(body))
		e.Handle(0, []sansio.Arrival{{Train: sansio.Train{Header: header, Body: body}}}, &eff)
		if len(e.Counters()) < 2 && len(e.received) == 0 && e.tx.acked == 0 {
			t.Fatalf("a packet went without trace: %x", body)
		}
	})
}

// Packets of others, and nonsense of the peer's, by name.
func TestDrops(t *testing.T) {
	packet := func(f inet.Flow, op opcode, pair uint32, seq uint64, extra int) sansio.Train {
		b := make([]byte, overhead+extra)
		wire.BTH(b).Put(op, 0, pair, true, wire.PSN(seq))
		h := inet.UDPHeader(datagram(f))
		inet.SetUDPBody(h, len(b))
		return sansio.Train{Header: h, Body: b}
	}
	peer, own := flow(1), uint32(flow(0).SrcPort)
	stranger := peer
	stranger.Src = netip.MustParseAddr("10.9.9.9")
	for name, c := range map[string]struct {
		reason string
		train  sansio.Train
	}{
		"stranger":         {DropForeign, packet(stranger, sendOnly, own, 0, 4)},
		"other queue pair": {DropForeign, packet(peer, sendOnly, own+1, 0, 4)},
		"no frame":         {DropForeign, sansio.Train{}},
		"empty packet":     {DropMalformed, packet(peer, sendOnly, own, 0, 0)},
		"unknown opcode":   {DropMalformed, packet(peer, 9, own, 0, 4)},
		"long answer":      {DropMalformed, packet(peer, acknowledge, own, 0, 8)},
		"unknown syndrome": {DropMalformed, func() sansio.Train { p := packet(peer, acknowledge, own, 0, 4); p.Body[bthLen] = 0x20; return p }()},
		"answer to the future": {DropBadAck, func() sansio.Train {
			p := packet(peer, acknowledge, own, 3, 4)
			p.Body[bthLen] = syndromeACK
			return p
		}()},
	} {
		e := newEnd(t, 0, Config{}, nil)
		var eff sansio.Effects
		e.say(0, write{body: 3 * 4096}, &eff)
		eff.Reset()
		e.Handle(0, []sansio.Arrival{{Train: c.train}}, &eff)
		if got := e.counted(c.reason); got != 1 || len(e.received) != 0 || e.tx.acked != 0 || len(eff.Sends) != 0 {
			t.Errorf("%s: %+v", name, e.Counters())
		}
	}
}

func TestBufferIsBounded(t *testing.T) {
	e := newEnd(t, 0, Config{Buffer: 1000}, nil)
	var eff sansio.Effects
	e.Write(0, make([]byte, 600), 400, &eff)
	e.Write(0, nil, 1, &eff)
	if e.counted(DropBuffer) != 1 || e.tx.end != 1 {
		t.Errorf("%+v", e.Counters())
	}
}

func TestPathMTU(t *testing.T) {
	for ip, want := range map[int]int{1500: 1024, 9000: 4096, 4140: 4096, 4139: 2048, 300: 256, 299: 0} {
		if got := PathMTU(ip); got != want {
			t.Errorf("an IP MTU of %d gives %d, want %d", ip, got, want)
		}
	}
}

func TestConfig(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config)
		says   string
	}{
		"path MTU":   {func(c *Config) { c.PathMTU = 1500 }, "path MTU of 1500"},
		"window":     {func(c *Config) { c.Window = -1 }, "window"},
		"big window": {func(c *Config) { c.Window = 1 << 40 }, "window"},
		"acks":       {func(c *Config) { c.AckEvery = -1 }, "acknowledgement every -1"},
		"timeout":    {func(c *Config) { c.Timeout = -1 }, "timeout"},
		"retries":    {func(c *Config) { c.Retries = -1 }, "retries"},
		"rate":       {func(c *Config) { c.Rate = -1 }, "rate"},
		"buffer":     {func(c *Config) { c.Buffer = -1 }, "buffer"},
		"address":    {func(c *Config) { c.Flow.Dst = netip.Addr{} }, "IPv4"},
	} {
		cfg := Config{Flow: flow(0)}
		c.change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one about %q", name, err, c.says)
		}
	}
}
