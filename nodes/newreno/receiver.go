package newreno

import (
	"slices"
	"sort"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// receiver is the receiving half.
type receiver struct {
	irs   seqnum
	nxt   offset // place expected next
	last  offset // place that was acknowledged last
	scale uint8  // of the windows that this end tells
	queue []span // behind the gap at nxt; in order, without overlap
	fin   offset // of the peer's FIN, or 0

	owed    units.Bytes // that came since the last acknowledgement
	full    units.Bytes // longest segment so far
	ackNow  bool
	delayed units.Time // when to acknowledge at the latest, or never

	stamp   uint32 // newest timestamp in order, to be echoed
	stampAt units.Time
}

// acked takes down that all up to nxt is being acknowledged.
func (rx *receiver) acked() {
	rx.last, rx.owed, rx.ackNow, rx.delayed = rx.nxt, 0, false, units.Never
}

// windowField returns the window as a header tells it. It is always the same: a
// buffer that is emptied at once holds nothing but what lies behind a gap, and
// that is inside the window.
func (c *Conn) windowField() uint16 { return uint16(min(c.cfg.RcvBuf>>c.rx.scale, maxField)) }

// maxField is the largest window without scaling.
const maxField = 0xffff

// window returns how many bytes behind nxt are taken.
func (c *Conn) window() offset { return offset(c.windowField()) << c.rx.scale }

// data takes the bytes and the FIN of an acceptable segment.
func (c *Conn) data(now units.Time, s *segment, eff *sansio.Effects, deliver func([]byte, int)) {
	rx := &c.rx
	if !c.state.receives() {
		return
	}
	c.takeMark(s)
	if s.fin() && rx.fin == 0 && s.end() < rx.nxt+c.window() {
		rx.fin = s.end()
	}
	if s.size() > 0 {
		rx.full = max(rx.full, units.Bytes(s.size()))
		c.bytes(now, c.clip(s.span), eff, deliver)
	}
	if rx.fin != 0 && rx.nxt == rx.fin {
		rx.nxt++
		rx.ackNow, rx.queue = true, nil
		c.follow(now, onFinReceived)
	} else if s.fin() && s.size() == 0 { // what precedes it is missing
		c.sendAck(now, eff)
	}
}

// clip cuts off what came before and what lies behind the window or the FIN.
func (c *Conn) clip(p span) span {
	edge := c.rx.nxt + c.window()
	if c.rx.fin != 0 {
		edge = min(edge, c.rx.fin)
	}
	size := p.end() - p.at
	if excess := p.end() - edge; excess > 0 {
		size = max(0, size-excess)
		p = p.first(int(size))
	}
	if old := c.rx.nxt - p.at; old > 0 {
		p = p.tail(int(min(old, size)))
	}
	return p
}

// bytes delivers what is in order and keeps what is not.
func (c *Conn) bytes(now units.Time, p span, eff *sansio.Effects, deliver func([]byte, int)) {
	rx := &c.rx
	if p.at > rx.nxt {
		if !rx.keep(p) {
			c.count.Add(DropOutOfOrder, 1)
		}
		c.sendAck(now, eff) // at once, and with nothing else, to count as a duplicate (RFC 5681 §4.2)
		return
	}
	gap := len(rx.queue) > 0
	c.deliverSpan(p, deliver)
	n := 0
	for n < len(rx.queue) && rx.queue[n].at <= rx.nxt {
		if q := rx.queue[n]; q.end() > rx.nxt {
			c.deliverSpan(q.tail(int(rx.nxt-q.at)), deliver)
		}
		n++
	}
	rx.queue = slices.Delete(rx.queue, 0, n)
	if rx.nxt == rx.last { // a caller's answer has carried the acknowledgement
		return
	}
	if gap || c.cfg.DelayedAck < 0 || rx.owed >= 2*rx.full {
		rx.ackNow = true
	} else if rx.delayed == units.Never {
		rx.delayed = now.Add(c.cfg.DelayedAck)
	}
}

// deliverSpan delivers what lies at nxt.
func (c *Conn) deliverSpan(p span, deliver func([]byte, int)) {
	if p.end() == p.at {
		return
	}
	c.rx.nxt = p.end()
	c.rx.owed += units.Bytes(p.end() - p.at)
	deliver(p.body, p.unstored)
}

// keep puts what is not there yet of a piece into the queue, as a copy. It is
// false where there were too many pieces for all of it.
func (rx *receiver) keep(p span) bool {
	i := sort.Search(len(rx.queue), func(i int) bool { return rx.queue[i].end() > p.at })
	for p.end() > p.at {
		hole := p
		if i < len(rx.queue) {
			q := rx.queue[i]
			hole = p.first(int(min(max(q.at-p.at, 0), p.end()-p.at)))
			p = p.tail(int(min(q.end()-p.at, p.end()-p.at)))
		} else {
			p = p.tail(int(p.end() - p.at))
		}
		if hole.end() > hole.at {
			if len(rx.queue) == MaxOutOfOrder {
				return false
			}
			hole.body = slices.Clone(hole.body)
			rx.queue = slices.Insert(rx.queue, i, hole)
			i++
		}
		i++
	}
	return true
}
