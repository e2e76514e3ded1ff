package newreno

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
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
