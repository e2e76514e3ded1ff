package newreno

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

const dms = units.Millisecond

var optionsMSS = inet.TCPOptions{MSS: mss}

// RFC 6298 (2.2), (2.3): SRTT, RTTVAR and RTO, worked by hand.
func TestEstimator(t *testing.T) {
	e := estimator{rto: units.Second, min: dms, max: 60 * units.Second}
	for _, c := range []struct{ r, srtt, rttvar, rto units.Duration }{
		{100 * dms, 100 * dms, 50 * dms, 300 * dms},
		{100 * dms, 100 * dms, 37500 * units.Microsecond, 250 * dms},
		{180 * dms, 110 * dms, 48125 * units.Microsecond, 302500 * units.Microsecond},
		{30 * dms, 100 * dms, 56093750 * units.Nanosecond, 324375 * units.Microsecond},
	} {
		if e.sample(c.r); e.srtt != c.srtt || e.rttvar != c.rttvar || e.rto != c.rto {
			t.Errorf("after %v: SRTT %d, RTTVAR %d, RTO %d, want %d, %d, %d", c.r, e.srtt, e.rttvar, e.rto, c.srtt, c.rttvar, c.rto)
		}
	}
}

// RFC 6298 (2.4), (2.5): the timeout has a lower and an upper bound.
func TestTimeoutBounds(t *testing.T) {
	e := estimator{min: 200 * dms, max: 60 * units.Second}
	if e.sample(10 * units.Microsecond); e.rto != 200*dms {
		t.Errorf("timeout %v below the least", e.rto)
	}
	if e.sample(100 * units.Second); e.rto != 60*units.Second {
		t.Errorf("timeout %v beyond the largest", e.rto)
	}
}

// RFC 6298 (2.1), (5.5), (5.6): the SYN goes again after 1, 2, 4 ... seconds, up
// to a minute; after so many times the connection ends.
func TestSynTimeouts(t *testing.T) {
	s := newScript(t, Config{Retries: 8})
	s.Open(0, &s.eff)
	s.frames()
	for i, want := range []units.Time{1, 3, 7, 15, 31, 63, 123, 183} {
		f := s.wait()
		if s.now != want*sec || len(f) != 1 || f[0].seq != 0 || f[0].flags != inet.TCPSyn {
			t.Errorf("SYN %d again at %v, want %d s: %+v", i+1, s.now, want, f)
		}
	}
	if f := s.wait(); len(f) != 0 || s.State() != Closed || s.counted(CountExhausted) != 1 || s.Conn.NextDeadline() != units.Never {
		t.Errorf("after the last try: %v, %+v", s.State(), f)
	}
	s.send(1)
	if s.counted(DropClosed) != 1 || s.Buffered() != 0 {
		t.Errorf("a write after the end: %v, %v", s.Counters(), s.Buffered())
	}
	s.Open(s.now, &s.eff)
	if len(s.frames()) != 0 {
		t.Error("opened a second time")
	}
}

// RFC 6298 (5.7): with a SYN lost, data begin with a timeout of 3 s.
func TestTimeoutAfterLostSyn(t *testing.T) {
	s := newScript(t, Config{NoTimestamps: true, InitialRTO: units.Second})
	s.Open(0, &s.eff)
	s.frames()
	s.wait()
	s.synAck(optionsMSS)
	if s.send(mss); s.Conn.NextDeadline() != s.now+3*sec {
		t.Errorf("the timer is at %v, %v after the data", s.Conn.NextDeadline(), s.Conn.NextDeadline()-s.now)
	}
}

// RFC 6298 §5: the timer starts with data, anew with each acknowledgement of new
// data, ends with the last one, and doubles as it runs out; what comes then is
// the oldest segment.
func TestTimer(t *testing.T) {
	s := established(t, Config{})
	rto := units.Time(s.rtt.rto)
	s.now = 10 * ms
	s.send(2 * mss)
	if got := s.Conn.NextDeadline(); got != s.now+rto { // (5.1)
		t.Errorf("timer at %v", got)
	}
	s.now += 5 * ms
	s.send(mss)
	if got := s.Conn.NextDeadline(); got != 10*ms+rto {
		t.Errorf("more data move the timer to %v", got)
	}
	s.ack(1 + mss)
	if got := s.Conn.NextDeadline(); got != s.now+units.Time(s.rtt.rto) { // (5.3)
		t.Errorf("an acknowledgement moves the timer to %v", got)
	}
	before := s.rtt.rto
	s.wantStarts("the oldest", s.wait(), 1+mss) // (5.4)
	if s.rtt.rto != 2*before || s.Conn.NextDeadline() != s.now.Add(2*before) {
		t.Errorf("timeout %v after %v, timer at %v", s.rtt.rto, before, s.Conn.NextDeadline())
	}
	s.ack(1 + 3*mss)
	if got := s.Conn.NextDeadline(); got != units.Never { // (5.2)
		t.Errorf("nothing in flight, timer at %v", got)
	}
	if s.rtt.rto != 2*before {
		t.Errorf("timeout %v without a new sample", s.rtt.rto)
	}
	s.send(mss)
	s.now += 20 * ms
	if s.ack(1 + 4*mss); s.rtt.rto >= 2*before {
		t.Errorf("a new sample leaves the timeout at %v", s.rtt.rto)
	}
}

// Karn's rule (RFC 6298 §3): what was sent twice gives no sample.
func TestKarn(t *testing.T) {
	s := established(t, Config{})
	srtt := s.rtt.srtt
	s.send(mss)
	s.wait()
	if s.ack(1 + mss); s.rtt.srtt != srtt {
		t.Errorf("a sample from a segment that timed out")
	}
	s.send(5 * mss)
	s.now += 500 * ms / 10
	s.ack(1 + mss + mss)
	srtt = s.rtt.srtt
	s.send(5 * mss)
	for range 3 {
		s.ack(1 + 2*mss)
	}
	s.now += 100 * ms
	if s.ack(1 + 6*mss); s.rtt.srtt != srtt {
		t.Errorf("a sample from a segment that was sent again")
	}
}

// One round trip is timed at a time, to the picosecond, of the first segment sent.
func TestOneSampleARoundTrip(t *testing.T) {
	s := established(t, Config{MinRTO: 1, InitialRTO: units.Second})
	s.rtt = estimator{rto: units.Second, min: 1, max: 60 * units.Second}
	s.send(5 * mss)
	s.now += 7777
	s.ack(1 + mss)
	if s.rtt.srtt != 7777 {
		t.Errorf("round trip of %v", s.rtt.srtt)
	}
	s.now += 999999
	if s.ack(1 + 5*mss); s.rtt.srtt != 7777 {
		t.Error("a second sample from the same flight")
	}
}
