package newreno

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Sections are those of RFC 3168.

func (s *script) wantECN(what string, echoes, capable bool) {
	s.t.Helper()
	if s.ecn.echoes != echoes || s.ecn.capable != capable {
		s.t.Errorf("%s: echoes marks %v, sends ECT %v, want %v and %v", what, s.ecn.echoes, s.ecn.capable, echoes, capable)
	}
}

// wantCapable checks where frames start, and which of them say ECT and CWR.
func (s *script) wantCapable(what string, frames []view, at []int, ect, reduced int) {
	s.t.Helper()
	s.wantStarts(what, frames, at...)
	for i, f := range frames {
		codepoint, flag := inet.NotECT, uint8(0)
		if i < ect {
			codepoint = inet.ECT0
		}
		if i == reduced {
			flag = cwr
		}
		if f.ecn != codepoint || f.flags&cwr != flag {
			s.t.Errorf("%s: segment from %d has codepoint %d and flags %#x, want %d and %#x", what, f.seq, f.ecn, f.flags, codepoint, flag)
		}
	}
}

// none is the index of the segment with CWR where none has it.
const none = -1

// wantEcho checks that frames are one acknowledgement, with ECE or without.
func (s *script) wantEcho(what string, frames []view, upTo int, echo bool) {
	s.t.Helper()
	flags := ack
	if echo {
		flags |= ece
	}
	if len(frames) != 1 || frames[0].ack != upTo || frames[0].flags != flags || frames[0].ecn != inet.NotECT {
		s.t.Errorf("%s: answered by %+v, want an acknowledgement of %d with flags %#x", what, frames, upTo, flags)
	}
}

// mark hands over bytes of the peer that met congestion.
func (s *script) mark(seq int, flags uint8, n int) []view {
	s.t.Helper()
	s.codepoint = inet.CE
	defer func() { s.codepoint = inet.ECT0 }()
	return s.put(seq, int(s.tx.una), ack|flags, n, s.options())
}

// §6.1.1: an active end offers by ECE and CWR in a SYN without ECT. ECE alone in the answer
// agrees; both flags are a reflection of the offer.
func TestECNOffered(t *testing.T) {
	for _, c := range []struct {
		ecn    bool
		answer uint8
		agreed bool
	}{{true, ece, true}, {true, 0, false}, {true, cwr, false}, {true, ece | cwr, false}, {false, ece, false}, {false, 0, false}} {
		s := newScript(t, Config{ECN: c.ecn, NoTimestamps: true})
		s.Open(0, &s.eff)
		offer := syn
		if c.ecn {
			offer |= ece | cwr
		}
		if f := s.frames(); len(f) != 1 || f[0].flags != offer || f[0].ecn != inet.NotECT {
			t.Errorf("ECN %v: opened by %+v", c.ecn, f)
		}
		s.seq = 1
		f := s.put(0, 1, syn|ack|c.answer, 0, optionsMSS)
		if len(f) != 1 || f[0].flags != ack || f[0].ecn != inet.NotECT {
			t.Errorf("ECN %v, answer %#x: confirmed by %+v", c.ecn, c.answer, f)
		}
		s.wantECN("an answer", c.agreed, c.agreed)
		ect := 0
		if c.agreed {
			ect = 2
		}
		s.wantCapable("data", s.send(2*mss), places(1, 2), ect, none)
	}
}

// §6.1.1: a passive end agrees by ECE alone in a SYN and ACK without ECT, if both flags are set.
func TestECNAccepted(t *testing.T) {
	for _, c := range []struct {
		ecn    bool
		offer  uint8
		agreed bool
	}{{true, ece | cwr, true}, {true, 0, false}, {true, cwr, false}, {true, ece, false}, {false, ece | cwr, false}} {
		s := newScript(t, Config{Passive: true, ECN: c.ecn})
		want := syn | ack
		if c.agreed {
			want |= ece
		}
		for range 2 { // at first, and when it comes again
			f := s.put(0, 0, syn|c.offer, 0, optionsMSS)
			if len(f) != 1 || f[0].ecn != inet.NotECT || s.State() != SynReceived {
				t.Fatalf("ECN %v, offer %#x: answered by %+v", c.ecn, c.offer, f)
			}
		}
		if f := s.wait(); len(f) != 1 || f[0].flags != want {
			t.Errorf("ECN %v, offer %#x: the answer comes again as %+v, want flags %#x", c.ecn, c.offer, f, want)
		}
		s.wantECN("an offer", c.agreed, c.agreed)
	}
}

