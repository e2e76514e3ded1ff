package newreno

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// part is what one segment holds: bytes with content, unstored ones behind them, a FIN.
type part struct {
	content, unstored int
	fin               bool
}

func (p part) size() int { return p.content + p.unstored }

// next returns the place behind the part, given its start.
func (p part) next(from offset) offset {
	from += offset(p.size())
	if p.fin {
		from++
	}
	return from
}

// take returns a segment from that place on, of at most limit bytes.
func (c *Conn) take(from offset, limit int) (p part) {
	p.content, p.unstored = c.tx.queue.cut(from, limit)
	p.fin = c.tx.fin && from+offset(p.size()) == c.tx.end
	return p
}

// ownLimit returns the place up to which this end allows itself to send.
func (c *Conn) ownLimit() offset {
	w := min(c.cc.window(c.tx.nxt == c.tx.max), max(c.cfg.SndWindow, c.mss))
	return c.tx.una + offset(w)
}

// permitted returns the segment that may be sent from a place on, and false where
// none may. It is cut short by the peer's window only if that leaves half of the
// largest window there was (RFC 9293 §3.8.6.2.1).
func (c *Conn) permitted(from offset) (p part, ok bool) {
	if from > c.tx.end || from == c.tx.end && !c.tx.fin || from >= c.tx.max && c.tx.held != units.Never {
		return part{}, false
	}
	p = c.take(from, int(c.mss))
	edge := c.tx.una + c.tx.wnd
	if p.fin && p.next(from) > edge && p.size() > 0 {
		p.fin = false // by itself, when there is room
	}
	if from+offset(p.size()) > c.ownLimit() {
		return part{}, false
	}
	if p.next(from) <= edge {
		return p, true
	}
	if usable := edge - from; usable > 0 && 2*usable >= c.tx.largest {
		return c.take(from, int(usable)), true
	}
	return part{}, false
}

// fill sends what the windows allow, in trains, and sees to the timer.
func (c *Conn) fill(now units.Time, eff *sansio.Effects) {
	tx := &c.tx
	if !c.state.sends() {
		return
	}
	if tx.una == tx.max && now.Sub(tx.spoke) > c.rtt.rto {
		c.cc.idle()
	}
	for c.sendTrain(now, eff) {
	}
	waits := tx.nxt < tx.end || tx.fin && tx.nxt == tx.end
	if tx.timer == units.Never && (tx.nxt > tx.una || waits && tx.held == units.Never) {
		c.setTimer(now)
	}
}

// sendTrain sends as many segments of one size as may be sent from nxt on. The
// last may be shorter, or have the FIN.
func (c *Conn) sendTrain(now units.Time, eff *sansio.Effects) bool {
	first, ok := c.permitted(c.tx.nxt)
	if !ok {
		return false
	}
	fresh := c.tx.nxt >= c.tx.max && first.size() > 0
	count, content, size := 1, first.content, first.size()
	at, last := first.next(c.tx.nxt), first
	for count < sansio.MaxTrainFrames && last == first && first.content > 0 {
		p, ok := c.permitted(at)
		joins := ok && p.content > 0 && p.content <= first.content && p.unstored == first.unstored && size+p.size() <= c.maxBody
		if !joins || c.ecn.capable && !fresh && at >= c.tx.max { // one train is new data or old
			break
		}
		count, content, size = count+1, content+p.content, size+p.size()
		at, last = p.next(at), p
	}
	run := run{from: c.tx.nxt, count: count, content: content, first: first, fin: last.fin, fresh: fresh}
	c.send(now, run, eff)
	if run.from >= c.tx.max {
		c.rtt.begin(now, first.next(run.from))
	}
	c.tx.nxt = at
	c.sent(now, at)
	return true
}

// sent takes down that all before that place has been sent.
func (c *Conn) sent(now units.Time, upTo offset) {
	c.tx.max, c.tx.spoke = max(c.tx.max, upTo), now
	if c.tx.fin && c.tx.max > c.tx.end {
		c.follow(now, onFinSent)
	}
}

// run is segments of one size, one behind the other.
type run struct {
	from    offset
	count   int
	content int // of all
	first   part
	fin     bool // the last has one
	fresh   bool // data that were never sent, and no probe
}

