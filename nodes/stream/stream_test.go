package stream_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/newreno"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/stream/streamtest"
	"github.com/inalab/inalab/topo"
)

const (
	us = units.Microsecond
	ms = units.Time(units.Millisecond)
)

var transports = []stream.Transport{stream.RoCE, stream.TCP, stream.TCPECN}

// piece is something to say at a time by a port.
type piece struct {
	at             units.Time
	port           sansio.Port
	body, unstored int
}

// unstoredByte stands for a byte without content.
const unstoredByte = -1

// talker is an inner machine: it says its pieces and remembers what it hears.
// Byte i of what host w says by a port depends on all three.
type talker struct {
	who      int
	pieces   []piece
	written  map[sansio.Port][]int
	received map[sansio.Port][]int
	last     units.Time // when something was heard
}

func (m *talker) NextDeadline() units.Time {
	if len(m.pieces) == 0 {
		return units.Never
	}
	return m.pieces[0].at
}

func (m *talker) Expire(now units.Time, eff *sansio.Effects) {
	for len(m.pieces) > 0 && m.pieces[0].at <= now {
		p := m.pieces[0]
		m.pieces = m.pieces[1:]
		m.say(p, eff)
	}
}

func (m *talker) say(p piece, eff *sansio.Effects) {
	b := eff.Body(p.body)
	for i := range b {
		at := len(m.written[p.port])
		b[i] = byte(at*31 + at>>8*7 + m.who*101 + int(p.port)*57)
		m.written[p.port] = append(m.written[p.port], int(b[i]))
	}
	m.written[p.port] = append(m.written[p.port], unstoredBytes(p.unstored)...)
	eff.Send([]sansio.Port{p.port}, sansio.Train{Body: b, Unstored: p.unstored})
}

func unstoredBytes(n int) []int { return slices.Repeat([]int{unstoredByte}, n) }

func (m *talker) Handle(now units.Time, in []sansio.Arrival, _ *sansio.Effects) {
	m.last = now
	for _, a := range in {
		for _, b := range a.Train.Body {
			m.received[a.Port] = append(m.received[a.Port], int(b))
		}
		m.received[a.Port] = append(m.received[a.Port], unstoredBytes(a.Train.Unstored)...)
	}
}

// link is a connection between two hosts, by ports of each.
type link struct{ host, port [2]int }

// talk joins talkers by links and runs them to the end: every stream is heard as
// it was said.
func talk(t rapid.TB, opt streamtest.Options, hosts int, links []link, pieces func(host, ports int) []piece) (*streamtest.Rig, []*talker) {
	t.Helper()
	peers := make([][]stream.Peer, hosts)
	for i := range links {
		l := &links[i]
		for side, h := range l.host {
			l.port[side] = len(peers[h])
			local, remote := stream.Port+uint16(2*i+side), stream.Port+uint16(2*i+1-side)
			peers[h] = append(peers[h], stream.Peer{Host: l.host[1-side], Local: local, Remote: remote, Passive: side == 1})
		}
	}
	var list []streamtest.Host
	var talkers []*talker
	for h := range hosts {
		m := &talker{who: h, written: map[sansio.Port][]int{}, received: map[sansio.Port][]int{}}
		if len(peers[h]) == 0 {
			t.Fatal("a host without connections")
		}
		m.pieces = pieces(h, len(peers[h]))
		talkers, list = append(talkers, m), append(list, streamtest.Host{Machine: m, Peers: peers[h]})
	}
	r, err := streamtest.New(opt, list)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		for side := range 2 {
			written := talkers[l.host[side]].written[sansio.Port(l.port[side])]
			received := talkers[l.host[1-side]].received[sansio.Port(l.port[1-side])]
			if !slices.Equal(written, received) {
				t.Fatalf("link %+v, side %d: %d bytes were said, %d heard, or others", l, side, len(written), len(received))
			}
		}
	}
	return r, talkers
}

// chain joins every host to the next, and the last to the first.
func chain(hosts int) (out []link) {
	for h := range hosts {
		out = append(out, link{host: [2]int{h, (h + 1) % hosts}})
	}
	return out
}

func drawLinks(t *rapid.T, hosts int) []link {
	out := chain(hosts)
	for range rapid.IntRange(0, 4).Draw(t, "more links") {
		a, b := rapid.IntRange(0, hosts-1).Draw(t, "a"), rapid.IntRange(0, hosts-1).Draw(t, "b")
		out = append(out, link{host: [2]int{a, b}}) // a host may talk to itself
	}
	return out
}

