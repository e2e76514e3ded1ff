package newreno

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Handle takes a train of segments from the network. Bytes that are in order are
// handed to deliver, with the number of unstored bytes behind them;
// body is memory of the train or of the connection, and valid until the effects
// have been carried out. deliver may call Write and Close.
func (c *Conn) Handle(now units.Time, t *sansio.Train, eff *sansio.Effects, deliver func(body []byte, unstored int)) {
	head, ok := c.parse(t)
	if !ok {
		return
	}
	for i := range t.Frames() {
		s := head.frame(t, i)
		c.segment(now, &s, eff, deliver)
	}
}

// segment takes one segment, sends what it allows, and at last the
// acknowledgement, if that did not go along.
func (c *Conn) segment(now units.Time, s *segment, eff *sansio.Effects, deliver func([]byte, int)) {
	switch c.state {
	case Closed:
		c.reset(s, eff)
	case Listen:
		c.listen(now, s, eff)
	case SynSent:
		c.synSent(now, s, eff)
	default:
		c.synchronized(now, s, eff, deliver)
	}
	c.fill(now, eff)
	if c.rx.ackNow && !c.ended {
		c.sendAck(now, eff)
	}
}

// synchronized takes a segment in SYN-RECEIVED and later (RFC 9293 §3.10.7.4).
func (c *Conn) synchronized(now units.Time, s *segment, eff *sansio.Effects, deliver func([]byte, int)) {
	c.locate(s)
	c.checkSetup(s)
	if !c.acceptable(now, s) {
		return
	}
	if c.interrupted(s) || !s.has(inet.TCPAck) {
		return
	}
	if c.state == SynReceived && !c.confirm(now, s, eff) {
		return
	}
	c.keepTimestamp(now, s)
	if !c.acknowledge(now, s, eff) {
		return
	}
	if c.tx.fin && c.tx.una > c.tx.end {
		c.follow(now, onFinAcked)
	}
	c.data(now, s, eff, deliver)
}

// acceptable makes the checks that come first: timestamp (RFC 7323 §5.3) and
// window. What fails them is answered, so that a peer that missed an
// acknowledgement gets it. A segment without bytes may stand at the very end of
// the window: that is where a peer is that has filled it.
func (c *Conn) acceptable(now units.Time, s *segment) bool {
	rst := s.has(inet.TCPRst)
	if c.stamps && !rst && !s.options.HasTimestamps {
		c.count.Add(DropStamp, 1) // and nothing else (RFC 7323 §3.2)
		return false
	}
	start, edge := s.at, c.rx.nxt+c.window()
	if s.has(inet.TCPSyn) {
		start--
	}
	switch n := s.length(); {
	case c.stamps && !rst && now.Sub(c.rx.stampAt) < stampLife && stampBefore(s.options.TSVal, c.rx.stamp):
		c.count.Add(DropStamp, 1)
	case n == 0 && start >= c.rx.nxt && start <= edge:
		return true
	case n > 0 && start < edge && start+n > c.rx.nxt:
		return true
	default:
		c.count.Add(DropUnacceptable, 1)
	}
	c.rx.ackNow = c.rx.ackNow || !rst
	if c.state == TimeWait && s.fin() { // the last acknowledgement was lost
		c.gone = now.Add(c.cfg.TimeWait)
	}
	return false
}

// stampLife is how long a timestamp is compared with later ones (RFC 7323 §5.5).
const stampLife = 24 * 24 * 3600 * units.Second

// keepTimestamp keeps the timestamp of a segment that the next acknowledgement is for
// (RFC 7323 §4.3).
func (c *Conn) keepTimestamp(now units.Time, s *segment) {
	if c.stamps && s.at <= c.rx.last && !stampBefore(s.options.TSVal, c.rx.stamp) {
		c.rx.stamp, c.rx.stampAt = s.options.TSVal, now
	}
}

