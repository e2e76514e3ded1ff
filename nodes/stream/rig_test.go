package stream

import (
	"net/netip"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

const ms = units.Time(units.Millisecond)

// piece is something to say at a time.
type piece struct {
	at units.Time
	n  int
}

// talker is an inner machine: it says its pieces to the next host and remembers
// what it hears from the previous one. Byte i of host w's stream is byteOf(w, i).
type talker struct {
	who    int
	pieces []piece
	said   int
	heard  []byte
}

func byteOf(who, i int) byte { return byte(i*31 + i>>8*7 + who*101) }

func (m *talker) NextDeadline() units.Time {
	if len(m.pieces) == 0 {
		return units.Never
	}
	return m.pieces[0].at
}

func (m *talker) Expire(now units.Time, eff *sansio.Effects) {
	for len(m.pieces) > 0 && m.pieces[0].at <= now {
		b := eff.Body(m.pieces[0].n)
		for i := range b {
			b[i] = byteOf(m.who, m.said+i)
		}
		m.said += len(b)
		m.pieces = m.pieces[1:]
		eff.Send([]sansio.Port{0}, sansio.Train{Body: b})
	}
}

func (m *talker) Handle(_ units.Time, in []sansio.Arrival, _ *sansio.Effects) {
	for _, a := range in {
		if a.Port != 1 {
			panic("bytes of the previous host come by port 1")
		}
		m.heard = append(m.heard, a.Train.Body...)
	}
}

func (m *talker) total() (n int) {
	for _, p := range m.pieces {
		n += p.n
	}
	return n
}

func addr(w int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(w + 1)}) }

func flow(from, to int) inet.Flow {
	return inet.Flow{SrcMAC: inet.MAC{2, byte(from)}, DstMAC: inet.MAC{2, byte(to)}, Src: addr(from), Dst: addr(to), SrcPort: Port, DstPort: Port}
}

// host is a node under watch: its window holds after every call.
type host struct {
	*Node
	t     rapid.TB
	inner *talker
}

func newHost(t rapid.TB, w, n int, cfg Config, pieces []piece) *host {
	t.Helper()
	inner := &talker{who: w, pieces: pieces}
	cfg.Node, cfg.Next, cfg.Prev = "h", flow(w, (w+1)%n), flow(w, (w+n-1)%n)
	node, err := New(cfg, inner)
	if err != nil {
		t.Fatal(err)
	}
	return &host{Node: node, t: t, inner: inner}
}

func (h *host) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	h.Node.Handle(now, in, eff)
	h.watch()
}

func (h *host) Expire(now units.Time, eff *sansio.Effects) {
	h.Node.Expire(now, eff)
	h.watch()
}

func (h *host) watch() {
	tx := &h.tx
	if inFlight := tx.sent - tx.acked; inFlight > uint64(h.cfg.Window) || inFlight > uint64(len(tx.pending())) {
		h.t.Fatalf("%d bytes in flight, window %d, %d pending", inFlight, h.cfg.Window, len(tx.pending()))
	}
	if waiting := tx.sent > tx.acked; waiting != (tx.rto != units.Never) {
		h.t.Fatalf("%d bytes in flight, retransmission timer at %v", tx.sent-tx.acked, tx.rto)
	}
}

// hub is a switch: it forwards by destination address.
type hub struct{}

func (hub) NextDeadline() units.Time           { return units.Never }
func (hub) Expire(units.Time, *sansio.Effects) {}
func (hub) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for _, a := range in {
		to := inet.IPv4(a.Train.Header[inet.EtherLen:]).Dst().As4()
		eff.Send([]sansio.Port{sansio.Port(to[3] - 1)}, a.Train)
	}
}

// network joins n hosts by a hub.
type network struct {
	sansiotest.Network
	hosts    []*host
	up, down []*sansiotest.Wire
}

func newNetwork(t rapid.TB, n int, cfg Config, delay units.Duration, drop func(w int, up bool, f sansio.Train) bool, pieces func(w int) []piece) *network {
	t.Helper()
	out := &network{}
	sw := out.Add(hub{})
	for w := range n {
		h := newHost(t, w, n, cfg, pieces(w))
		wire := func(up bool) *sansiotest.Wire {
			return &sansiotest.Wire{Delay: delay, Drop: func(f sansio.Train) bool { return drop != nil && drop(w, up, f) }}
		}
		up, down := wire(true), wire(false)
		out.Connect(out.Add(h), 0, sw, sansio.Port(w), up, down)
		out.hosts, out.up, out.down = append(out.hosts, h), append(out.up, up), append(out.down, down)
	}
	return out
}

// run runs to the end; every host must have heard all that its previous one said.
func (n *network) run(t rapid.TB) {
	t.Helper()
	want := make([]int, len(n.hosts))
	for w, h := range n.hosts {
		want[w] = h.inner.total()
	}
	pending, err := n.Run(units.Time(10_000 * units.Second))
	if err != nil || pending {
		t.Fatalf("pending: %v, error: %v", pending, err)
	}
	for w, h := range n.hosts {
		prev := (w + len(n.hosts) - 1) % len(n.hosts)
		checkHeard(t, h, prev, want[prev])
		if left := len(h.tx.pending()); left != 0 {
			t.Fatalf("host %d keeps %d bytes", w, left)
		}
	}
}

func checkHeard(t rapid.TB, h *host, prev, n int) {
	t.Helper()
	want := make([]byte, n)
	for i := range want {
		want[i] = byteOf(prev, i)
	}
	if !slices.Equal(h.inner.heard, want) {
		at := 0
		for at < min(len(want), len(h.inner.heard)) && want[at] == h.inner.heard[at] {
			at++
		}
		t.Fatalf("heard %d bytes, want %d; they differ from byte %d on", len(h.inner.heard), len(want), at)
	}
}

func (h *host) counted(name string) int {
	for _, c := range h.Counters() {
		if c.Name == name {
			return int(c.N)
		}
	}
	return 0
}

// segment reads a frame: kind, sequence number and bytes of data.
func segment(f sansio.Train) (kind uint8, seq uint64, n int) {
	for _, b := range f.Body[8:16] {
		seq = seq<<8 | uint64(b)
	}
	return f.Body[0], seq, len(f.Body) - headerLen
}
