package newreno

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

func TestConfig(t *testing.T) {
	good := Config{Node: "h7", Flow: testFlow(0), Out: []sansio.Port{0}}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*Config)
		says   string
	}{
		"no port":            {func(c *Config) { c.Out = nil }, "name one in Out"},
		"no address":         {func(c *Config) { c.Flow.Dst = netip.Addr{} }, "IPv4"},
		"IPv6":               {func(c *Config) { c.Flow.Src = netip.IPv6Loopback() }, "IPv4"},
		"port 0":             {func(c *Config) { c.Flow.DstPort = 0 }, "port 0"},
		"small MTU":          {func(c *Config) { c.MTU = MinMTU - 1 }, "MTU of 67"},
		"large MTU":          {func(c *Config) { c.MTU = MaxMTU + 1 }, "MTU of 65536"},
		"large buffer":       {func(c *Config) { c.RcvBuf = MaxWindow + 1 }, "at most 1GiB"},
		"negative window":    {func(c *Config) { c.SndWindow = -1 }, "positive"},
		"negative buffer":    {func(c *Config) { c.SndBuf = -1 }, "positive"},
		"negative retries":   {func(c *Config) { c.Retries = -1 }, "-1 retries"},
		"negative TIME-WAIT": {func(c *Config) { c.TimeWait = -1 }, "TIME-WAIT"},
		"least RTO":          {func(c *Config) { c.MinRTO = 2 * units.Second }, "in this order"},
		"largest RTO":        {func(c *Config) { c.MaxRTO = units.Millisecond }, "in this order"},
	} {
		cfg := good
		c.change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "TCP of h7") {
			t.Errorf("%s: error %v, want one about %q", name, err, c.says)
		}
	}
}

// A write beyond the send buffer is dropped whole.
func TestSendBuffer(t *testing.T) {
	s := established(t, Config{SndBuf: 1500})
	s.send(1500)
	s.Write(s.now, nil, 1, &s.eff)
	if s.counted(DropBuffer) != 1 || s.Buffered() != 1500 || s.unacked() != 1500 {
		t.Errorf("counted %v, %v buffered, %v in flight", s.Counters(), s.Buffered(), s.unacked())
	}
	s.ack(2)
	if s.Write(s.now, nil, 1, &s.eff); s.Buffered() != 1500 {
		t.Errorf("%v buffered", s.Buffered())
	}
}

// A segment that is sent after a timeout may hold bytes that were sent before and new ones
// behind them; only the former are sent again.
func TestResentBytesAreThoseOfBefore(t *testing.T) {
	s := established(t, Config{SndWindow: mss})
	s.send(500)
	s.send(1200) // waits: a full segment would be beyond the window
	again := s.wait()
	if got, want := sansio.ResentOf(s.Counters()), (result.Resent{Packets: 1, Bytes: 500}); len(again) != 1 || again[0].size() != mss || got != want {
		t.Errorf("after a timeout %+v, counted %+v, want a segment of %d bytes and %+v", again, got, mss, want)
	}
	s.ack(1 + mss)
	s.wait()
	if got, want := sansio.ResentOf(s.Counters()), (result.Resent{Packets: 2, Bytes: 1200}); got != want {
		t.Errorf("after the last segment, too, counted %+v, want %+v", got, want)
	}
}

// Sequence numbers wrap around; places do not.
func TestSequenceNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		isn := seqnum(rapid.Uint32().Draw(t, "isn"))
		near := offset(rapid.Int64Range(0, 1<<40).Draw(t, "near"))
		at := near + offset(rapid.Int64Range(-1<<31, 1<<31-1).Draw(t, "away"))
		if got := at.seqnum(isn).offset(isn, near); got != at {
			t.Fatalf("place %d became %d", at, got)
		}
	})
	if s := offset(1).seqnum(0xffff_ffff); s != 0 {
		t.Errorf("the first byte behind the last number has %d", s)
	}
}

