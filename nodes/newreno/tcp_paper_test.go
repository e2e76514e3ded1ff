package newreno

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

const (
	syn = inet.TCPSyn
	fin = inet.TCPFin
	rst = inet.TCPRst
	ack = inet.TCPAck
	ece = inet.TCPEce
	cwr = inet.TCPCwr
)

// RFC 9293 §3.5: an active end's handshake, on sequence numbers that wrap around;
// what was written before goes with the window that follows.
func TestActiveHandshake(t *testing.T) {
	s := newScript(t, Config{})
	s.write(0, piece{content: 5000}, &s.eff)
	s.Open(s.now, &s.eff)
	f := s.frames()
	want := inet.TCPOptions{MSS: mss, HasTimestamps: true, HasWindowScale: true, WindowScale: 7}
	if len(f) != 1 || f[0].seq != 0 || f[0].flags != syn || f[0].options != want || f[0].window != 0xffff {
		t.Fatalf("opened by %+v", f)
	}
	s.wantState("opened", SynSent)
	s.now = 3 * ms
	f = s.synAck(inet.TCPOptions{MSS: mss, HasTimestamps: true, TSVal: 77})
	s.wantStarts("SYN and ACK", f, 1, 989, 1977, 2965, 3953, 4941)
	if f[0].ack != 1 || f[0].content != mss-12 || f[5].content != 60 || f[5].flags != ack|inet.TCPPsh || f[0].options.TSEcr != 77 || f[0].options.TSVal != 3 {
		t.Errorf("data begin with %+v and end with %+v", f[0], f[5])
	}
	s.wantState("SYN and ACK", Established)
	if s.rtt.srtt != 3*dms {
		t.Errorf("round trip of %v", s.rtt.srtt)
	}
}

// A passive end answers with what both can, and is established by the
// acknowledgement.
func TestPassiveHandshake(t *testing.T) {
	s := newScript(t, Config{Passive: true})
	s.wantState("new", Listen)
	s.Open(s.now, &s.eff)
	if f := s.frames(); len(f) != 0 {
		t.Fatalf("a passive end opens by %+v", f)
	}
	f := s.put(0, 0, syn, 0, inet.TCPOptions{MSS: 500})
	if len(f) != 1 || f[0].seq != 0 || f[0].ack != 1 || f[0].flags != syn|ack || f[0].options != (inet.TCPOptions{MSS: mss}) {
		t.Fatalf("answered by %+v", f)
	}
	s.wantAck("the SYN again", s.put(0, 0, syn, 0, inet.TCPOptions{MSS: 500}), 1)
	s.wantState("the SYN again", SynReceived)
	s.seq = 1
	s.wantAck("the acknowledgement", s.ack(1), 0)
	s.wantState("the acknowledgement", Established)
	if f = s.send(1000); len(f) != 2 || f[0].content != 500 {
		t.Errorf("the peer takes segments of 500: %+v", f)
	}
}

// RFC 9293 §3.5, figure 8: both ends open at once.
func TestSimultaneousOpen(t *testing.T) {
	s := newScript(t, Config{})
	s.Open(s.now, &s.eff)
	s.frames()
	o := inet.TCPOptions{MSS: mss}
	f := s.put(0, 0, syn, 0, o)
	if len(f) != 1 || f[0].flags != syn|ack || f[0].seq != 0 || f[0].ack != 1 {
		t.Fatalf("answered by %+v", f)
	}
	s.wantState("the peer's SYN", SynReceived)
	s.wantAck("the peer's SYN and ACK", s.put(0, 1, syn|ack, 0, o), 1)
	s.seq = 1
	s.ack(1)
	s.wantState("the peer's ACK", Established)
}

// A peer without options gets segments of 536 bytes (RFC 9293 §3.7.1); one with
// nonsense of 16 at least.
func TestSegmentSize(t *testing.T) {
	for offered, want := range map[uint16]int{0: 536, 1: 16, 700: 700, 9000: mss} {
		s := established(t, Config{}, inet.TCPOptions{MSS: offered})
		if f := s.send(2000); f[0].content != want {
			t.Errorf("offered %d: segments of %d, want %d", offered, f[0].content, want)
		}
	}
}

// RFC 9293 §3.10.7.3: in SYN-SENT a bad acknowledgement is answered by a reset, a
// reset without a good one is nothing, and one with it ends the connection.
func TestSynSentChecks(t *testing.T) {
	s := newScript(t, Config{})
	s.Open(s.now, &s.eff)
	s.frames()
	if f := s.put(0, 9, syn|ack, 0, inet.TCPOptions{}); len(f) != 1 || f[0].flags != rst || f[0].seq != 9 {
		t.Errorf("a wrong acknowledgement is answered by %+v", f)
	}
	s.wantAck("a reset for something else", s.put(0, 9, rst|ack, 0, inet.TCPOptions{}), 0)
	s.wantAck("a reset without acknowledgement", s.put(0, 0, rst, 0, inet.TCPOptions{}), 0)
	s.wantAck("no SYN", s.put(0, 1, ack, 0, inet.TCPOptions{}), 0)
	s.wantState("all that", SynSent)
	s.put(0, 1, rst|ack, 0, inet.TCPOptions{})
	s.wantState("refused", Closed)
	if s.counted(CountPeerReset) != 1 || s.Conn.NextDeadline() != units.Never {
		t.Errorf("counted %v", s.Counters())
	}
}