func drawPieces(t *rapid.T) func(int, int) []piece {
	return func(_, ports int) (out []piece) {
		at := units.Time(0)
		for range rapid.IntRange(0, 6).Draw(t, "pieces") {
			at += units.Time(rapid.SampledFrom([]int64{0, int64(ms / 100), int64(7 * ms)}).Draw(t, "pause"))
			p := piece{at: at, port: sansio.Port(rapid.IntRange(0, ports-1).Draw(t, "port")), body: rapid.IntRange(0, 4000).Draw(t, "body")}
			if rapid.Bool().Draw(t, "some unstored") {
				p.unstored = rapid.IntRange(0, 4000).Draw(t, "unstored")
			}
			out = append(out, p)
		}
		return out
	}
}

// Whatever is lost, all that is said by any connection is heard, unstored bytes
// in their places.
func TestStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		opt := streamtest.Options{
			Transport: rapid.SampledFrom(transports).Draw(t, "transport"),
			MTU:       rapid.SampledFrom([]int{600, 1500, 9000}).Draw(t, "MTU"),
			Window:    units.Bytes(rapid.SampledFrom([]int{0, 1, 5000}).Draw(t, "window")),
			Delay:     units.Duration(rapid.SampledFrom([]int64{0, 1, int64(50 * us)}).Draw(t, "delay")),
			Loss:      rapid.SampledFrom([]float64{0, 0.01, 0.05}).Draw(t, "loss"),
			Seed:      rng.Root(rapid.Uint64().Draw(t, "seed")),
		}
		hosts := rapid.IntRange(2, 4).Draw(t, "hosts")
		talk(t, opt, hosts, drawLinks(t, hosts), drawPieces(t))
	})
}

// lengths sends 20 messages by two streams of each of 3 hosts, with content or
// with unstored values.
func lengths(t *testing.T, opt streamtest.Options, values bool) (*streamtest.Rig, []*talker) {
	opt.Delay, opt.Rate = 10*us, 10e9
	return talk(t, opt, 3, chain(3), func(h, _ int) (out []piece) {
		for i := range 20 {
			p := piece{at: units.Time(i*i) * ms / 50, port: sansio.Port(i % 2), body: 40_000 + 4*i}
			if !values {
				p.body, p.unstored = 12, p.body-12
			}
			out = append(out, p)
		}
		return out
	})
}

// Unstored values: the same packets at the same times as with content, losses
// included.
func TestLengthsOnly(t *testing.T) {
	opt := streamtest.Options{Transport: stream.RoCE, Loss: 0.002, Seed: 3}
	a, written := lengths(t, opt, true)
	b, unstored := lengths(t, opt, false)
	for h := range a.Up {
		if written[h].last != unstored[h].last || written[h].last == 0 {
			t.Errorf("host %d has all at %v, unstored values at %v", h, written[h].last, unstored[h].last)
		}
		if a.Up[h].Frames != b.Up[h].Frames || a.Up[h].Bytes != b.Up[h].Bytes || a.Up[h].Lost != b.Up[h].Lost {
			t.Errorf("host %d sent %d frames, %v; unstored values %d, %v", h, a.Up[h].Frames, a.Up[h].Bytes, b.Up[h].Frames, b.Up[h].Bytes)
		}
	}
}

// TCP cuts a segment where content follows unstored bytes: at most one segment
// and one acknowledgement more for each message.
func TestLengthsOnlyOverTCP(t *testing.T) {
	a, written := lengths(t, streamtest.Options{}, true)
	b, unstored := lengths(t, streamtest.Options{}, false)
	for h := range a.Up {
		if more := b.Up[h].Frames - a.Up[h].Frames; more < 0 || more > 40 {
			t.Errorf("host %d sent %d frames, unstored values %d", h, a.Up[h].Frames, b.Up[h].Frames)
		}
		if x, y := written[h].last, unstored[h].last; y < x || y > x+x/100 {
			t.Errorf("host %d has all at %v, unstored values at %v", h, x, y)
		}
	}
}

// A lonely transfer fills its link, but for the time of the first packets and the
// last acknowledgement, and for TCP's handshake and slow start.
func TestGoodput(t *testing.T) {
	const size = 8 << 20
	for _, c := range []struct {
		transport stream.Transport
		mtu       int
		payload   float64 // of a full frame
		frame     float64 // with headers and framing
	}{
		{stream.RoCE, 9000, 4096, 4096 + 14 + 20 + 8 + 12 + 4 + 24},
		{stream.RoCE, 1500, 1024, 1024 + 14 + 20 + 8 + 12 + 4 + 24},
		{stream.TCP, 1500, 1448, 1448 + 14 + 20 + 32 + 24},
	} {
		opt := streamtest.Options{Transport: c.transport, MTU: c.mtu, Delay: 2 * us, Rate: 100e9}
		_, talkers := talk(t, opt, 2, chain(2), func(h, _ int) []piece { return []piece{{port: 0, unstored: size * (1 - h)}} })
		ideal := size * 8 / 100e9 * c.frame / c.payload * float64(units.Second)
		if took := float64(talkers[1].last); took < ideal || took > 1.08*ideal {
			t.Errorf("%s, MTU %d: %v, want %v", c.transport, c.mtu, talkers[1].last, units.Time(ideal))
		}
	}
}

