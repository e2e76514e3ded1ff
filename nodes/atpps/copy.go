package atpps

import "github.com/inalab/inalab/internal/units"

// copying is the copy of frames between the memory of the network card and that of the server, one after
// another at one rate (§5.5, D.1: 60 Gbit/s). The paper does not say which bytes it is of;
// assumed: those of frames that arrive, with headers, and none of frames that leave, since
// what is copied out is copied in before.
type copying struct {
	rate  units.Rate // zero: at once
	limit units.Bytes
	line  units.Serializer
	over  units.Time // when all that wait are copied
	queue []waiting
	head  int
	bytes units.Bytes // of those that wait
}

// waiting is a frame until it is copied.
type waiting struct {
	at     units.Time // when it is
	bytes  units.Bytes
	packet packet
	values [valueBytes]byte
}

func newCopying(cfg *Config) copying {
	return copying{rate: cfg.Copy, limit: units.Bytes(cfg.Ring), line: units.Serializer{Rate: cfg.Copy}}
}

// add queues a frame of so many bytes; false: there is no room.
func (c *copying) add(now units.Time, p *packet, n units.Bytes) bool {
	if c.limit > 0 && c.bytes+n > c.limit {
		return false
	}
	c.over = max(now, c.over).Add(c.line.Advance(n))
	c.bytes += n
	c.queue = append(c.queue, waiting{})
	w := &c.queue[len(c.queue)-1]
	w.at, w.bytes, w.packet = c.over, n, *p
	copy(w.values[:], p.values)
	return true
}

// next returns when the first frame is copied.
func (c *copying) next() units.Time {
	if c.head == len(c.queue) {
		return units.Never
	}
	return c.queue[c.head].at
}

// first returns the packet of the first frame. It is good until another is added.
func (c *copying) first() *packet {
	w := &c.queue[c.head]
	if w.packet.values != nil {
		w.packet.values = w.values[:]
	}
	return &w.packet
}

// remove takes the first frame off.
func (c *copying) remove() {
	c.bytes -= c.queue[c.head].bytes
	c.head++
	if c.head > len(c.queue)/2 {
		c.queue = c.queue[:copy(c.queue, c.queue[c.head:])]
		c.head = 0
	}
}
