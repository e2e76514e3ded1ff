package roce

import (
	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/roce"
)

// receiver is the responder's half.
type receiver struct {
	expected uint64 // PSN
	messages uint64 // that came to their end
	refused  bool   // a NAK is out, and what it asks for has not come
}

// data takes a packet of a message.
func (c *Conn) data(h wire.BTH, body []byte, unstored int, eff *sansio.Effects, deliver func([]byte, int)) {
	rx := &c.rx
	switch d := h.PSN().Near(rx.expected) - int64(rx.expected); {
	case d > 0:
		c.count.Add(DropSequence, 1)
		if !rx.refused {
			rx.refused = true
			c.reply(rx.expected, syndromeNAKSequence, CountNaks, eff)
		}
		return
	case d < 0:
		c.count.Add(DropDuplicate, 1)
	default:
		rx.refused = false
		rx.expected++
		if ends(h.Opcode()) {
			rx.messages++
		}
		deliver(body, unstored)
	}
	if h.Asks() {
		c.reply(rx.expected-1, syndromeACK, CountAcks, eff)
	}
}

func (c *Conn) reply(seq uint64, syndrome byte, name string, eff *sansio.Effects) {
	b := eff.Body(overhead + aethLen)
	wire.BTH(b).Put(acknowledge, 0, c.peer, false, wire.PSN(seq))
	putAETH(b[bthLen:], syndrome, c.rx.messages)
	clear(b[bthLen+aethLen:])
	c.count.Add(name, 1)
	eff.EmitUnstored(c.to, c.header, b, 0)
}