// §6.1.1: who was sent a SYN without the offer, be it later, does not send ECT; neither does a
// listener with its next peer.
func TestECNWithdrawn(t *testing.T) {
	s := newScript(t, Config{Passive: true, ECN: true})
	s.put(0, 0, syn|ece|cwr, 0, optionsMSS)
	s.put(-7, 0, syn, 0, optionsMSS)
	s.wantECN("another SYN than the peer's", true, true)
	s.put(0, 0, syn, 0, optionsMSS)
	s.wantECN("the SYN again without offer", false, false)
	if f := s.wait(); len(f) != 1 || f[0].flags != syn|ack {
		t.Errorf("answered by %+v", f)
	}
	s = newScript(t, Config{Passive: true, ECN: true})
	s.put(0, 0, syn|ece|cwr, 0, optionsMSS)
	s.put(1, 0, rst, 0, inet.TCPOptions{})
	s.wantState("given up", Listen)
	s.wantECN("given up", false, false)
}

// §6.1.1.1: a SYN that goes again makes no offer. An answer to the first one still has marks
// echoed, but this end has refused once, so it sends no ECT (§6.1.1).
func TestECNFallback(t *testing.T) {
	for _, answer := range []uint8{0, ece} {
		s := newScript(t, Config{ECN: true, NoTimestamps: true})
		s.Open(0, &s.eff)
		s.frames()
		if f := s.wait(); len(f) != 1 || f[0].flags != syn {
			t.Errorf("the SYN goes again as %+v", f)
		}
		s.seq = 1
		s.put(0, 1, syn|ack|answer, 0, optionsMSS)
		s.wantECN("an answer", answer != 0, false)
		s.wantCapable("data", s.send(2*mss), places(1, 1), 0, none)
		s.mark(1, 0, 10)
		s.wantEcho("a mark", s.wait()[:1], 11, answer != 0)
	}
}

// §6.1.1, both ends open at once: the SYN and ACK has ECE where the SYN had the offer.
func TestECNSimultaneousOpen(t *testing.T) {
	for _, offer := range []uint8{0, ece | cwr} {
		s := newScript(t, Config{ECN: true})
		s.Open(0, &s.eff)
		s.frames()
		f := s.put(0, 0, syn|offer, 0, optionsMSS)
		if len(f) != 1 || f[0].flags != syn|ack|offer&ece {
			t.Errorf("answered by %+v", f)
		}
		s.put(0, 1, syn|ack|offer&ece, 0, optionsMSS)
		s.seq = 1
		s.ack(1)
		s.wantState("both SYNs", Established)
		s.wantECN("both SYNs", offer != 0, offer != 0)
	}
}

// §6.1.5: what is sent again says no ECT, by fast retransmit or after a timeout; a train is new
// data or old. §6.1.2: CWR goes with new data only.
func TestOnlyNewDataIsCapable(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.wantCapable("new data", s.send(10*mss), places(1, 10), 10, none)
	s.ack(1)
	s.ack(1)
	s.wantCapable("fast retransmit", s.ack(1), places(1, 1), 0, none)
	s.ack(1 + 10*mss)
	s.cc.cwnd = 3 * mss
	s.wantCapable("new data", s.send(3*mss), places(1+10*mss, 3), 3, 0)
	s.wantCapable("timeout", s.wait(), places(1+10*mss, 1), 0, none)
	s.send(10 * mss)
	s.cc.cwnd = 4 * mss
	f := s.ack(1 + 11*mss + 500) // what follows is old, old and new, and new
	s.wantCapable("what is old in part", f[:2], places(1+11*mss+500, 2), 0, none)
	s.wantCapable("behind it", f[2:], places(1+13*mss+500, 2), 2, 0)
	if !slices.Equal(s.trains, []int{2, 2}) {
		t.Errorf("trains of %v", s.trains)
	}
}

// §6.1.4, §6.1.6: acknowledgements and probes say no ECT, and no CWR; neither does a FIN alone.
func TestOthersAreNotCapable(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.send(10 * mss)
	s.echo(1 + mss) // so that there is something to tell
	s.wantEcho("data", append(s.data(1, 10), s.data(11, 10)...), 21, false)
	s.seq, s.window = 21, 0
	s.ack(1 + 10*mss)
	s.send(mss)
	s.wantCapable("a probe", s.wait(), places(1+10*mss, 1), 0, none)
	s.window = 60000
	s.wantCapable("old data with the first new byte", s.ack(1+10*mss), places(1+10*mss, 1), 0, none)
	s.ack(1 + 11*mss)
	s.Close(s.now, &s.eff)
	s.wantCapable("FIN", s.frames(), places(1+11*mss, 1), 0, none)
	s = established(t, Config{ECN: true})
	s.send(mss)
	s.ack(1 + mss)
	s.Close(s.now, &s.eff)
	s.wantCapable("FIN", s.frames(), places(1+mss, 1), 0, none)
}

