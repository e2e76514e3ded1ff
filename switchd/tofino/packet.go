package tofino

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// packet is a packet inside the chip: one that arrived, or a copy of one.
type packet struct {
	vm.Packet
	id          int32      // in Chip.packets
	frame       uint64     // number of what arrived
	port        DevPort    // that it came by, or entered again by
	arrived     units.Time // at the chip
	passes      int        // through an ingress
	partial     bool       // its transport checksum came partial
	marked      bool       // it met a long queue
	copied      bool       // the chip made it
	unstored    bool       // it came with unstored bytes
	resubmitted bool       // it is back from its ingress
	data        uint64     // meta.resubmit
	step        step
	cells       int // that it takes of the buffer
	verdict     vm.Verdict
	out         vm.Out
	queue       uint8

	next    *packet // in a line
	source  *packet // of a copy: the packet whose bytes it borrows; nil: none
	copies  int     // that borrow
	waiting bool    // done, but for the copies
	payload payload // as last sent, of the packet or of its copies
}

// step is what happens to a packet at its next event; timed mode.
type step uint8

const (
	stepIngress step = iota // it enters an ingress
	stepInput               // it is resubmitted, and back in the buffer of its port
	stepManager             // it comes to the traffic manager
	stepLeave               // it leaves by a front port
)

// newPacket returns a packet to fill.
func (c *Chip) newPacket() *packet {
	k := c.spare.pop()
	if k == nil {
		k = &packet{id: int32(len(c.packets))}
		c.packets = append(c.packets, k)
	}
	k.port, k.arrived, k.passes, k.partial, k.marked, k.copied, k.unstored = 0, c.now, 0, false, false, false, false
	k.resubmitted, k.data, k.step, k.cells, k.queue = false, 0, stepIngress, 0, 0
	k.source, k.copies, k.waiting, k.payload = nil, 0, false, payload{}
	k.out = vm.Out{}
	c.inside++
	return k
}

// arrive takes frame i of a train.
func (c *Chip) arrive(t *sansio.Train, i int) *packet {
	k := c.newPacket()
	c.frames++
	k.frame = c.frames
	k.partial, k.unstored = t.Checksum == sansio.ChecksumPartial, t.Unstored > 0
	if t.Single() {
		k.Set(t.Header, t.Body, t.Unstored)
		return k
	}
	f := t.Frame(i, c.header[:0])
	c.header = f.Header
	k.Set(f.Header, f.Body, f.Unstored)
	return k
}

// arriveLike takes frame i of a train whose headers are those of the frame before.
func (c *Chip) arriveLike(t *sansio.Train, i int) *packet {
	k := c.newPacket()
	c.frames++
	k.frame, k.partial = c.frames, t.Checksum == sansio.ChecksumPartial
	k.Set(c.header, t.Payload(i), t.Unstored)
	return k
}

// alike reports whether all frames of a train that are as long as the one that has just been taken have its headers: of
// UDP, with an identification of 0, which trains do not count on.
func (c *Chip) alike(t *sansio.Train) bool {
	return inet.WholeUDP(c.header, len(c.header)+t.Seg+t.Unstored) && inet.IPv4(c.header[inet.EtherLen:]).ID() == 0
}

// copyOf returns a copy of a packet, with some bytes of its own, the rest borrowed.
func (c *Chip) copyOf(k *packet, front int) *packet {
	n := c.newPacket()
	n.SetCopy(&k.Packet, front)
	n.port, n.arrived, n.passes, n.partial, n.copied = k.port, k.arrived, k.passes, k.partial, true
	n.frame, n.marked, n.unstored = k.frame, k.marked, k.unstored
	n.source = k
	k.copies++
	return n
}

// end releases a packet. Bytes that its copies borrow stay until they are also done.
func (c *Chip) end(k *packet) {
	if !k.copied && !k.waiting {
		c.stats.ended(k)
	}
	if k.copies > 0 {
		k.waiting = true
		return
	}
	source := k.source
	k.source = nil
	c.inside--
	c.spare.push(k)
	if source != nil {
		if source.copies--; source.copies == 0 && source.waiting {
			c.end(source)
		}
	}
}

// drop gives a packet up and counts why.
func (c *Chip) drop(k *packet, reason string) {
	c.count.Add(reason, 1)
	c.end(k)
}
