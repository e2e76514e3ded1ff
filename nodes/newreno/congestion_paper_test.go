package newreno

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
)

// RFC 6928 §2: the initial window is min(10*MSS, max(2*MSS, 14600)).
func TestInitialWindow(t *testing.T) {
	for size, want := range map[units.Bytes]units.Bytes{1460: 14600, 1448: 14480, 1000: 10000, 536: 5360, 8948: 17896, 2000: 14600} {
		var cc congestion
		if cc.begin(size, false); cc.cwnd != want {
			t.Errorf("segments of %d: initial window %d, want %d", size, cc.cwnd, want)
		}
	}
	s := established(t, Config{})
	s.wantStarts("a long write", s.send(100*mss), places(1, 10)...)
}

// RFC 5681 §3.1: in slow start the window grows by at most a full segment for
// each acknowledgement of new data, however much that covers.
func TestSlowStartGrowth(t *testing.T) {
	s := established(t, Config{})
	s.send(100 * mss)
	s.wantStarts("one segment acknowledged", s.ack(1+mss), places(1+10*mss, 2)...)
	s.wantWindow("one segment acknowledged", 11*mss, MaxWindow)
	s.wantStarts("two more at once", s.ack(1+3*mss), places(1+12*mss, 3)...)
	s.wantWindow("two more at once", 12*mss, MaxWindow)
	s.ack(1 + 3*mss + 100)
	s.wantWindow("a part of a segment", 12*mss+100, MaxWindow)
	s.wantStarts("a part of a segment: no segment is cut short for the window", s.ack(1+3*mss+200))
	s.wantWindow("another part", 12*mss+200, MaxWindow)
}

// Slow start doubles the window each round trip if every segment is acknowledged.
func TestSlowStartDoubles(t *testing.T) {
	s := established(t, Config{})
	s.window = 0xffff
	sent := len(s.send(1000 * mss))
	next := 1
	for _, want := range []int{20, 40} {
		flight := sent
		sent = 0
		for range flight {
			next += mss
			sent += len(s.ack(next))
		}
		if sent != want {
			t.Errorf("a round trip after %d segments has %d, want %d", flight, sent, want)
		}
	}
}

// RFC 5681 §3.1: in congestion avoidance the window grows by one full segment
// for each window of acknowledged bytes.
func TestCongestionAvoidance(t *testing.T) {
	s := established(t, Config{})
	s.cc.ssthresh = 10 * mss
	s.send(100 * mss)
	for i := range 9 {
		s.ack(1 + (i+1)*mss)
		s.wantWindow("within the window", 10*mss, 10*mss)
	}
	s.ack(1 + 10*mss)
	s.wantWindow("a window acknowledged", 11*mss, 10*mss)
	for i := range 10 {
		s.ack(1 + (11+i)*mss)
		s.wantWindow("within the next", 11*mss, 10*mss)
	}
	s.ack(1 + 21*mss)
	s.wantWindow("the next one acknowledged", 12*mss, 10*mss)
}

// RFC 7661 §4.3: a window that is not in use does not grow.
func TestUnusedWindowDoesNotGrow(t *testing.T) {
	s := established(t, Config{})
	for i := range 100 {
		s.send(4 * mss)
		s.ack(1 + (i+1)*4*mss)
	}
	s.wantWindow("writes of less than half of the window", 10*mss, MaxWindow)
}

