package newreno

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// setTimer starts the retransmission timer, or that of probes, anew. Probes come
// at doubling intervals, too (RFC 9293 §3.8.6.1).
func (c *Conn) setTimer(now units.Time) {
	d := c.rtt.rto
	for range c.tx.probes {
		if d = 2 * d; d >= c.cfg.MaxRTO {
			d = c.cfg.MaxRTO
			break
		}
	}
	c.tx.timer = now.Add(d)
}

// Expire does what is due.
func (c *Conn) Expire(now units.Time, eff *sansio.Effects) {
	if c.gone <= now {
		c.finish()
	}
	if c.rx.delayed <= now {
		c.sendAck(now, eff)
	}
	if c.tx.timer <= now {
		c.tx.timer = units.Never
		c.overdue(now, eff)
	}
	if c.tx.held <= now {
		c.tx.held = units.Never
		c.fill(now, eff)
	}
}

// overdue answers the retransmission timer.
func (c *Conn) overdue(now units.Time, eff *sansio.Effects) {
	tx := &c.tx
	if tx.silent == c.cfg.Retries {
		c.count.Add(CountExhausted, 1)
		c.finish()
		return
	}
	again := tx.silent > 0
	tx.silent++
	switch {
	case c.state == SynSent || c.state == SynReceived:
		c.count.Add(CountTimeouts, 1)
		c.synLost = true
		c.rtt.discard()
		c.rtt.backOff()
		c.sendSyn(now, eff)
	case tx.wnd == 0 || tx.nxt == tx.una:
		c.probe(now, eff)
	default: // RFC 6298 (5.4) to (5.6)
		c.count.Add(CountTimeouts, 1)
		c.rtt.discard()
		c.rtt.backOff()
		c.cc.collapse(units.Bytes(tx.max-tx.una), again, tx.una, tx.max)
		c.ecn.reduced = true
		tx.nxt = tx.una
		c.fill(now, eff)
	}
}

// probe sends what the peer's window has room for, and be it nothing: then one
// byte, or the FIN. The answer tells the window (RFC 9293 §3.8.6.1).
func (c *Conn) probe(now units.Time, eff *sansio.Effects) {
	tx := &c.tx
	c.count.Add(CountProbes, 1)
	c.rtt.discard()
	limit := max(1, min(tx.wnd, offset(c.mss)))
	p := c.take(tx.una, int(limit))
	p.fin = p.fin && p.size() == 0
	c.send(now, run{from: tx.una, count: 1, content: p.content, first: p, fin: p.fin}, eff)
	tx.nxt, tx.probing = p.next(tx.una), tx.wnd == 0
	tx.probes++
	c.setTimer(now)
	c.sent(now, tx.nxt)
}