// send emits a train. The content of all of its segments lies one behind another;
// in the stream their unstored bytes lie between.
func (c *Conn) send(now units.Time, r run, eff *sansio.Effects) {
	body := eff.Body(r.content)
	if stride := r.first.content; r.first.unstored == 0 || r.count == 1 {
		c.tx.queue.read(r.from, body)
	} else {
		for i, at := 0, r.from; i < r.content; i, at = i+stride, at+offset(r.first.size()) {
			c.tx.queue.read(at, body[i:min(i+stride, r.content)])
		}
	}
	size := r.content + r.count*r.first.unstored
	flags := inet.TCPAck
	if r.fin {
		flags |= inet.TCPFin
	}
	if r.from+offset(size) >= c.tx.end {
		flags |= inet.TCPPsh
	}
	capable := c.ecn.capable && r.fresh
	if capable {
		flags |= c.ecn.sayReduced(r.from)
	}
	c.count.Add(CountSegments, uint64(r.count))
	if r.from < c.tx.max {
		again := (int(c.tx.max-r.from) + r.first.size() - 1) / max(r.first.size(), 1)
		segments := uint64(min(r.count, max(again, 1)))
		c.count.Add(CountAgain, segments)
		c.count.Resent(segments, units.Bytes(min(r.from+offset(size), c.tx.max)-r.from))
	}
	t := sansio.Train{
		Header: c.segmentHeader(now, r.from, flags, eff), Body: body, Unstored: r.first.unstored,
		Checksum: sansio.ChecksumPartial, Memory: eff.Owner(body),
	}
	if capable {
		inet.IPv4(t.Header[inet.EtherLen:]).SetECN(inet.ECT0)
	}
	if r.count > 1 {
		t.Seg = r.first.content
	}
	c.emit(t, size, eff)
}

// segmentHeader returns the headers of a segment with all but its lengths. It
// carries the acknowledgement that was owed, if any.
func (c *Conn) segmentHeader(now units.Time, at offset, flags uint8, eff *sansio.Effects) []byte {
	h := copyOf(c.header, eff)
	tcp := inet.TCP(h[inet.EtherLen+inet.IPv4Len:])
	tcp.SetSeq(uint32(at.seqnum(c.tx.isn)))
	tcp.SetAck(uint32(c.rx.nxt.seqnum(c.rx.irs)))
	tcp.SetFlags(flags | c.ecn.echoFlag())
	tcp.SetWindow(c.windowField())
	if c.stamps {
		inet.TCPOptions{HasTimestamps: true, TSVal: stamp(now), TSEcr: c.rx.stamp}.Put(tcp[inet.TCPLen:])
	}
	c.rx.acked()
	return h
}

// copyOf returns a header like template that lives as long as the effects.
func copyOf(template []byte, eff *sansio.Effects) []byte {
	h := eff.Header(len(template))
	copy(h, template)
	return h
}

// emit sends a train whose header lacks nothing but lengths; size is that of its frames'
// bodies, unstored bytes included.
func (c *Conn) emit(t sansio.Train, size int, eff *sansio.Effects) {
	inet.SetTCPBody(t.Header, size)
	sansio.FillPartial(t.Header, size)
	eff.Send(c.cfg.Out, t)
}

// sendAck sends an acknowledgement by itself. Its sequence number is one that the
// peer accepts, also after this end has gone back: its highest, as far as the
// peer's window reaches.
func (c *Conn) sendAck(now units.Time, eff *sansio.Effects) {
	at := min(c.tx.max, c.tx.una+c.tx.wnd)
	c.count.Add(CountAcks, 1)
	c.emit(sansio.Train{Header: c.segmentHeader(now, at, inet.TCPAck, eff), Checksum: sansio.ChecksumPartial}, 0, eff)
}

// resend sends the first segment that is not acknowledged again, whatever the
// windows say.
func (c *Conn) resend(now units.Time, eff *sansio.Effects) {
	tx := &c.tx
	p := c.take(tx.una, int(min(offset(c.mss), tx.max-tx.una)))
	p.fin = p.fin && tx.max > tx.end
	c.rtt.discard()
	c.send(now, run{from: tx.una, count: 1, content: p.content, first: p, fin: p.fin}, eff)
}

// stampTick is the clock of timestamps, the finest that RFC 7323 §5.4 allows.
const stampTick = units.Millisecond

func stamp(now units.Time) uint32 { return uint32(int64(now) / int64(stampTick)) }