// Whatever is written, a segment holds content and then unstored bytes, and all segments
// together are what was written.
func TestSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q spans
		var written []int16
		var una, end offset = 1, 1
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "write") {
				p := piece{content: rapid.IntRange(0, 30).Draw(t, "content"), unstored: rapid.IntRange(0, 3).Draw(t, "unstored") * 10}
				b := make([]byte, p.content)
				for i := range b {
					b[i] = byteOf(0, len(written))
					written = append(written, int16(b[i]))
				}
				for range p.unstored {
					written = append(written, unstoredByte)
				}
				if p.content+p.unstored > 0 {
					q.append(end, b, p.unstored)
					end += offset(p.content + p.unstored)
				}
			} else {
				una += offset(rapid.IntRange(0, int(end-una)).Draw(t, "acknowledged"))
				q.release(una)
			}
			limit := rapid.IntRange(1, 50).Draw(t, "limit")
			at := una
			for at < end {
				content, unstored := q.cut(at, limit)
				b := make([]byte, content)
				q.read(at, b)
				got := fmt.Sprint(append(widen(b), unstoredBytes(unstored)...))
				n := offset(content + unstored)
				if n == 0 || n > offset(limit) || got != fmt.Sprint(written[at-1:at-1+n]) {
					t.Fatalf("segment from %d: %d bytes and %d unstored: %s", at, content, unstored, got)
				}
				short := n < offset(limit) && at+n < end
				if short && (unstored == 0 || written[at-1+n] == unstoredByte) {
					t.Fatalf("segment from %d: %d bytes and %d unstored, limit %d, though more fits", at, content, unstored, limit)
				}
				at += n
			}
		}
	})
}

func widen(b []byte) (out []int16) {
	for _, v := range b {
		out = append(out, int16(v))
	}
	return out
}

func unstoredBytes(n int) []int16 {
	out := make([]int16, n)
	for i := range out {
		out[i] = unstoredByte
	}
	return out
}

// What may be sent at an instant leaves in few trains; unstored bytes behind content do
// so as well.
func TestTrains(t *testing.T) {
	s := established(t, Config{})
	s.cc.cwnd = 100 * mss
	s.window = 0xffff
	s.ack(1)
	s.send(200 * mss)
	if fmt.Sprint(s.trains) != "[64 1]" {
		t.Errorf("65 segments in trains of %v", s.trains)
	}
	s = established(t, Config{})
	s.window = 0
	s.ack(1)
	for range 19 {
		s.write(0, piece{content: 100, unstored: 400}, &s.eff)
	}
	s.write(0, piece{content: 90, unstored: 400}, &s.eff)
	s.window = 60000
	for i, f := range s.ack(1) {
		if last := i == 19; f.seq != 1+500*i || f.unstored != 400 || !last && f.content != 100 || last && f.content != 90 {
			t.Errorf("segment %d: %+v", i, f)
		}
	}
	if fmt.Sprint(s.trains) != "[20]" {
		t.Errorf("20 segments in trains of %v", s.trains)
	}
	s.ack(1 + 20*500 - 10)
	s.write(s.now, piece{content: 1, unstored: 2500}, &s.eff)
	f := s.frames()
	if len(f) != 3 || f[0].content != 1 || f[0].unstored != mss-1 || f[1].content != 0 || f[1].unstored != mss || fmt.Sprint(s.trains) != "[1 1 1]" {
		t.Errorf("one byte and 2500 unstored: %+v in %v", f, s.trains)
	}
}

// A train is never longer than an IP packet can be.
func TestLongTrains(t *testing.T) {
	s := established(t, Config{MTU: 9000}, inet.TCPOptions{MSS: 8960, HasWindowScale: true, WindowScale: 4})
	s.cc.cwnd = units.MiB
	s.ack(1)
	if s.send(100_000); fmt.Sprint(s.trains) != "[7 5]" {
		t.Errorf("12 segments of up to 8960 bytes in trains of %v", s.trains)
	}
}