// §6.1.3: after a mark all segments echo it, until CWR arrives. CWR with a mark is
// one mark more. An acknowledgement that was delayed says so for both of its segments.
func TestEchoUntilReduced(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.codepoint = inet.ECT0
	s.wantAck("first segment", s.mark(1, 0, 10), 0)
	s.wantEcho("second segment", s.data(11, 10), 21, true)
	s.data(21, 10)
	s.wantEcho("no mark since", s.data(31, 10), 41, true)
	if f := s.send(10); len(f) != 1 || f[0].flags&ece == 0 || f[0].ecn != inet.ECT0 {
		t.Errorf("data behind a mark: %+v", f)
	}
	s.wantEcho("CWR is acknowledged at once", s.put(41, 1, ack|cwr, 10, s.options()), 51, false)
	s.data(51, 10)
	s.wantEcho("behind CWR", s.data(61, 10), 71, false)
	s.wantEcho("CWR and mark", s.mark(71, cwr, 10), 81, true)
	s.wantEcho("out of order", s.data(91, 10), 81, true)
	if f := s.put(81, 1, ack|cwr, 0, s.options()); s.ecn.echo || len(f) != 0 {
		t.Errorf("CWR on a segment without data: echo %v, answered by %+v", s.ecn.echo, f)
	}
	if s.counted(CountMarks) != 2 {
		t.Errorf("counted %v", s.Counters())
	}
}

// §6.1.3, §6.1.5: marks count on data in the window, on connections that agreed.
func TestMarksThatDoNotCount(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.data(1, 10)
	s.data(11, 10)
	s.mark(1, 0, 10)
	s.mark(21, 0, 0)
	s.mark(90_000_000, 0, 10)
	if s.ecn.echo || s.counted(CountMarks) != 0 {
		t.Errorf("a mark on old data, none, or data behind the window is echoed; counted %v", s.Counters())
	}
	s = established(t, Config{})
	s.mark(1, 0, 10)
	s.wantEcho("without ECN", s.mark(11, 0, 10), 21, false)
	s.seq = 21
	s.send(10 * mss)
	s.echo(1 + mss)
	s.wantWindow("an echo without ECN", 11*mss, MaxWindow)
	if s.counted(CountMarks)+s.counted(CountEchoes) != 0 {
		t.Errorf("counted %v", s.Counters())
	}
}

// In a train only the first segment has CWR: it alone is acknowledged at once.
func TestReducedInTrain(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.mark(1, 0, 10)
	h := inet.TCPHeader(testFlow(1), 0)
	tcp := inet.TCP(h[inet.EtherLen+inet.IPv4Len:])
	tcp.SetSeq(peerISN + 11)
	tcp.SetAck(ownISN + 1)
	tcp.SetFlags(ack | cwr)
	tcp.SetWindow(60000)
	inet.SetTCPBody(h, 50)
	train := sansio.Train{Header: h, Body: make([]byte, 50), Seg: 10, Checksum: sansio.ChecksumPartial}
	s.Conn.Handle(s.now, &train, &s.eff, func([]byte, int) {})
	f := s.frames()
	for i, upTo := range []int{21, 41, 61} {
		if len(f) != 3 || f[i].ack != upTo || f[i].flags != ack {
			t.Fatalf("answered by %+v", f)
		}
	}
}

// §6.1.2: an echo halves what was in flight, and the window with it, once in a window of
// data; no echo lets it grow. CWR is on the first new segment, and the first only.
func TestEchoHalvesWindowOnce(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.send(100 * mss)
	s.wantCapable("an echo", s.echo(1+mss), nil, 0, none)
	s.wantWindow("an echo", 5*mss, 5*mss)
	for i := range 4 {
		s.wantStarts("echoes of the same window", s.echo(1+(2+i)*mss))
	}
	s.wantCapable("the window has room", s.echo(1+6*mss), places(1+10*mss, 1), 1, 0)
	s.wantCapable("then", s.echo(1+8*mss), places(1+11*mss, 2), 2, none)
	s.echo(1 + 10*mss)
	s.wantWindow("echoes up to what went with CWR", 5*mss, 5*mss)
	s.ack(1 + 11*mss)
	s.send(mss)
	s.wantWindow("congestion avoidance", 5*mss, 5*mss)
	s.echo(1 + 12*mss)
	s.wantWindow("an echo behind CWR", 2500, 2500)
	if s.counted(CountReductions) != 2 || s.counted(CountEchoes) != 9 || s.counted(CountAgain) != 0 {
		t.Errorf("counted %v", s.Counters())
	}
}

