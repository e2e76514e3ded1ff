package newreno

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// RFC 9293 §3.8.6.3 and RFC 5681 §4.2: every second full segment is acknowledged
// at once, others after a while.
func TestDelayedAck(t *testing.T) {
	s := established(t, Config{})
	s.wantAck("first segment", s.data(1, mss), 0)
	if got := s.Conn.NextDeadline(); got != s.now.Add(DefaultDelayedAck) {
		t.Errorf("it would be acknowledged at %v", got)
	}
	s.wantAck("second segment", s.data(1+mss, mss), 1+2*mss)
	if got := s.Conn.NextDeadline(); got != units.Never {
		t.Errorf("it would be acknowledged again at %v", got)
	}
	s.wantAck("a short one", s.data(1+2*mss, 10), 0)
	s.wantAck("its delay", s.wait(), 11+2*mss)
	s.data(11+2*mss, mss)
	if f := s.send(10); len(f) != 1 || f[0].ack != 11+3*mss || s.rx.delayed != units.Never {
		t.Errorf("data carry the acknowledgement: %+v", f)
	}
	s = established(t, Config{DelayedAck: -1})
	s.wantAck("no delay", s.data(1, 10), 11)
}

// RFC 5681 §4.2: what is out of order is acknowledged at once, and so is what
// fills a gap.
func TestGapIsAcknowledgedAtOnce(t *testing.T) {
	s := established(t, Config{})
	s.wantAck("behind a gap", s.data(1+mss, mss), 1)
	s.wantAck("behind two", s.data(1+3*mss, mss), 1)
	s.wantAck("the same again", s.data(1+3*mss, mss), 1)
	s.wantAck("the first gap", s.data(1, mss), 1+2*mss)
	s.wantAck("over the second gap, from before it", s.data(1+mss, 3*mss), 1+4*mss)
	s.wantAck("what is known", s.data(1+mss, mss), 1+4*mss)
	if len(s.received) != 4*mss || s.counted(DropUnacceptable) != 1 {
		t.Errorf("heard %d bytes, counted %v", len(s.received), s.Counters())
	}
}

// What lies behind the window is cut off; pieces are bounded in number as well.
func TestReceiveLimits(t *testing.T) {
	s := established(t, Config{RcvBuf: 2500})
	s.wantAck("behind the window", s.data(1+2500, mss), 1)
	s.wantAck("over its end", s.data(1+2000, mss), 1)
	s.wantAck("up to that", s.data(1, 2000), 1+2500)
	if s.counted(DropUnacceptable) != 1 {
		t.Errorf("counted %v", s.Counters())
	}
	s.send(10)
	s.seq = 1 + 2500 + 2500
	if s.ack(11); s.unacked() != 0 {
		t.Error("an acknowledgement from the end of a window that the peer has filled is refused")
	}
	s = established(t, Config{RcvBuf: 60000})
	for i := range MaxOutOfOrder + 2 {
		s.data(3+2*i, 1)
	}
	if len(s.rx.queue) != MaxOutOfOrder || s.counted(DropOutOfOrder) != 2 {
		t.Errorf("%d pieces, counted %v", len(s.rx.queue), s.Counters())
	}
}

// RFC 7323 §2: windows are scaled once both ends offered it, that of a SYN never.
func TestWindowScale(t *testing.T) {
	s := newScript(t, Config{RcvBuf: 6 * units.MiB})
	s.window = 5000
	s.Open(s.now, &s.eff)
	s.frames()
	s.synAck(inet.TCPOptions{MSS: mss, HasWindowScale: true, WindowScale: 3})
	s.wantStarts("the SYN's window", s.send(50*mss), places(1, 5)...)
	s.wantStarts("a scaled one", s.ack(1+mss), places(1+5*mss, 7)...)
	if f := s.data(1, 5); len(f) != 0 || s.window != 5000 {
		t.Fatal(f)
	}
	if f := s.wait(); f[0].window<<7 != int(6*units.MiB) {
		t.Errorf("own window %d", f[0].window)
	}
	s = established(t, Config{RcvBuf: 6 * units.MiB})
	s.data(1, 5)
	if f := s.wait(); f[0].window != 0xffff {
		t.Errorf("window %d for a peer that does not scale", f[0].window)
	}
	s.wantAck("behind an unscaled window", s.data(6+0xffff, 1), 6)
}

// RFC 7323 §3.2, §4.3, §5.3: the timestamp echoed is that of the segment that the
// acknowledgement is for; an older one or none at all is dropped.
func TestTimestamps(t *testing.T) {
	s := established(t, Config{}, inet.TCPOptions{MSS: mss, HasTimestamps: true, TSVal: 0xffff_fff0})
	s.tsval = 0xffff_fff8
	s.data(1, 10)
	s.tsval = 3 // wrapped around
	if f := s.data(11, 10); f[0].options.TSEcr != 0xffff_fff8 {
		t.Errorf("the first of two is %#x: echoed %#x", uint32(0xffff_fff8), f[0].options.TSEcr)
	}
	s.tsval = 9
	if f := s.data(31, 10); f[0].options.TSEcr != 0xffff_fff8 {
		t.Errorf("behind a gap: echoed %#x", f[0].options.TSEcr)
	}
	s.tsval = 5
	if f := s.data(21, 10); f[0].options.TSEcr != 5 {
		t.Errorf("the gap: echoed %#x", f[0].options.TSEcr)
	}
	s.tsval = 4
	s.wantAck("older", s.data(41, 10), 41)
	s.wantAck("none", s.put(41, 1, ack, 10, inet.TCPOptions{}), 0)
	if s.counted(DropStamp) != 2 || len(s.received) != 40 {
		t.Errorf("counted %v, heard %d", s.Counters(), len(s.received))
	}
	s.now += 25 * 24 * 3600 * sec // RFC 7323 §5.5: too old to compare with
	s.data(41, 10)
	if len(s.received) != 50 {
		t.Errorf("heard %d after a long pause", len(s.received))
	}
}