// Headers of one batch are memory of their own.
func TestAnswersOfOneBatch(t *testing.T) {
	s, other := newScript(t, Config{}), newScript(t, Config{Passive: true})
	for i := range 3 {
		h := inet.TCPHeader(testFlow(1), 0)
		inet.TCP(h[inet.EtherLen+inet.IPv4Len:]).SetSeq(uint32(100 * i))
		inet.TCP(h[inet.EtherLen+inet.IPv4Len:]).SetFlags(syn)
		for _, end := range []*script{s, other} { // resets, and an answer that comes again
			end.host.Handle(0, []sansio.Arrival{{Train: sansio.Train{Header: h, Checksum: sansio.ChecksumPartial}}}, &s.eff)
		}
	}
	for i, f := range framesOf(&s.eff) {
		if l, problem := f.Layout(); problem != inet.OK || l.Body != len(f.Header) || !inet.IPv4(f.Header[inet.EtherLen:]).ChecksumOK() {
			t.Errorf("answer %d: %+v %s", i, l, problem)
		}
		if v := viewOf(f, ownISN, 0); i%2 == 0 && (v.flags != rst|ack || v.ack != 100*i/2+1) {
			t.Errorf("answer %d: %+v", i, v)
		}
	}
}

// Two megabytes each way, content and unstored bytes, over a wire that loses one frame in a
// hundred: fast retransmit repairs nearly all of it.
func TestBulk(t *testing.T) {
	stream := rng.Root(1).Stream("loss")
	var hosts [2]*host
	for w := range hosts {
		pieces := []piece{{0, 1 << 20, 0}, {0, 1 << 10, 1 << 20}}
		hosts[w] = newHost(t, w, Config{Passive: w == 1, ISN: 0xfff0_0000}, pieces...)
		hosts[w].closes = true
	}
	var n sansiotest.Network
	wire := func() *sansiotest.Wire {
		return &sansiotest.Wire{Delay: 50 * units.Microsecond, Drop: func(sansio.Train) bool { return stream.Bernoulli(0.01) }}
	}
	n.Connect(n.Add(hosts[0]), 0, n.Add(hosts[1]), 0, wire(), wire())
	if pending, err := n.Run(1000 * sec); pending || err != nil {
		t.Fatal(pending, err)
	}
	for w, h := range hosts {
		h.checkHeard(hosts[1-w], true)
		if fast, slow := h.counted(CountFast), h.counted(CountTimeouts); fast < 5 || slow > fast {
			t.Errorf("host %d: %v", w, h.Counters())
		}
	}
}

// One window of acknowledgements a round trip: the time of a segment's way through
// both ends.
func BenchmarkBulk(b *testing.B) {
	for _, mtu := range []int{1500, 9000} {
		b.Run(fmt.Sprint(mtu), func(b *testing.B) { benchmarkBulk(b, mtu) })
	}
}

func benchmarkBulk(b *testing.B, mtu int) {
	var ends [2]*Conn
	for w := range ends {
		c, err := New(Config{Flow: testFlow(w), Out: []sansio.Port{0}, MTU: mtu, Passive: w == 1})
		if err != nil {
			b.Fatal(err)
		}
		ends[w] = c
	}
	var eff [2]sansio.Effects
	ends[0].Open(0, &eff[0])
	body := make([]byte, 1<<20)
	drop := func([]byte, int) {}
	for now := units.Time(0); b.Loop(); {
		ends[0].Write(now, body, 0, &eff[0])
		for from := 0; ends[0].Buffered() > 0; from = 1 - from {
			if len(eff[0].Sends)+len(eff[1].Sends) == 0 {
				now = min(ends[0].NextDeadline(), ends[1].NextDeadline())
				ends[0].Expire(now, &eff[0])
				ends[1].Expire(now, &eff[1])
			}
			now += ms / 100
			for i := range eff[from].Sends {
				ends[1-from].Handle(now, &eff[from].Sends[i].Train, &eff[1-from], drop)
			}
			eff[from].Reset()
		}
	}
	b.SetBytes(int64(len(body)))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(ends[0].count.Get(CountSegments)), "ns/segment")
}