// An echo that comes with a duplicate counts like any other; the segments of limited transmit
// are not what the window was. With nothing in flight it tells nothing.
func TestEchoOnDuplicate(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.echo(1)
	s.wantWindow("nothing in flight", 10*mss, MaxWindow)
	s.send(100 * mss)
	s.ack(1)
	s.ack(1)
	s.echo(1 + mss)
	s.wantWindow("an echo behind two duplicates", 5*mss, 5*mss)
	s = established(t, Config{ECN: true})
	s.send(100 * mss)
	s.wantStarts("a duplicate with an echo", s.echo(1))
	s.wantWindow("a duplicate with an echo", 5*mss, 5*mss)
	s = established(t, Config{ECN: true})
	s.send(100 * mss)
	s.ack(1 + 4*mss)
	before := s.cc.cwnd
	s.put(s.seq, 1+2*mss, ack|ece, 0, s.options())
	s.wantWindow("an old acknowledgement", before, MaxWindow)
}

// §6.1.2: a loss in a window whose mark was answered halves nothing a second time; one of what
// went with CWR, or behind it, does, and CWR goes again.
func TestLossAfterMark(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.send(100 * mss)
	s.echo(1 + mss)
	for range 2 {
		s.ack(1 + mss)
	}
	s.wantStarts("third duplicate", s.ack(1+mss), 1+mss)
	s.wantWindow("third duplicate", 8*mss, 5*mss)
	s.ack(1 + mss)
	s.wantCapable("one CWR for both", s.ack(1+mss), places(1+10*mss, 1), 1, 0)
	s.wantCapable("one CWR for both", s.ack(1+mss), places(1+11*mss, 1), 1, none)

	s = established(t, Config{ECN: true})
	s.send(100 * mss)
	s.echo(1 + mss)
	s.wantCapable("the window is acknowledged", s.ack(1+10*mss), places(1+10*mss, 6), 6, 0)
	s.ack(1 + 10*mss)
	s.ack(1 + 10*mss)
	s.wantCapable("CWR is lost", s.ack(1+10*mss), places(1+10*mss, 1), 0, none)
	s.wantWindow("CWR is lost", 6*mss, 3*mss)
	s.wantCapable("CWR again", s.ack(1+18*mss), places(1+18*mss, 2), 2, 0)
}

// In the recovery from such a loss CWR is not told again, and echoes of what followed it
// wait. If the retransmission is lost, that is news.
func TestRecoveryAfterMark(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.send(100 * mss)
	s.echo(1 + mss)
	s.wantCapable("room for two", s.ack(1+6*mss), places(1+10*mss, 2), 2, 0)
	for range 3 {
		s.ack(1 + 6*mss)
	}
	s.wantWindow("third duplicate", 8*mss, 5*mss)
	f := s.echo(1 + 11*mss)
	s.wantStarts("partial acknowledgement with an echo", f, 1+11*mss, 1+14*mss)
	s.wantCapable("new data", f[1:], places(1+14*mss, 1), 1, none)
	s.wantWindow("partial acknowledgement with an echo", 4*mss, 5*mss)
	if s.counted(CountReductions) != 1 {
		t.Errorf("counted %v", s.Counters())
	}

	s = established(t, Config{ECN: true})
	s.send(100 * mss)
	s.echo(1 + mss)
	for range 3 {
		s.ack(1 + mss)
	}
	s.wait()
	s.wantWindow("timeout in recovery", mss, 4500)
}

// The same with a timeout: the window is one segment, and ssthresh what the mark left.
func TestTimeoutAfterMark(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.send(20 * mss)
	s.echo(1 + mss)
	s.wait()
	s.wantWindow("timeout in the window of a mark", mss, 5*mss)
	s.ack(1 + 2*mss)
	s.wait()
	s.wantWindow("a timeout of what was sent again", mss, 4*mss)
	s = established(t, Config{ECN: true})
	s.send(20 * mss)
	s.echo(1 + mss)
	s.wait()
	s.ack(1 + 10*mss)
	s.ack(1 + 12*mss)
	s.ack(1 + 15*mss)
	if s.cc.cwnd <= 2*mss || s.cc.ssthresh != 5*mss {
		t.Fatalf("cwnd %d, ssthresh %d", s.cc.cwnd, s.cc.ssthresh)
	}
	s.wait()
	if s.cc.ssthresh == 5*mss {
		t.Error("a timeout behind that window leaves ssthresh alone")
	}
}