// RFC 9293 §3.10.7.1 and §3.10.7.2: without a connection what is no reset is
// answered by one.
func TestResetsWithoutConnection(t *testing.T) {
	s := newScript(t, Config{})
	if f := s.put(100, 0, syn, 10, inet.TCPOptions{}); len(f) != 1 || f[0].flags != rst|ack || f[0].ack != 111 {
		t.Errorf("a SYN is answered by %+v", f)
	}
	if f := s.put(100, 55, ack, 10, inet.TCPOptions{}); len(f) != 1 || f[0].flags != rst || f[0].seq != 55 {
		t.Errorf("an ACK is answered by %+v", f)
	}
	s.wantAck("a reset", s.put(100, 55, rst, 0, inet.TCPOptions{}), 0)
	p := newScript(t, Config{Passive: true})
	if f := p.put(0, 7, ack, 0, inet.TCPOptions{}); len(f) != 1 || f[0].flags != rst || f[0].seq != 7 {
		t.Errorf("in LISTEN an ACK is answered by %+v", f)
	}
	p.wantAck("a reset", p.put(0, 0, rst, 0, inet.TCPOptions{}), 0)
	p.wantAck("nothing", p.put(0, 0, 0, 3, inet.TCPOptions{}), 0)
	p.wantState("all that", Listen)
}

// RFC 9293 §3.10.7.4: a reset in SYN-RECEIVED takes a passive end back to LISTEN,
// and what was written waits for the next peer.
func TestBackToListen(t *testing.T) {
	s := newScript(t, Config{Passive: true})
	s.send(10)
	s.put(0, 0, syn, 0, optionsMSS)
	if f := s.put(1, 5, ack, 0, inet.TCPOptions{}); len(f) != 1 || f[0].flags != rst {
		t.Errorf("a wrong acknowledgement is answered by %+v", f)
	}
	s.put(1, 0, rst, 0, inet.TCPOptions{})
	s.wantState("reset", Listen)
	s.put(0, 0, syn, 0, optionsMSS)
	s.seq = 1
	s.wantStarts("established at last", s.ack(1), 1)
}

// RFC 9293 §3.6, figure 12: this end closes first.
func TestActiveClose(t *testing.T) {
	s := established(t, Config{})
	s.send(100)
	s.Close(s.now, &s.eff)
	if f := s.frames(); len(f) != 1 || f[0].flags != fin|ack|inet.TCPPsh || f[0].seq != 101 {
		t.Fatalf("closed by %+v", f)
	}
	s.wantState("closed", FinWait1)
	s.Close(s.now, &s.eff)
	s.send(1)
	if s.counted(DropClosed) != 1 {
		t.Error("a write behind the FIN is taken")
	}
	s.ack(101)
	s.wantState("data acknowledged", FinWait1)
	s.ack(102)
	s.wantState("FIN acknowledged", FinWait2)
	s.data(1, 50)
	s.wantAck("the peer's FIN", s.put(51, 102, fin|ack, 0, s.options()), 52)
	s.wantState("the peer's FIN", TimeWait)
	s.now += 10 * sec
	s.wantAck("the peer's FIN again", s.put(51, 102, fin|ack, 0, s.options()), 52)
	if s.wait(); s.State() != Closed || s.now != 70*sec || s.state.synchronized() {
		t.Errorf("%v at %v", s.State(), s.now)
	}
	if len(s.received) != 50 || s.Conn.NextDeadline() != units.Never {
		t.Errorf("heard %d bytes", len(s.received))
	}
}

// The peer closes first; this end may still speak.
func TestPassiveClose(t *testing.T) {
	s := established(t, Config{})
	s.wantAck("a FIN behind data", s.put(1, 1, fin|ack, 50, s.options()), 52)
	s.wantState("a FIN behind data", CloseWait)
	s.seq = 52
	s.wantStarts("data", s.send(2*mss), places(1, 2)...)
	s.ack(1 + 2*mss)
	s.Close(s.now, &s.eff)
	s.frames()
	s.wantState("closed", LastAck)
	if f := s.wait(); len(f) != 1 || f[0].flags&fin == 0 || f[0].size() != 0 {
		t.Errorf("a FIN that is lost comes again as %+v", f)
	}
	s.ack(2 + 2*mss)
	s.wantState("FIN acknowledged", Closed)
}

