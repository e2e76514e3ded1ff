package newreno

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// segment is one frame that arrived.
type segment struct {
	span            // bytes; at is valid once locate was called
	seq, ack seqnum // as on the wire
	ackAt    offset // what ack means, once locate was called
	flags    uint8
	ce       bool // it met congestion
	window   uint16
	options  inet.TCPOptions
}

func (s *segment) has(flag uint8) bool { return s.flags&flag != 0 }
func (s *segment) fin() bool           { return s.has(inet.TCPFin) }
func (s *segment) size() int           { return len(s.body) + s.unstored }

// length returns SEG.LEN of RFC 9293: the sequence numbers that it takes.
func (s *segment) length() (n offset) {
	n = offset(s.size())
	if s.has(inet.TCPSyn) {
		n++
	}
	if s.fin() {
		n++
	}
	return n
}

// locate finds the places in both streams that the segment speaks of, once both
// initial sequence numbers are known. Bytes with a SYN lie behind it.
func (c *Conn) locate(s *segment) {
	s.at = s.seq.offset(c.rx.irs, c.rx.nxt)
	if s.has(inet.TCPSyn) {
		s.at++
	}
	s.ackAt = s.ack.offset(c.tx.isn, c.tx.una)
}

// parse reads the headers of a train that the peer sent. It is false, and the
// frames are counted, where it is none of this connection or makes no sense.
func (c *Conn) parse(t *sansio.Train) (s segment, ok bool) {
	drop := func(reason string) (segment, bool) {
		c.count.Add(reason, uint64(t.Frames()))
		return segment{}, false
	}
	l, problem := t.Layout()
	if problem != inet.OK || l.Proto != inet.ProtoTCP || !c.fromPeer(inet.FlowOf(t.Header, l)) {
		return drop(DropForeign)
	}
	if l.Body != len(t.Header) {
		return drop(DropMalformed)
	}
	tcp := inet.TCP(t.Header[l.Transport:])
	ip := inet.IPv4(t.Header[inet.EtherLen:])
	s = segment{seq: seqnum(tcp.Seq()), ack: seqnum(tcp.Ack()), flags: tcp.Flags(), ce: ip.ECN() == inet.CE, window: tcp.Window()}
	if t.Checksum == sansio.ChecksumAsIs && t.Unstored == 0 && !tcp.ChecksumOK(ip, t.Body[:min(len(t.Body), l.End-l.Body)]) {
		return drop(DropChecksum)
	}
	if s.options, ok = tcp.Options(); !ok || s.has(inet.TCPSyn) && !t.Single() {
		return drop(DropMalformed)
	}
	return s, true
}

// fromPeer reports whether a flow is the peer's of this connection.
func (c *Conn) fromPeer(f inet.Flow) bool {
	own := &c.cfg.Flow
	return f.Src == own.Dst && f.Dst == own.Src && f.SrcPort == own.DstPort && f.DstPort == own.SrcPort
}

// frame returns the segment that is frame i of a train with these headers.
func (s segment) frame(t *sansio.Train, i int) segment {
	frames := t.Frames()
	s.body, s.unstored = t.Payload(i), max(t.Unstored, 0)
	if frames == 1 { // an Ethernet frame may be longer than its packet
		ip := inet.IPv4(t.Header[inet.EtherLen:])
		packet := inet.EtherLen + ip.TotalLen() - len(t.Header)
		s.body = s.body[:min(len(s.body), packet)]
		s.unstored = min(s.unstored, packet-len(s.body))
	}
	s.seq += seqnum(i * (t.Seg + t.Unstored))
	if i < frames-1 {
		s.flags &^= inet.TCPFin | inet.TCPPsh
	}
	if i > 0 {
		s.flags &^= inet.TCPCwr
	}
	return s
}

// optionBytes returns the length of the options of every segment without SYN.
func (c *Conn) optionBytes() int {
	return inet.TCPOptions{HasTimestamps: c.stamps}.Len()
}

// Bounds of what a peer may say.
const (
	// defaultMSS is that of a peer that says none (RFC 9293 §3.7.1).
	defaultMSS = 536
	// minMSS is the payload that an MTU of MinMTU leaves behind timestamps.
	minMSS = 16
	// maxScale is the largest shift of windows (RFC 7323 §2.3).
	maxScale = 14
)

// ownMSS returns the longest segment that this end takes, options included.
func (c *Conn) ownMSS() int { return c.cfg.MTU - inet.IPv4Len - inet.TCPLen }

// ownScale returns the shift with which the receive buffer fits the field.
func (c *Conn) ownScale() (shift uint8) {
	for c.cfg.RcvBuf>>shift > maxField {
		shift++
	}
	return min(shift, maxScale)
}

// takeOptions takes the options of the peer's SYN (RFC 7323 §2.2, §3.2; RFC 9293 §3.7.1).
func (c *Conn) takeOptions(now units.Time, s *segment) {
	o := s.options
	c.stamps = o.HasTimestamps && !c.cfg.NoTimestamps
	c.rx.stamp, c.rx.stampAt = o.TSVal, now
	c.tx.scale, c.rx.scale, c.offered = 0, 0, o.HasWindowScale
	if o.HasWindowScale {
		c.tx.scale, c.rx.scale = min(o.WindowScale, maxScale), c.ownScale()
	}
	mss := defaultMSS
	if o.MSS != 0 {
		mss = int(o.MSS)
	}
	c.mss = units.Bytes(max(min(mss, c.ownMSS())-c.optionBytes(), minMSS))
	c.header = inet.TCPHeader(c.cfg.Flow, c.optionBytes())
	c.maxBody = MaxMTU - len(c.header)
	c.rx.irs, c.rx.nxt = s.seq, 1
	c.tx.wnd = offset(s.window) // that of a SYN is never scaled
	c.tx.largest, c.tx.wl1, c.tx.wl2 = c.tx.wnd, 0, c.tx.una
}