// §6.1.2: an echo of a window with a loss that was answered changes nothing, in recovery and after
// it; one of what followed CWR does, when recovery is over.
func TestMarkAfterLoss(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.send(100 * mss)
	for range 2 {
		s.ack(1)
	}
	s.wantStarts("third duplicate with an echo", s.echo(1), 1)
	s.wantWindow("third duplicate with an echo", 8*mss, 5*mss)
	for range 5 {
		s.echo(1)
	}
	s.wantWindow("duplicates with echoes", 13*mss, 5*mss)
	s.wantStarts("partial acknowledgement", s.echo(1+2*mss), 1+2*mss, 1+13*mss)
	s.wantWindow("partial acknowledgement with an echo", 12*mss, 5*mss)
	s.echo(1 + 12*mss)
	s.wantWindow("full acknowledgement with an echo", 3*mss, 5*mss)
	s.echo(1 + 13*mss)
	s.wantWindow("another behind CWR", 1500, 2*mss)
	if s.counted(CountReductions) != 1 {
		t.Errorf("counted %v", s.Counters())
	}
}

// §6.1.2: at a window of one segment an echo has new data wait for a retransmission timeout;
// what is in flight may still be acknowledged. The wait is no timeout.
func TestEchoAtOneSegment(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.cc.cwnd = mss
	s.send(5 * mss)
	s.now += 10 * ms
	s.wantStarts("an echo", s.echo(1+mss))
	s.wantWindow("an echo", mss, 2*mss)
	if want := s.now.Add(s.rtt.rto); s.Conn.NextDeadline() != want {
		t.Errorf("waits until %v, want %v", s.Conn.NextDeadline(), want)
	}
	s.wantStarts("a write", s.send(mss))
	s.wantCapable("the timeout", s.wait(), places(1+mss, 1), 1, 0)
	s.wantStarts("no echo", s.ack(1+2*mss), places(1+2*mss, 2)...)
	if s.counted(CountTimeouts)+s.counted(CountAgain)+s.counted(CountProbes) != 0 || s.counted(CountReductions) != 1 {
		t.Errorf("counted %v", s.Counters())
	}
}

// A window of two segments falls to one, and nothing waits.
func TestEchoAtTwoSegments(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.cc.cwnd = 2 * mss
	s.send(5 * mss)
	s.wantStarts("an echo", s.echo(1+mss))
	s.wantWindow("an echo", mss, 2*mss)
	s.wantCapable("then", s.ack(1+2*mss), places(1+2*mss, 2), 2, 0)
}

// The wait ends also where something is in flight, lost or not, and where nothing waits.
func TestWaitAtOneSegment(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.cc.cwnd = mss
	s.send(400)
	s.send(400)
	s.echo(401)
	s.wantStarts("a write", s.send(100))
	s.wantCapable("timeout of what is in flight", s.wait(), []int{401}, 0, none)
	if s.tx.held != units.Never || s.counted(CountTimeouts) != 1 {
		t.Errorf("held until %v, counted %v", s.tx.held, s.Counters())
	}
	s = established(t, Config{ECN: true})
	s.cc.cwnd = mss
	s.send(mss)
	s.echo(1 + mss)
	s.wantStarts("nothing to say", s.wait())
	if d := s.Conn.NextDeadline(); d != units.Never {
		t.Errorf("waits until %v", d)
	}
	s.wantCapable("a write", s.send(mss), places(1+mss, 1), 1, 0)
}

// What waits is new data: old data go again when their timeout is, which may be earlier by
// then. The end of the connection ends all.
func TestTimeoutWhileNewDataWait(t *testing.T) {
	s := established(t, Config{ECN: true})
	s.cc.cwnd, s.rtt.rto = mss, units.Second
	for range 3 {
		s.send(300)
	}
	s.rtt.discard()
	s.echo(301)
	s.rtt.rto = 200 * dms
	s.ack(601)
	s.wantStarts("timeout", s.wait(), 601)
	if s.now != 200*ms || s.tx.held != sec {
		t.Errorf("at %v, held until %v", s.now, s.tx.held)
	}
	s.put(1, 601, rst|ack, 0, inet.TCPOptions{})
	s.wantState("reset", Closed)
	if d := s.Conn.NextDeadline(); d != units.Never {
		t.Errorf("waits until %v", d)
	}
}