// Four hosts send to one over links that mark what finds 20 packets waiting, and lose nothing
// below the default queue. TCP with ECN reacts and sends nothing twice; TCP without it
// fills the queue.
func TestMarks(t *testing.T) {
	const size, senders = 4 << 20, 4
	for transport, reacts := range map[stream.Transport]bool{stream.TCP: false, stream.TCPECN: true} {
		opt := streamtest.Options{
			Transport: transport, MTU: 1500, Delay: 2 * us, Rate: 10e9,
			Marking: topo.Marking{Min: 20 * 1500, Max: 20 * 1500},
		}
		var links []link
		for h := range senders {
			links = append(links, link{host: [2]int{h + 1, 0}})
		}
		r, talkers := talk(t, opt, senders+1, links, func(h, _ int) []piece { return []piece{{unstored: size * min(h, 1)}} })
		marks, again := count(r.Nodes[0], newreno.CountMarks), 0
		for _, n := range r.Nodes[1:] {
			again += count(n, newreno.CountAgain)
			if got := count(n, newreno.CountReductions); reacts != (got > 0) {
				t.Errorf("%s: a sender reduced its window %d times", transport, got)
			}
		}
		if reacts != (marks > 0) || reacts != (again == 0) {
			t.Errorf("%s: %d marks, %d segments sent again", transport, marks, again)
		}
		t.Logf("%s: %v, %d marks, %d segments sent again", transport, talkers[0].last, marks, again)
	}
}

// Packets of nobody's are counted, as are bytes for no connection.
func TestDrops(t *testing.T) {
	for _, transport := range transports {
		at := stream.Connection{Flow: inet.Flow{Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2"), SrcPort: 7, DstPort: 8}}
		m := &talker{written: map[sansio.Port][]int{}, pieces: []piece{{port: -1, body: 3}, {port: 1, body: 3}}}
		n, err := stream.New(stream.Config{Node: "h", MTU: 1500, Transport: transport, Connections: []stream.Connection{at}}, m)
		if err != nil {
			t.Fatal(err)
		}
		var eff sansio.Effects
		n.Expire(0, &eff)
		other := inet.UDPHeader(inet.Flow{Src: at.Flow.Dst, Dst: at.Flow.Src, SrcPort: 8, DstPort: 9})
		for _, tr := range []sansio.Train{{}, {Header: other}} {
			n.Handle(0, []sansio.Arrival{{Train: tr}}, &eff)
		}
		if got := count(n, stream.DropForeign); got != 2 {
			t.Errorf("%s: %d foreign packets", transport, got)
		}
		if got := count(n, stream.DropNowhere); got != 2 {
			t.Errorf("%s: %d sends to no connection", transport, got)
		}
	}
}

func count(n *stream.Node, name string) int {
	for _, c := range n.Counters() {
		if c.Name == name {
			return int(c.N)
		}
	}
	return 0
}

func TestConfig(t *testing.T) {
	flow := inet.Flow{Src: netip.MustParseAddr("10.0.0.1"), Dst: netip.MustParseAddr("10.0.0.2"), SrcPort: 7, DstPort: 8}
	for name, c := range map[string]struct {
		change func(*stream.Config)
		says   string
	}{
		"transport":   {func(c *stream.Config) { c.Transport = "udp" }, `"tcp", "tcp-ecn" or "roce"`},
		"window":      {func(c *stream.Config) { c.Window = -1 }, "window"},
		"nothing":     {func(c *stream.Config) { c.Connections = nil }, "no connections"},
		"same number": {func(c *stream.Config) { c.Connections = append(c.Connections, c.Connections[0]) }, "both have number 7"},
		"MTU":         {func(c *stream.Config) { c.MTU = 100 }, "room for 256"},
		"address":     {func(c *stream.Config) { c.Connections[0].Flow.Dst = netip.Addr{} }, "IPv4"},
	} {
		cfg := stream.Config{Node: "h17", MTU: 1500, Transport: stream.RoCE, Connections: []stream.Connection{{Flow: flow}}}
		c.change(&cfg)
		if _, err := stream.New(cfg, &talker{}); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "h17") {
			t.Errorf("%s: error %v, want one about %q", name, err, c.says)
		}
	}
}