// RFC 9293 §3.6, figure 13: both ends close at once.
func TestSimultaneousClose(t *testing.T) {
	s := established(t, Config{})
	s.Close(s.now, &s.eff)
	s.frames()
	s.wantAck("the peer's FIN", s.put(1, 1, fin|ack, 0, s.options()), 2)
	s.wantState("the peer's FIN", Closing)
	s.seq = 2
	s.ack(2)
	s.wantState("FIN acknowledged", TimeWait)
}

// A FIN that overtakes data waits for them; one by itself is answered.
func TestFinOutOfOrder(t *testing.T) {
	s := established(t, Config{})
	s.wantAck("the FIN", s.put(101, 1, fin|ack, 0, s.options()), 1)
	s.wantState("the FIN", Established)
	s.wantAck("bytes up to it, and more", s.data(1, 200), 102)
	s.wantState("bytes up to it", CloseWait)
	if len(s.received) != 100 {
		t.Errorf("heard %d bytes, the FIN is behind 100", len(s.received))
	}
}

// RFC 5961 §3, §4: a reset must name the next byte; others inside the window, and
// a SYN, are answered by an acknowledgement; outside the window they are nothing.
func TestResetChecks(t *testing.T) {
	s := established(t, Config{})
	s.wantAck("a reset inside the window", s.put(2, 1, rst, 0, inet.TCPOptions{}), 1)
	s.wantAck("a reset outside", s.put(100000, 1, rst, 0, inet.TCPOptions{}), 0)
	s.wantAck("a SYN inside the window", s.put(2, 1, syn, 0, inet.TCPOptions{}), 1)
	s.wantAck("no ACK", s.put(1, 1, 0, 3, inet.TCPOptions{}), 0)
	s.wantState("all that", Established)
	s.send(100)
	s.put(1, 1, rst, 0, inet.TCPOptions{})
	s.wantState("a reset", Closed)
	if s.counted(CountPeerReset) != 1 || s.Buffered() != 0 || s.Conn.NextDeadline() != units.Never {
		t.Errorf("counted %v, %v buffered", s.Counters(), s.Buffered())
	}
}

// An acknowledgement of what was never sent is answered and changes nothing.
func TestBadAck(t *testing.T) {
	s := established(t, Config{})
	s.send(100)
	s.wantAck("too much", s.put(1, 102, ack, 10, s.options()), 1)
	if len(s.received) != 0 || s.counted(DropBadAck) != 1 || s.unacked() != 100 {
		t.Errorf("heard %d, %v in flight", len(s.received), s.unacked())
	}
	s.wantAck("an old one, with data", s.put(1, -5, ack, 10, s.options()), 0)
	if len(s.received) != 10 {
		t.Errorf("heard %d", len(s.received))
	}
}

// Segments are only taken from the peer, whole and with a right checksum.
func TestForeignSegments(t *testing.T) {
	s := established(t, Config{})
	frame := func(f inet.Flow, options []byte, sum sansio.Checksum) sansio.Train {
		h := append(inet.TCPHeader(f, len(options))[:inet.EtherLen+inet.IPv4Len+inet.TCPLen], options...)
		tcp := inet.TCP(h[inet.EtherLen+inet.IPv4Len:])
		at, from := uint32(ownISN), uint32(peerISN)
		tcp.SetSeq(from + 1)
		tcp.SetAck(at + 1)
		tcp.SetFlags(ack)
		inet.SetTCPBody(h, 5)
		return sansio.Train{Header: h, Body: []byte("hello"), Checksum: sum}
	}
	other := testFlow(1)
	other.SrcPort++
	padded := frame(testFlow(1), nil, sansio.ChecksumPartial)
	padded.Body = append(padded.Body, 0, 0, 0) // Ethernet's
	for name, c := range map[string]struct {
		reason string
		train  sansio.Train
	}{
		"another port":     {DropForeign, frame(other, nil, sansio.ChecksumPartial)},
		"own direction":    {DropForeign, frame(testFlow(0), nil, sansio.ChecksumPartial)},
		"UDP":              {DropForeign, sansio.Train{Header: inet.UDPHeader(testFlow(1))}},
		"nothing":          {DropForeign, sansio.Train{}},
		"bad option":       {DropMalformed, frame(testFlow(1), []byte{2, 0, 0, 0}, sansio.ChecksumPartial)},
		"bad checksum":     {DropChecksum, frame(testFlow(1), nil, sansio.ChecksumAsIs)},
		"body in a header": {DropMalformed, sansio.Train{Header: append(padded.Header[:len(padded.Header):len(padded.Header)], "hello"...)}},
	} {
		before := s.counted(c.reason)
		s.host.Handle(s.now, []sansio.Arrival{{Train: c.train}}, &s.eff)
		if s.counted(c.reason) != before+1 || len(s.frames()) != 0 || len(s.received) != 0 {
			t.Errorf("%s: counted %v", name, s.Counters())
		}
	}
	if s.host.Handle(s.now, []sansio.Arrival{{Train: padded}}, &s.eff); len(s.received) != 5 {
		t.Errorf("heard %d bytes of 5 and padding", len(s.received))
	}
}