// interrupted takes a RST or a SYN inside the window. A reset must name the very
// next byte; all else is answered, so that the peer can do so (RFC 5961 §3, §4).
func (c *Conn) interrupted(s *segment) bool {
	switch {
	case s.has(inet.TCPRst) && s.at == c.rx.nxt:
		if c.state < Closing { // else there is nothing left to lose (RFC 9293 §3.10.7.4)
			c.count.Add(CountPeerReset, 1)
		}
		if c.state == SynReceived && c.cfg.Passive {
			c.relisten()
		} else {
			c.finish()
		}
	case s.has(inet.TCPRst | inet.TCPSyn):
		c.count.Add(DropUnacceptable, 1)
		c.rx.ackNow = true
	default:
		return false
	}
	return true
}

// acknowledge takes the acknowledgement and the window of a segment, and reports
// whether the rest of it is to be looked at.
func (c *Conn) acknowledge(now units.Time, s *segment, eff *sansio.Effects) bool {
	tx := &c.tx
	if s.ackAt > tx.max {
		c.count.Add(DropBadAck, 1)
		c.rx.ackNow = true
		return false
	}
	wnd := offset(s.window) << tx.scale
	repeated := s.ackAt == tx.una && tx.max > tx.una && s.length() == 0 && wnd == tx.wnd // RFC 5681 §2
	flight := tx.flight()
	echo := c.ecn.capable && s.has(inet.TCPEce) && s.ackAt >= tx.una
	if s.ackAt > tx.una {
		c.advance(now, s.ackAt, echo, eff)
	}
	if s.ackAt >= tx.una && (tx.wl1 < s.at || tx.wl1 == s.at && tx.wl2 <= s.ackAt) {
		c.setWindow(wnd)
		tx.wl1, tx.wl2 = s.at, s.ackAt
	}
	if repeated {
		if tx.wnd == 0 {
			tx.silent = 0 // a closed window may stay so as long as it is confirmed (RFC 9293 §3.8.6.1)
		} else if c.cc.duplicate(tx.una, tx.flight()) {
			c.count.Add(CountFast, 1)
			c.ecn.reduced = c.cc.enter(tx.una, tx.max) || c.ecn.reduced
			c.resend(now, eff)
		}
	}
	if echo {
		c.answerEcho(now, s.ackAt, flight)
	}
	return true
}

// flight returns what was sent and not acknowledged, but for what is being sent
// again after a timeout.
func (tx *sender) flight() units.Bytes { return units.Bytes(tx.nxt - tx.una) }

// setWindow takes the peer's window. Once it opens, what a probe carried is sent
// again in a whole segment, as a closed window had no room for it.
func (c *Conn) setWindow(wnd offset) {
	tx := &c.tx
	if tx.wnd == 0 && wnd > 0 && tx.probing {
		tx.nxt, tx.probing, tx.probes = tx.una, false, 0
		tx.timer = units.Never
	}
	tx.wnd, tx.largest = wnd, max(tx.largest, wnd)
}

// advance takes the acknowledgement of something new. One that echoes a mark leaves the
// window as it is (RFC 3168 §6.1.2).
func (c *Conn) advance(now units.Time, upTo offset, echo bool, eff *sansio.Effects) {
	tx, cc := &c.tx, &c.cc
	n, flight := units.Bytes(upTo-tx.una), tx.flight()
	c.rtt.acked(now, upTo)
	tx.una, tx.nxt = upTo, max(tx.nxt, upTo)
	tx.queue.release(min(upTo, tx.end))
	tx.silent, tx.probes, tx.probing = 0, 0, false
	cc.dups = 0
	restart := true
	switch {
	case !cc.recovering:
		if !echo {
			cc.grow(n, flight)
		}
	case upTo >= cc.recover:
		cc.leave(units.Bytes(tx.max - tx.una))
	default:
		c.count.Add(CountPartial, 1)
		restart = cc.partialAck(n) // RFC 6582 §3.2 step 3: for the first only
		c.resend(now, eff)
	}
	switch {
	case tx.nxt == tx.una: // RFC 6298 (5.2)
		tx.timer = units.Never
	case restart: // (5.3)
		c.setTimer(now)
	}
}
