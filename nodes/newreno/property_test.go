package newreno

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

func drawConfig(t *rapid.T) Config {
	return Config{
		ISN:          rapid.SampledFrom([]uint32{0, 1, 0xffff_ff00, 0xffff_ffff, 0x7fff_ff80}).Draw(t, "isn"),
		MTU:          rapid.SampledFrom([]int{MinMTU, 100, 576, 1500, 9000, MaxMTU}).Draw(t, "mtu"),
		NoTimestamps: rapid.Bool().Draw(t, "no timestamps"),
		ECN:          rapid.Bool().Draw(t, "ECN"),
		RcvBuf:       units.Bytes(rapid.SampledFrom([]int{1, 50, 1000, 65535, 65536, 1 << 20, 0}).Draw(t, "rcvbuf")),
		SndWindow:    units.Bytes(rapid.SampledFrom([]int{1, 300, 5000, 0}).Draw(t, "limit")),
		DelayedAck:   units.Duration(rapid.SampledFrom([]int64{-1, 1000, 0}).Draw(t, "delayed ack")),
		Retries:      1000,
		MaxRTO:       2 * units.Second,
	}
}

func drawPieces(t *rapid.T) (out []piece) {
	at := units.Time(0)
	for range rapid.IntRange(0, 6).Draw(t, "pieces") {
		at += units.Time(rapid.SampledFrom([]int64{0, int64(ms / 100), int64(7 * ms)}).Draw(t, "pause"))
		p := piece{at: at}
		if kind := rapid.IntRange(0, 2).Draw(t, "kind"); kind > 0 {
			p.content = rapid.IntRange(0, 700).Draw(t, "content")
		} else {
			p.content, p.unstored = rapid.IntRange(0, 20).Draw(t, "content"), rapid.IntRange(0, 700).Draw(t, "unstored")
		}
		out = append(out, p)
	}
	return out
}

// drawPair returns two ends: one opens, or both do at once.
func drawPair(t *rapid.T) (hosts [2]*host) {
	for w := range hosts {
		cfg := drawConfig(t)
		cfg.Passive = w == 1 && rapid.Bool().Draw(t, "passive")
		hosts[w] = newHost(t, w, cfg, drawPieces(t)...)
		hosts[w].closes = rapid.Bool().Draw(t, "closes")
	}
	return hosts
}

// checkEnd checks that all was said and heard, and what each end believes of it.
func checkEnd(t *rapid.T, hosts [2]*host) {
	for w, h := range hosts {
		h.checkHeard(hosts[1-w], true)
		if h.Buffered() != 0 || h.unacked() != 0 {
			t.Fatalf("host %d keeps %v, %v unacknowledged", w, h.Buffered(), h.unacked())
		}
		if h.counted(CountExhausted)+h.counted(CountPeerReset) != 0 {
			t.Fatalf("host %d: %v", w, h.Counters())
		}
		want := map[[2]bool][]State{
			{true, true}:   {Closed},
			{true, false}:  {FinWait2},
			{false, true}:  {CloseWait},
			{false, false}: {Established},
		}[[2]bool{h.closes, hosts[1-w].closes}]
		if h.State() != want[0] {
			t.Fatalf("host %d ends in %v, want %v", w, h.State(), want[0])
		}
	}
}

// Frames that overtake, repeat, vanish or get marks give nothing but the stream, and when
// that is over all of it arrives.
func TestAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &bag{hosts: drawPair(t)}
		for range rapid.IntRange(0, 150).Draw(t, "steps") {
			what := rapid.IntRange(0, 9).Draw(t, "what")
			if len(b.flights) == 0 || what == 0 {
				b.expire()
				continue
			}
			i := rapid.IntRange(0, len(b.flights)-1).Draw(t, "which")
			if what == 9 {
				markCE(b.flights[i].frame)
			}
			if what > 1 { // else it is lost
				b.deliver(b.flights[i])
			}
			if what > 2 { // else it comes again
				b.flights = append(b.flights[:i:i], b.flights[i+1:]...)
			}
			b.hosts[0].checkHeard(b.hosts[1], false)
			b.hosts[1].checkHeard(b.hosts[0], false)
		}
		for steps := 0; len(b.flights) > 0 || b.expire(); steps++ {
			if steps > 200_000 {
				t.Fatal("a network without loss does not come to rest")
			}
			if len(b.flights) > 0 {
				f := b.flights[0]
				b.flights = b.flights[1:]
				b.deliver(f)
			}
		}
		checkEnd(t, b.hosts)
	})
}

// bag is a network in which any frame may be next.
type bag struct {
	hosts   [2]*host
	flights []flight
	now     units.Time
	eff     sansio.Effects
}

type flight struct {
	to    int
	frame sansio.Train
}

func (b *bag) carry(from int) {
	for _, f := range framesOf(&b.eff) {
		b.flights = append(b.flights, flight{1 - from, f})
	}
	b.eff.Reset()
}

func (b *bag) deliver(f flight) {
	b.hosts[f.to].Handle(b.now, []sansio.Arrival{{Train: f.frame}}, &b.eff)
	b.carry(f.to)
}

func (b *bag) expire() bool {
	d := min(b.hosts[0].NextDeadline(), b.hosts[1].NextDeadline())
	if d == units.Never {
		return false
	}
	b.now = max(b.now, d)
	for w, h := range b.hosts {
		h.Expire(b.now, &b.eff)
		b.carry(w)
	}
	return true
}

// markCE marks a frame that can be marked.
func markCE(f sansio.Train) {
	if ip := inet.IPv4(f.Header[inet.EtherLen:]); ip.ECN() != inet.NotECT {
		ip.SetECN(inet.CE)
	}
}

