package roce

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/roce"
)

// message is what one Write gave: bytes with content, then unstored ones.
type message struct {
	first    uint64 // PSN of its first packet
	packets  uint64
	body     []byte
	unstored int
}

func (m *message) size() int { return len(m.body) + m.unstored }

// part returns the content of a packet of the message and how many unstored
// bytes follow it.
func (m *message) part(seq uint64, pathMTU int) (body []byte, unstored int) {
	lo := int(seq-m.first) * pathMTU
	hi := min(lo+pathMTU, m.size())
	body = m.body[min(lo, len(m.body)):min(hi, len(m.body))]
	return body, hi - lo - len(body)
}

// sender is the requester's half. Messages from the one that holds PSN acked on
// are kept.
type sender struct {
	messages []message
	head     int         // index of the oldest message that is not acknowledged
	at       int         // index of the message that PSN next is in
	buffered units.Bytes // of messages from head on

	acked   uint64 // all PSNs below are acknowledged
	next    uint64 // PSN to send next
	highest uint64 // all PSNs from here on were never sent
	end     uint64 // behind the last packet that was written

	line units.Serializer
	free units.Time // when the line has sent all so far
	pace units.Time // when the next burst is due, or never

	deadline units.Time // of the retransmission timer, or never
	timeouts int        // in a row, without progress
	failed   bool
}

// append adds a message. The content is copied.
func (s *sender) append(body []byte, unstored, pathMTU int) {
	m := message{first: s.end, body: append([]byte(nil), body...), unstored: unstored}
	m.packets = uint64((m.size() + pathMTU - 1) / pathMTU)
	s.messages = append(s.messages, m)
	s.buffered += units.Bytes(m.size())
	s.end += m.packets
}

// release forgets messages that are acknowledged as a whole. What is left is
// moved only when half of the list is free, so that an entry is moved once on
// average.
func (s *sender) release() {
	for s.head < len(s.messages) {
		m := &s.messages[s.head]
		if m.first+m.packets > s.acked {
			break
		}
		s.buffered -= units.Bytes(m.size())
		m.body = nil
		s.head++
	}
	s.at = max(s.at, s.head)
	if s.head > len(s.messages)/2 {
		n := copy(s.messages, s.messages[s.head:])
		clear(s.messages[n:])
		s.messages, s.at, s.head = s.messages[:n], s.at-s.head, 0
	}
}

// Write sends a message of the bytes of body and of unstored ones. Nothing of body is kept.
func (c *Conn) Write(now units.Time, body []byte, unstored int, eff *sansio.Effects) {
	size := units.Bytes(len(body) + unstored)
	switch {
	case size == 0:
		return
	case c.tx.buffered+size > c.cfg.Buffer:
		c.count.Add(DropBuffer, 1)
		return
	case c.tx.failed:
		c.count.Add(DropFailed, 1)
		return
	}
	c.tx.append(body, unstored, c.cfg.PathMTU)
	c.fill(now, eff)
}

// fill sends packets as far as the window allows, in bursts at the line's rate.
func (c *Conn) fill(now units.Time, eff *sansio.Effects) {
	tx := &c.tx
	if tx.failed {
		return
	}
	tx.pace = units.Never
	for limit := min(tx.end, tx.acked+c.window); tx.next < limit; {
		if now < tx.free {
			tx.pace = tx.free
			return
		}
		c.burst(now, min(limit, tx.next+uint64(c.cfg.AckEvery)), eff)
	}
}

// burst sends packets up to a PSN, and reckons when the line has sent them.
func (c *Conn) burst(now units.Time, limit uint64, eff *sansio.Effects) {
	tx := &c.tx
	first, bytes, again := tx.next, units.Bytes(0), units.Bytes(0)
	for tx.next < limit {
		m := &tx.messages[tx.at]
		n := c.send(m, eff)
		bytes += n
		if tx.next < tx.highest {
			again += n - units.Bytes(len(c.header)) - units.EthernetFraming
		}
		if tx.next++; tx.next == m.first+m.packets {
			tx.at++
		}
	}
	if c.cfg.Rate > 0 {
		tx.free = now.Add(tx.line.Advance(bytes))
	}
	c.count.Add(CountPackets, tx.next-first)
	if first < tx.highest {
		packets := min(tx.next, tx.highest) - first
		c.count.Add(CountAgain, packets)
		c.count.Resent(packets, again)
	}
	tx.highest = max(tx.highest, tx.next)
	if tx.deadline == units.Never {
		tx.deadline = now.Add(c.cfg.Timeout)
	}
}

// send emits packet next, of message m. An acknowledgement is asked for at the
// end of a message, after so many packets, and where the window ends. It returns
// the bytes that the packet takes on the line.
func (c *Conn) send(m *message, eff *sansio.Effects) units.Bytes {
	seq := c.tx.next
	body, unstored := m.part(seq, c.cfg.PathMTU)
	last := seq+1 == m.first+m.packets
	ask := last || (seq+1-m.first)%uint64(c.cfg.AckEvery) == 0 || seq+1 == c.tx.acked+c.window
	pad := -(len(body) + unstored) & (word - 1)
	b := eff.Body(overhead + len(body) + pad)
	wire.BTH(b).Put(opcodeOf(seq == m.first, last), pad, c.peer, ask, wire.PSN(seq))
	n := bthLen + copy(b[bthLen:], body)
	clear(b[n:])
	eff.EmitUnstored(c.to, c.header, b, unstored)
	return units.Bytes(len(c.header)+len(b)+unstored) + units.EthernetFraming
}

// acknowledged takes the news that all PSNs below upTo have arrived. It reports
// whether that can be.
func (c *Conn) acknowledged(now units.Time, upTo int64) bool {
	tx := &c.tx
	switch {
	case upTo > int64(tx.highest):
		c.count.Add(DropBadAck, 1)
		return false
	case upTo <= int64(tx.acked): // overtaken by a later one, or of a duplicate
		return upTo == int64(tx.acked)
	}
	tx.acked = uint64(upTo)
	tx.timeouts, tx.deadline = 0, units.Never
	tx.next = max(tx.next, tx.acked) // what was sent before going back may arrive after all
	if tx.next > tx.acked {
		tx.deadline = now.Add(c.cfg.Timeout)
	}
	tx.release()
	return true
}

// goBack sends everything from the first packet on that is not acknowledged.
func (c *Conn) goBack(now units.Time, eff *sansio.Effects) {
	tx := &c.tx
	tx.next, tx.at, tx.deadline = tx.acked, tx.head, units.Never
	c.fill(now, eff)
}
