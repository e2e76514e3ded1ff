package newreno

import (
	"net/netip"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

const (
	ms  = units.Time(units.Millisecond)
	sec = units.Time(units.Second)
)

// unacked returns the bytes that were sent and are not acknowledged.
func (c *Conn) unacked() units.Bytes {
	return units.Bytes(max(0, min(c.tx.max, c.tx.end)-max(c.tx.una, 1)))
}

// piece is something to write at a time.
type piece struct {
	at                units.Time
	content, unstored int
}

// unstoredByte stands for a byte without content where bytes are compared.
const unstoredByte = 256

func byteOf(who, i int) byte { return byte(i*31 + i>>8*7 + who*101) }

// host is a connection under watch, with what it has to say. Byte i of host w's
// stream is byteOf(w, i), or unstored.
type host struct {
	*Conn
	t        rapid.TB
	who      int
	pieces   []piece
	written  []int16
	received []int16
	closes   bool // after the last piece
	opened   bool
	edge     offset                                    // right edge of the peer's window so far
	before   offset                                    // nxt after the last call
	echoed   int                                       // reductions by marks so far
	sent     [2]offset                                 // behind the last byte sent: at the latest reduction, and after the last call
	onBytes  func(now units.Time, eff *sansio.Effects) // called inside deliver; nil: nothing
}

func testFlow(who int) inet.Flow {
	f := inet.Flow{
		SrcMAC: inet.MAC{2, 0, 0, 0, 0, 1}, DstMAC: inet.MAC{2, 0, 0, 0, 0, 2},
		Src: netip.MustParseAddr("10.1.0.1"), Dst: netip.MustParseAddr("10.1.0.2"), SrcPort: 40000, DstPort: 50000,
	}
	if who == 1 {
		return f.Reverse()
	}
	return f
}

// newHost returns end 0, which opens, or 1, which waits unless cfg says otherwise.
func newHost(t rapid.TB, who int, cfg Config, pieces ...piece) *host {
	t.Helper()
	cfg.Node, cfg.Flow, cfg.Out = "h", testFlow(who), []sansio.Port{0}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &host{Conn: c, t: t, who: who, pieces: pieces}
}

func (h *host) NextDeadline() units.Time {
	switch {
	case !h.opened:
		return 0
	case len(h.pieces) > 0:
		return min(h.pieces[0].at, h.Conn.NextDeadline())
	}
	return h.Conn.NextDeadline()
}

func (h *host) Expire(now units.Time, eff *sansio.Effects) {
	if !h.opened {
		h.opened = true
		h.Open(now, eff)
	}
	h.Conn.Expire(now, eff)
	for len(h.pieces) > 0 && h.pieces[0].at <= now {
		p := h.pieces[0]
		h.pieces = h.pieces[1:]
		h.write(now, p, eff)
	}
	if h.closes && len(h.pieces) == 0 {
		h.Close(now, eff)
	}
	h.watch(eff)
}

func (h *host) write(now units.Time, p piece, eff *sansio.Effects) {
	b := make([]byte, p.content)
	for i := range b {
		b[i] = byteOf(h.who, len(h.written)+i)
	}
	for _, v := range b {
		h.written = append(h.written, int16(v))
	}
	h.written = append(h.written, slices.Repeat([]int16{unstoredByte}, p.unstored)...)
	h.Write(now, b, p.unstored, eff)
	clear(b) // it is not the connection's
}

func (h *host) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		h.Conn.Handle(now, &in[i].Train, eff, func(body []byte, unstored int) {
			for _, v := range body {
				h.received = append(h.received, int16(v))
			}
			h.received = append(h.received, slices.Repeat([]int16{unstoredByte}, unstored)...)
			if h.onBytes != nil {
				h.onBytes(now, eff)
			}
		})
		h.watch(eff)
	}
}