// Over wires with a delay that lose frames at random, first more and then none, and mark others,
// everything is delivered once and in order.
func TestLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := drawPair(t)
		rate := rapid.Float64Range(0, 0.3).Draw(t, "loss")
		marks := rapid.SampledFrom([]float64{0, 0.01, 0.1, 0.5, 1}).Draw(t, "marks")
		heal := units.Time(rapid.SampledFrom([]int64{0, int64(50 * ms), int64(100 * sec)}).Draw(t, "heal"))
		stream := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("loss")
		var n sansiotest.Network
		var said [2]monitor
		wire := func(w int) *sansiotest.Wire {
			return &sansiotest.Wire{
				Delay: units.Duration(rapid.SampledFrom([]int64{0, 1, int64(ms)}).Draw(t, "delay")),
				Drop: func(f sansio.Train) bool {
					said[w].see(hosts[w], f)
					return n.Now() < heal && stream.Bernoulli(rate)
				},
				Mark: func(sansio.Train) bool { return stream.Bernoulli(marks) },
			}
		}
		n.Connect(n.Add(hosts[0]), 0, n.Add(hosts[1]), 0, wire(0), wire(1))
		if pending, err := n.Run(100_000 * sec); pending || err != nil {
			t.Fatalf("pending %v, error %v", pending, err)
		}
		checkEnd(t, hosts)
		for w, h := range hosts {
			if got, want := sansio.ResentOf(h.Counters()).Bytes, said[w].again; int(got) != want {
				t.Fatalf("host %d counts %v sent again, of which the wire saw %d bytes", w, got, want)
			}
			if said[w].plain > h.counted(CountProbes) {
				t.Fatalf("host %d sent %d new segments without ECT, counted %v", w, said[w].plain, h.Counters())
			}
		}
	})
}

// monitor looks at what an end sends, in order.
type monitor struct {
	sent  int // behind the last byte so far
	again int // bytes that were sent before
	plain int // segments of new data without ECT, though both ends agreed on it
}

// see checks that ECT is on new data only, and CWR on nothing else (RFC 3168 §6.1.4 to 6.1.6).
func (m *monitor) see(h *host, f sansio.Train) {
	h.t.Helper()
	v := viewOf(f, uint32(h.tx.isn), 0)
	fresh := v.size() > 0 && v.seq >= m.sent
	m.again += max(0, min(v.seq+v.size(), m.sent)-v.seq)
	m.sent = max(m.sent, v.seq+v.size())
	switch {
	case v.ecn != inet.NotECT && (v.ecn != inet.ECT0 || !fresh || !h.ecn.capable):
		h.t.Fatalf("codepoint %d on %+v, new data %v", v.ecn, v, fresh)
	case v.flags&(cwr|syn) == cwr && v.ecn != inet.ECT0:
		h.t.Fatalf("CWR on %+v, which is no new data with ECT", v)
	case fresh && h.ecn.capable && v.ecn == inet.NotECT:
		m.plain++
	}
}

// A train that arrives, the same frames one by one, or any trains in between have
// the same effects.
func TestTrainsAreFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{Passive: true, ISN: 7, ECN: true, DelayedAck: units.Duration(rapid.SampledFrom([]int64{-1, 0}).Draw(t, "delayed"))}
		whole, split := newHost(t, 1, cfg), newHost(t, 1, cfg)
		answer := piece{content: 100}
		for _, h := range []*host{whole, split} {
			h.onBytes = func(now units.Time, eff *sansio.Effects) {
				if len(h.received)%5 == 0 {
					h.write(now, answer, eff)
				}
			}
		}
		from := newHost(t, 0, Config{ISN: 0xffff_f000, ECN: true}, drawPieces(t)...)
		from.closes = rapid.Bool().Draw(t, "closes")
		var eff, effWhole, effSplit sansio.Effects
		now := units.Time(0)
		for range 20 {
			now = max(now, min(from.NextDeadline(), now+ms))
			from.Expire(now, &eff)
			for _, s := range eff.Sends {
				if rapid.IntRange(0, 9).Draw(t, "lost") == 0 {
					continue
				}
				if rapid.IntRange(0, 3).Draw(t, "marked") == 0 {
					markCE(s.Train)
				}
				whole.Handle(now, []sansio.Arrival{{Train: s.Train}}, &effWhole)
				for i, j := 0, 0; i < s.Train.Frames(); i = j {
					j = rapid.IntRange(i+1, s.Train.Frames()).Draw(t, "to")
					split.Handle(now, []sansio.Arrival{{Train: s.Train.Sub(i, j, nil)}}, &effSplit)
				}
			}
			eff.Reset()
			same(t, &effWhole, &effSplit)
			for _, s := range effWhole.Sends {
				from.Handle(now, []sansio.Arrival{{Train: s.Train}}, &eff)
			}
			effWhole.Reset()
			effSplit.Reset()
		}
		if whole.state != split.state || whole.NextDeadline() != split.NextDeadline() || len(whole.received) != len(split.received) {
			t.Fatalf("states %v and %v, deadlines %v and %v", whole.state, split.state, whole.NextDeadline(), split.NextDeadline())
		}
	})
}

func same(t *rapid.T, a, b *sansio.Effects) {
	fa, fb := framesOf(a), framesOf(b)
	if len(fa) != len(fb) {
		t.Fatalf("%d and %d frames", len(fa), len(fb))
	}
	for i := range fa {
		if string(fa[i].Header) != string(fb[i].Header) || string(fa[i].Body) != string(fb[i].Body) || fa[i].Unstored != fb[i].Unstored {
			t.Fatalf("frame %d: %+v and %+v", i, viewOf(fa[i], 0, 0), viewOf(fb[i], 0, 0))
		}
	}
}
