package newreno

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Sections are those of RFC 3168.

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
