package newreno

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// sendSyn sends the SYN of SYN-SENT or the SYN and ACK of SYN-RECEIVED, for the
// first time or again. What this end can is offered; in an answer, what the peer
// offered (RFC 7323 §2.2, §3.2).
func (c *Conn) sendSyn(now units.Time, eff *sansio.Effects) {
	o := inet.TCPOptions{
		MSS: uint16(c.ownMSS()), HasTimestamps: !c.cfg.NoTimestamps, TSVal: stamp(now),
		HasWindowScale: true, WindowScale: c.ownScale(),
	}
	flags := inet.TCPSyn
	if c.state == SynReceived {
		flags |= inet.TCPAck
		o.HasTimestamps, o.TSEcr = c.stamps, c.rx.stamp
		o.HasWindowScale = c.offered
	}
	h := copyOf(inet.TCPHeader(c.cfg.Flow, o.Len()), eff)
	tcp := inet.TCP(h[inet.EtherLen+inet.IPv4Len:])
	tcp.SetSeq(uint32(c.tx.isn))
	if c.state == SynReceived {
		tcp.SetAck(uint32(c.rx.nxt.seqnum(c.rx.irs)))
		c.rx.acked()
	}
	tcp.SetFlags(flags | c.setupFlags())
	tcp.SetWindow(uint16(min(c.cfg.RcvBuf, maxField)))
	o.Put(tcp[inet.TCPLen:])
	c.emit(sansio.Train{Header: h, Checksum: sansio.ChecksumPartial}, 0, eff)
	if c.tx.max == 0 {
		c.rtt.begin(now, 1)
	}
	c.tx.nxt, c.tx.max = 1, 1
	c.setTimer(now)
}

// listen takes a segment in LISTEN (RFC 9293 §3.10.7.2).
func (c *Conn) listen(now units.Time, s *segment, eff *sansio.Effects) {
	switch {
	case s.has(inet.TCPRst):
	case s.has(inet.TCPAck):
		c.reset(s, eff)
	case s.has(inet.TCPSyn):
		c.takeOptions(now, s)
		c.negotiate(s)
		c.state = SynReceived
		c.sendSyn(now, eff)
	default:
		c.count.Add(DropUnacceptable, 1)
	}
}

// synSent takes a segment in SYN-SENT (RFC 9293 §3.10.7.3).
func (c *Conn) synSent(now units.Time, s *segment, eff *sansio.Effects) {
	answer := s.has(inet.TCPAck)
	if answer && s.ack.offset(c.tx.isn, 0) != c.tx.max {
		c.reset(s, eff)
		return
	}
	switch {
	case s.has(inet.TCPRst):
		if answer {
			c.count.Add(CountPeerReset, 1)
			c.finish()
		}
	case !s.has(inet.TCPSyn):
		c.count.Add(DropUnacceptable, 1)
	case answer:
		c.takeOptions(now, s)
		c.negotiate(s)
		c.rtt.acked(now, 1)
		c.tx.una = 1
		c.begin()
		c.rx.ackNow = true
	default: // both ends open at once
		c.takeOptions(now, s)
		c.negotiate(s)
		c.state = SynReceived
		c.sendSyn(now, eff)
	}
}

// confirm takes the acknowledgement of a SYN in SYN-RECEIVED and reports whether
// it is one (RFC 9293 §3.10.7.4).
func (c *Conn) confirm(now units.Time, s *segment, eff *sansio.Effects) bool {
	if s.ackAt != c.tx.max {
		c.reset(s, eff)
		return false
	}
	c.rtt.acked(now, 1)
	c.tx.una, c.tx.wnd = 1, offset(s.window)<<c.tx.scale
	c.tx.largest = max(c.tx.largest, c.tx.wnd)
	c.tx.wl1, c.tx.wl2 = s.at, s.ackAt
	c.begin()
	return true
}

// relisten takes a passive end back to LISTEN, when the peer of a handshake gives
// it up. What was written waits on.
func (c *Conn) relisten() {
	c.state, c.synLost = Listen, false
	c.tx.una, c.tx.nxt, c.tx.max = 0, 0, 0
	c.tx.timer, c.tx.silent = units.Never, 0
	c.rx, c.ecn = receiver{delayed: units.Never}, ecn{}
	c.rtt = estimator{rto: c.cfg.InitialRTO, min: c.cfg.MinRTO, max: c.cfg.MaxRTO}
}

// reset answers a segment that can be of no connection here (RFC 9293 §3.5.2).
func (c *Conn) reset(s *segment, eff *sansio.Effects) {
	if s.has(inet.TCPRst) {
		return
	}
	c.count.Add(CountResets, 1)
	h := copyOf(inet.TCPHeader(c.cfg.Flow, 0), eff)
	tcp := inet.TCP(h[inet.EtherLen+inet.IPv4Len:])
	if s.has(inet.TCPAck) {
		tcp.SetSeq(uint32(s.ack))
		tcp.SetFlags(inet.TCPRst)
	} else {
		tcp.SetAck(uint32(s.seq) + uint32(s.length()))
		tcp.SetFlags(inet.TCPRst | inet.TCPAck)
	}
	c.emit(sansio.Train{Header: h, Checksum: sansio.ChecksumPartial}, 0, eff)
}