// RFC 3042: the first two duplicates bring a new segment each. RFC 5681 §3.2:
// the third brings the missing segment at once; ssthresh is half of what was in
// flight, without those two; the window is ssthresh and three segments, and grows
// by one with each further duplicate.
func TestFastRetransmit(t *testing.T) {
	s := established(t, Config{})
	s.send(100 * mss)
	s.wantStarts("first duplicate", s.ack(1), 1+10*mss)
	s.wantStarts("second duplicate", s.ack(1), 1+11*mss)
	s.wantWindow("second duplicate", 10*mss, MaxWindow)
	s.wantStarts("third duplicate", s.ack(1), 1)
	s.wantWindow("third duplicate", 8*mss, 5*mss)
	for i := range 4 {
		s.wantStarts("duplicate that only inflates", s.ack(1))
		s.wantWindow("duplicate that only inflates", units.Bytes(9+i)*mss, 5*mss)
	}
	s.wantStarts("duplicate that opens the window", s.ack(1), 1+12*mss)
	if s.counted(CountFast) != 1 || s.counted(CountAgain) != 1 || s.counted(CountTimeouts) != 0 {
		t.Errorf("counted %v", s.Counters())
	}
	// RFC 6582 §3.2 step 3, a full acknowledgement: min(ssthresh, FlightSize + SMSS).
	s.wantStarts("full acknowledgement", s.ack(1+12*mss), 1+13*mss)
	s.wantWindow("full acknowledgement", 2*mss, 5*mss)
	if s.cc.recovering {
		t.Error("recovery goes on")
	}
}

// RFC 5681 §2: an acknowledgement is a duplicate only if something is in flight,
// it has no data, and acknowledges and offers the same as before.
func TestWhatIsNoDuplicate(t *testing.T) {
	s := established(t, Config{})
	for range 4 {
		s.ack(1)
	}
	if s.cc.dups != 0 {
		t.Error("duplicates with nothing in flight")
	}
	s.send(10 * mss)
	for i := range 4 {
		s.data(1+i*10, 10)
	}
	s.seq = 41
	for i := range 4 {
		s.window = 50000 + i
		s.ack(1)
	}
	if s.cc.dups != 0 || s.counted(CountFast) != 0 {
		t.Errorf("%d duplicates with data or a new window", s.cc.dups)
	}
}

// RFC 6582 §3.2 step 3: a partial acknowledgement brings the next missing segment
// at once, takes what it acknowledges off the window and gives a segment back; it
// starts the retransmission timer anew the first time only.
func TestPartialAcknowledgement(t *testing.T) {
	s := established(t, Config{})
	s.send(100 * mss) // 0, 3 and 6 are lost
	for range 7 {
		s.ack(1)
	}
	s.wantWindow("duplicates", 12*mss, 5*mss) // segments 10 and 11 went as limited transmit
	timer := s.tx.timer
	s.now += 10 * ms
	s.wantStarts("first partial", s.ack(1+3*mss), 1+3*mss, 1+12*mss)
	s.wantWindow("first partial", 10*mss, 5*mss)
	if s.tx.timer <= timer {
		t.Error("the first partial acknowledgement does not start the timer anew")
	}
	timer = s.tx.timer
	s.now += 10 * ms
	s.wantStarts("second partial", s.ack(1+6*mss), 1+6*mss, 1+13*mss)
	s.wantWindow("second partial", 8*mss, 5*mss)
	if s.tx.timer != timer {
		t.Error("the second partial acknowledgement starts the timer anew")
	}
	s.ack(1 + 12*mss)
	s.wantWindow("full", 3*mss, 5*mss)
	if s.counted(CountPartial) != 2 || s.counted(CountFast) != 1 || s.counted(CountTimeouts) != 0 {
		t.Errorf("counted %v", s.Counters())
	}
}

// However many parts of a segment are acknowledged, a segment may be in flight.
func TestPartialAcknowledgementOfParts(t *testing.T) {
	cc := congestion{mss: mss, cwnd: 1500, recovering: true}
	if cc.partialAck(900); cc.cwnd != mss {
		t.Errorf("window %d", cc.cwnd)
	}
}