// watch checks what must hold after every call.
func (h *host) watch(eff *sansio.Effects) {
	h.t.Helper()
	tx := &h.tx
	limit := max(h.cfg.SndWindow, h.mss)
	if tx.una > tx.nxt || tx.nxt > tx.max || tx.max > tx.end+1 {
		h.t.Fatalf("una %d, next %d, highest %d, end %d are not in this order", tx.una, tx.nxt, tx.max, tx.end)
	}
	if h.state.synchronized() && tx.flight() > limit+1 { // the FIN takes no room
		h.t.Fatalf("%d bytes in flight, limit %v", tx.flight(), limit)
	}
	if h.edge = max(h.edge, tx.una+tx.wnd); h.state.synchronized() && tx.max > h.edge+1 { // a probe may go beyond
		h.t.Fatalf("sent up to %d, the peer's window ends at %d", tx.max, h.edge)
	}
	// What was sent in this call fits the congestion window and limited transmit.
	if room := h.cc.cwnd + 2*h.mss; h.state.sends() && tx.nxt > h.before && tx.flight() > room+1 {
		h.t.Fatalf("%d bytes in flight, congestion window %d", tx.flight(), h.cc.cwnd)
	}
	h.before = tx.nxt
	if h.state.sends() && h.cc.cwnd < h.mss {
		h.t.Fatalf("a window of %d, segments of %d", h.cc.cwnd, h.mss)
	}
	if n := h.counted(CountReductions); n != h.echoed {
		if n > h.echoed+1 || tx.una <= h.sent[0] { // once in a window of data
			h.t.Fatalf("%d reductions by marks, with %d acknowledged; %d were sent at the one before", n-h.echoed, tx.una, h.sent[0])
		}
		h.echoed, h.sent[0] = n, h.sent[1]
	}
	h.sent[1] = tx.max
	if h.state.sends() && tx.una < tx.max && tx.timer == units.Never {
		h.t.Fatalf("%d bytes in flight and no timer", tx.max-tx.una)
	}
	var kept offset
	for i, q := range h.rx.queue {
		if q.at <= h.rx.nxt || i > 0 && q.at < h.rx.queue[i-1].end() || q.end() > h.rx.nxt+h.window() {
			h.t.Fatalf("piece %d of %d is from %d to %d, expected is %d", i, len(h.rx.queue), q.at, q.end(), h.rx.nxt)
		}
		kept += q.end() - q.at
	}
	if len(h.rx.queue) > MaxOutOfOrder || kept > h.window() {
		h.t.Fatalf("%d pieces of %d bytes are kept", len(h.rx.queue), kept)
	}
	for _, s := range eff.Sends {
		if n := s.Train.Frames(); n > sansio.MaxTrainFrames || len(s.Train.Body)+n*s.Train.Unstored+len(s.Train.Header) > MaxMTU {
			h.t.Fatalf("a train of %d frames, %d bytes and %d unstored each", n, len(s.Train.Body), s.Train.Unstored)
		}
		if n := int(s.Train.FrameBytes(0)) - inet.EtherLen; n > h.cfg.MTU {
			h.t.Fatalf("a packet of %d bytes, MTU %d", n, h.cfg.MTU)
		}
	}
}

func (h *host) counted(name string) int { return int(h.count.Get(name)) }

// checkHeard compares what h heard with what the other said.
func (h *host) checkHeard(other *host, whole bool) {
	h.t.Helper()
	n := len(h.received)
	if n > len(other.written) || !slices.Equal(h.received, other.written[:n]) {
		at := 0
		for at < min(n, len(other.written)) && h.received[at] == other.written[at] {
			at++
		}
		h.t.Fatalf("host %d heard %d bytes that are not the first of %d said; they differ from byte %d on", h.who, n, len(other.written), at)
	}
	if whole && n != len(other.written) {
		h.t.Fatalf("host %d heard %d of %d bytes", h.who, n, len(other.written))
	}
}

// view is a frame as a test reads it.
type view struct {
	seq, ack, window  int
	flags, ecn        uint8
	content, unstored int
	options           inet.TCPOptions
}

func (v view) size() int { return v.content + v.unstored }

// viewOf reads a frame; sequence numbers count from those given, so that they are
// places in the streams.
func viewOf(f sansio.Train, seqFrom, ackFrom uint32) view {
	l, _ := f.Layout()
	ip := inet.IPv4(f.Header[inet.EtherLen:])
	tcp := inet.TCP(f.Header[l.Transport:])
	o, _ := tcp.Options()
	return view{
		int(int32(tcp.Seq() - seqFrom)), int(int32(tcp.Ack() - ackFrom)), int(tcp.Window()), tcp.Flags(), ip.ECN(),
		len(f.Body), f.Unstored, o,
	}
}

// framesOf copies all frames of a batch.
func framesOf(eff *sansio.Effects) (out []sansio.Train) {
	for _, s := range eff.Sends {
		for i := range s.Train.Frames() {
			f := s.Train.Frame(i, nil)
			f.Header, f.Body = slices.Clone(f.Header), slices.Clone(f.Body)
			out = append(out, f)
		}
	}
	return out
}

// synchronized reports whether both ends know both initial sequence numbers.
func (s State) synchronized() bool { return s >= Established }