// RFC 9293 §3.8.6.2.1: a window too small for a segment is not used, unless it is
// half of the largest one, or after a while.
func TestSillyWindow(t *testing.T) {
	s := established(t, Config{})
	s.window = 300
	s.ack(1)
	s.wantStarts("a small window", s.send(5*mss))
	f := s.wait()
	s.wantStarts("after a while", f, 1)
	if f[0].content != 300 || s.counted(CountProbes) != 1 {
		t.Errorf("segments of %d, counted %v", f[0].content, s.Counters())
	}
	s.window = 2300
	f = s.ack(301)
	s.wantStarts("whole segments of a window", f, 301, 1301)
	s = newScript(t, Config{NoTimestamps: true})
	s.window = 1800
	s.Open(s.now, &s.eff)
	s.frames()
	s.synAck(optionsMSS)
	s.wantStarts("the first of a window of 1800", s.send(5*mss), 1)
	s.window = 950
	if f = s.ack(1001); len(f) != 1 || f[0].content != 950 {
		t.Errorf("more than half of the largest window: %+v", f)
	}
}

// RFC 9293 §3.8.6.1: a closed window is probed at doubling intervals for as long
// as it is confirmed; what a probe carried goes again when it opens.
func TestClosedWindow(t *testing.T) {
	s := established(t, Config{Retries: 3})
	s.window = 0
	s.ack(1)
	s.wantStarts("a closed window", s.send(5*mss))
	before, gap := s.now, units.Time(s.rtt.rto)
	for i := range 12 {
		f := s.wait()
		if len(f) != 1 || f[0].seq != 1 || f[0].content != 1 {
			t.Fatalf("probe %d: %+v", i, f)
		}
		if s.now-before != gap {
			t.Errorf("probe %d after %v, want %v", i, s.now-before, gap)
		}
		before, gap = s.now, min(2*gap, 60*sec)
		s.wantStarts("still closed", s.ack(1))
	}
	s.wantWindow("probes", 10*mss, MaxWindow)
	s.window = 60000
	s.wantStarts("open", s.ack(1), places(1, 5)...)
	s.window = 0
	s.ack(1 + 5*mss)
	s.send(2)
	s.wait()
	s.window = 60000
	s.wantStarts("the byte of the probe was taken", s.ack(2+5*mss), 2+5*mss)
	s.window = 0
	s.ack(3 + 5*mss)
	s.send(1)
	for range 4 {
		s.wait()
	}
	s.wantState("probes without an answer", Closed)
}

// A FIN behind a closed window is the probe.
func TestFinBehindClosedWindow(t *testing.T) {
	s := established(t, Config{})
	s.window = 0
	s.ack(1)
	s.Close(s.now, &s.eff)
	s.wantStarts("closed", s.frames())
	if f := s.wait(); len(f) != 1 || f[0].flags&fin == 0 || s.State() != FinWait1 {
		t.Errorf("probe %+v in %v", f, s.State())
	}
	s.ack(2)
	s.wantState("acknowledged", FinWait2)
}

// A FIN takes a sequence number: where the peer's window has none left, it waits,
// also when what precedes it is sent, probed with, or sent again.
func TestFinWaitsForWindow(t *testing.T) {
	s := established(t, Config{})
	s.window = 0
	s.ack(1)
	s.send(1)
	s.Close(s.now, &s.eff)
	if f := s.wait(); len(f) != 1 || f[0].content != 1 || f[0].flags&fin != 0 {
		t.Errorf("probe %+v", f)
	}
	s = established(t, Config{})
	s.window = 0
	s.ack(1)
	s.send(mss)
	s.Close(s.now, &s.eff)
	s.window = mss
	if f := s.ack(1); len(f) != 1 || f[0].content != mss || f[0].flags&fin != 0 {
		t.Errorf("a window of one segment: %+v", f)
	}
	for range 2 {
		s.ack(1)
	}
	if f := s.ack(1); len(f) != 1 || f[0].content != mss || f[0].flags&fin != 0 {
		t.Errorf("the segment again: %+v", f)
	}
	s.wantState("the FIN waits", Established)
	if f := s.ack(1 + mss); len(f) != 1 || f[0].seq != 1+mss || f[0].flags&fin == 0 {
		t.Errorf("the window moves: %+v", f)
	}
}

// A window told by an older segment than the last one is ignored (RFC 9293
// §3.10.7.4, SND.WL1 and SND.WL2).
func TestOldWindow(t *testing.T) {
	s := established(t, Config{})
	s.data(1, 10)
	s.window = 100
	s.put(1, 1, ack, 0, inet.TCPOptions{}) // overtaken by the data
	if s.tx.wnd != 60000 {
		t.Errorf("window %d", s.tx.wnd)
	}
}

// After going back, acknowledgements keep a sequence number that the peer takes.
func TestAckAfterGoingBack(t *testing.T) {
	s := established(t, Config{})
	s.send(5 * mss)
	s.wait()
	if f := s.data(1+mss, 10); f[0].seq != 1+5*mss {
		t.Errorf("acknowledgement from %d", f[0].seq)
	}
}
