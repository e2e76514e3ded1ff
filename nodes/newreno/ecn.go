package newreno

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// ecn is the state of explicit congestion notification, both halves of a connection:
//
//	capable: new data, ECT(0) ----> a queue: CE ----> echo = true
//	window halved, reduced = true <---- ECE on all segments
//	new data at cwr, with CWR ----------------------> echo = false
//
// Sections are those of RFC 3168.
type ecn struct {
	echoes  bool   // marks are echoed: this end wants ECN, and the peer never refused
	capable bool   // new data say that they can be marked: besides, this end never refused
	echo    bool   // ECE goes on every segment
	reduced bool   // the congestion window fell, and the peer was not told
	cwr     offset // of the segment that told it last
}

// setupFlags returns the flags by which the SYN of SYN-SENT offers ECN, or the one of
// SYN-RECEIVED agrees (§6.1.1). As in Linux, a SYN that goes again no longer offers it:
// something on the way may have dropped the first one because of it (§6.1.1.1).
func (c *Conn) setupFlags() uint8 {
	switch {
	case c.state == SynReceived && c.ecn.echoes:
		return inet.TCPEce
	case c.state == SynSent && c.cfg.ECN && !c.synLost:
		return inet.TCPEce | inet.TCPCwr
	}
	return 0
}

// isSetup reports whether a SYN offers ECN, or a SYN and ACK agrees. An answer with both
// flags is one of a peer that sends back what it gets (§6.1.1).
func (s *segment) isSetup() bool {
	want := inet.TCPEce | inet.TCPCwr
	if s.has(inet.TCPAck) {
		want = inet.TCPEce
	}
	return s.flags&(inet.TCPEce|inet.TCPCwr) == want
}

// negotiate takes the offer or the answer in the peer's SYN (§6.1.1). An end that once
// sent a SYN without offer echoes marks if the peer agreed to the earlier one, but its
// own data do not say ECT.
func (c *Conn) negotiate(s *segment) {
	c.ecn.echoes = c.cfg.ECN && s.isSetup()
	c.ecn.capable = c.ecn.echoes && !c.synLost
}

// checkSetup takes back what was negotiated where the SYN comes again without it.
func (c *Conn) checkSetup(s *segment) {
	if c.state == SynReceived && s.has(inet.TCPSyn) && s.seq == c.rx.irs && !s.isSetup() {
		c.ecn.echoes, c.ecn.capable = false, false
	}
}

// takeMark takes CWR and CE of a segment in the window, in this order (§6.1.3). Like
// Linux, it has data with CWR acknowledged at once: the sender may have nothing else on
// its way.
func (c *Conn) takeMark(s *segment) {
	if !c.ecn.echoes {
		return
	}
	if s.has(inet.TCPCwr) {
		c.ecn.echo = false
		c.rx.ackNow = c.rx.ackNow || s.size() > 0
	}
	if s.ce && s.size() > 0 {
		c.count.Add(CountMarks, 1)
		c.ecn.echo = true
	}
}

// echoFlag returns the flag that every segment carries behind a mark.
func (e *ecn) echoFlag() uint8 {
	if e.echo {
		return inet.TCPEce
	}
	return 0
}

// sayReduced returns the flag of new data at that place. The first behind a reduction
// says so (§6.1.2).
func (e *ecn) sayReduced(at offset) uint8 {
	if !e.reduced {
		return 0
	}
	e.reduced, e.cwr = false, at
	return inet.TCPCwr
}

// answerEcho reduces the window, once per window of data, be it lost or marked: not
// again before what carried CWR is acknowledged. Echoes in recovery wait until it is
// over. A window of one segment cannot be halved: the next segment waits for a
// retransmission timeout (§6.1.2).
func (c *Conn) answerEcho(now units.Time, upTo offset, flight units.Bytes) {
	c.count.Add(CountEchoes, 1)
	if flight == 0 || c.cc.recovering || c.ecn.reduced || upTo <= c.ecn.cwr {
		return
	}
	c.count.Add(CountReductions, 1)
	c.ecn.reduced = true
	if !c.cc.mark(flight, c.tx.max) {
		return
	}
	c.setTimer(now)
	if c.tx.held = c.tx.timer; c.tx.nxt == c.tx.una {
		c.tx.timer = units.Never
	}
}