// RFC 6582 §3.2 step 2: duplicates of what does not lie behind recover start no
// second recovery, after a timeout (step 4) or a recovery.
func TestNoFastRetransmitBeforeRecover(t *testing.T) {
	s := established(t, Config{})
	s.send(10 * mss)
	s.wantStarts("timeout", s.wait(), 1)
	s.wantStarts("segment 0 arrives", s.ack(1+mss), 1+mss, 1+2*mss)
	for range 5 {
		s.wantStarts("duplicates of a segment sent twice", s.ack(1+mss))
	}
	if s.counted(CountFast) != 0 {
		t.Error("a fast retransmit before recover")
	}
	s.send(20 * mss)
	s.wantStarts("all that was sent before the timeout", s.ack(1+10*mss), places(1+10*mss, 3)...)
	for range 2 {
		s.ack(1 + 10*mss)
	}
	s.wantStarts("third duplicate of recover itself", s.ack(1+10*mss))
	s.ack(1 + 11*mss)
	for range 2 {
		s.ack(1 + 11*mss)
	}
	s.wantStarts("third duplicate behind recover", s.ack(1+11*mss), 1+11*mss)
}

// RFC 5681 §3.1: a timeout takes the window to one segment and ssthresh to half
// of what was in flight; a second one of the same segment leaves ssthresh alone.
func TestTimeoutCollapsesWindow(t *testing.T) {
	s := established(t, Config{})
	s.send(100 * mss)
	s.wantStarts("timeout", s.wait(), 1)
	s.wantWindow("timeout", mss, 5*mss)
	s.wantStarts("again", s.wait(), 1)
	s.wantWindow("again", mss, 5*mss)
	s.wantStarts("slow start from one segment", s.ack(1+mss), places(1+mss, 2)...)
	s.wantWindow("slow start", 2*mss, 5*mss)
	s.wantStarts("what had arrived is not sent again", s.ack(1+10*mss), places(1+10*mss, 3)...)
	s.wait()
	s.wantWindow("timeout of another segment: two segments at least", mss, 2*mss)
}

// Two segments of a window lost, and the retransmission of the first one as well:
// the timeout ends recovery, and all is sent again as needed.
func TestRetransmissionLost(t *testing.T) {
	s := established(t, Config{})
	s.send(10 * mss)
	for range 9 {
		s.ack(1)
	}
	s.wantStarts("timeout in recovery", s.wait(), 1)
	if s.cc.recovering || s.cc.recover != 1+10*mss {
		t.Errorf("recovering %v, recover %d", s.cc.recovering, s.cc.recover)
	}
	s.wantStarts("segment 0, and those up to the second loss", s.ack(1+5*mss), places(1+5*mss, 2)...)
	s.ack(1 + 10*mss)
	if s.unacked() != 0 || s.tx.timer != units.Never {
		t.Errorf("%v in flight", s.unacked())
	}
}

// RFC 5681 §4.1: after a pause of more than a timeout a connection begins with
// the initial window at most.
func TestRestartAfterIdle(t *testing.T) {
	s := established(t, Config{})
	s.send(30 * mss)
	for i := range 30 {
		s.ack(1 + (i+1)*mss)
	}
	grown := s.cc.cwnd
	s.now += units.Time(s.rtt.rto)
	s.wantStarts("after a pause that is not long enough", s.send(mss), 1+30*mss)
	s.ack(1 + 31*mss)
	if grown < 20*mss || s.cc.cwnd != grown {
		t.Errorf("window %d, then %d", grown, s.cc.cwnd)
	}
	s.now += units.Time(s.rtt.rto) + 1
	s.wantStarts("after a pause", s.send(30*mss), places(1+31*mss, 10)...)
}

// RFC 5681 §3.1: after a lost SYN the window is one segment.
func TestWindowAfterLostSyn(t *testing.T) {
	s := newScript(t, Config{NoTimestamps: true})
	s.Open(s.now, &s.eff)
	s.eff.Reset()
	s.wait()
	s.synAck(optionsMSS)
	s.wantStarts("after a lost SYN", s.send(10*mss), 1)
}

// Beside cwnd, this end limits what is on its way, but never to less than a segment.
func TestOwnLimit(t *testing.T) {
	s := established(t, Config{SndWindow: 3500})
	s.wantStarts("limit of 3500", s.send(10*mss), places(1, 3)...)
	s = established(t, Config{SndWindow: 1})
	s.wantStarts("limit of 1", s.send(10*mss), 1)
}
