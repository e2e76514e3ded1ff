package trio

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// maxPacket is the longest packet that a thread can create: an IPv4 packet has
// 65,535 bytes at most (RFC 791).
const maxPacket = inet.EtherLen + 65535

// serve does what the pending XTXN of a thread asks of the modules outside shared
// memory. It returns the reply; false if the thread has to be killed.
func (p *PFE) serve(t *thread) (uint64, bool) {
	r := &t.Pending
	switch r.XTXN {
	case isa.TailRead:
		t.readTail(r.Args[0], t.Buffer())
	case isa.TailWrite:
		return 0, p.writeTail(t)
	case isa.PacketCreate:
		return 0, p.create(t)
	case isa.Forward:
		return 0, p.forward(t)
	case isa.Drop:
		p.drop(t)
	case isa.FieldHash, isa.RouteLookup, isa.Filter:
		return p.lookup(t)
	case isa.HeaderPush, isa.HeaderPull:
		return p.reshape(t)
	case isa.TimeNow:
		return uint64(p.now) / uint64(units.Nanosecond), true
	}
	return 0, true // XtxnWait has nothing to do but to wait
}

// readTail fills b with the bytes of the tail of a thread's packet from an offset on. What is not there
// is zero.
func (t *thread) readTail(offset uint64, b []byte) {
	if t.work.packet == nil {
		clear(b)
		return
	}
	t.work.packet.readTail(offset, b)
}

// create gives a thread a new packet. One that it had created before and not
// sent is lost.
func (p *PFE) create(t *thread) bool {
	n := t.Pending.Args[0]
	if n < inet.EtherLen || n > isa.LMEMBytes-isa.HeadStart {
		t.reason = DropHeadLength
		return false
	}
	if t.created != nil {
		p.count.Add(CountNotSent, 1)
		p.recycle(t.created)
	}
	arrived := p.now
	if t.work.packet != nil {
		arrived = t.work.packet.arrived
	}
	t.created = p.newPacket()
	t.created.create(int(n), arrived)
	if t.created.number = 0; t.work.packet != nil {
		t.created.number = t.work.packet.number
	}
	return p.charge(t, units.Bytes(n))
}

// writeTail writes to the tail of the packet that a thread has created.
func (p *PFE) writeTail(t *thread) bool {
	offset, b := t.Pending.Args[0], t.Buffer()
	switch {
	case t.created == nil:
		t.reason = DropNoTail
		return false
	case offset > uint64(maxPacket-t.created.head-len(b)):
		t.reason = DropTailLength
		return false
	}
	if more := int(offset) + len(b) - len(t.created.tail); more > 0 && !p.charge(t, units.Bytes(more)) {
		return false
	}
	t.created.writeTail(int(offset), b)
	return true
}

// charge takes packet memory for a created packet; if there is none left, the thread
// has to be killed.
func (p *PFE) charge(t *thread, n units.Bytes) bool {
	if p.packetMemory()+n > p.cfg.PacketMemory {
		t.reason = DropNoRoom
		return false
	}
	p.used += n
	t.created.charge += n
	return true
}

// outgoing returns the packet that Forward or Drop refers to: the one that the thread has
// created and not yet sent, else the one that it was started for; nil if there is neither.
func (t *thread) outgoing() *packet {
	if t.created != nil {
		return t.created
	}
	if t.fate == Consumed {
		return t.work.packet
	}
	return nil
}

// forward sends a packet on, whose head is in LMEM: if a part of that is still being read,
// the thread has to be killed.
func (p *PFE) forward(t *thread) bool {
	k := t.outgoing()
	if k == nil {
		p.count.Add(CountNothing, 1)
		return true
	}
	if t.Awaits(k.start, k.head) {
		t.reason = faultName(vm.NotAwaited)
		return false
	}
	to := p.nextHop(t.Pending.Args[0], t.work.packet)
	if len(to) == 0 {
		p.dropPacket(t, k, DropNextHop)
		p.count.Add(DropNextHop, 1)
		return true
	}
	if p.cfg.Observer != nil {
		p.cfg.Observer.Sent(p.now, &t.Thread, k.created)
	}
	k.unload(&t.LMEM)
	k.to = to
	if k.created {
		t.created = nil
		t.sent++
		p.count.Add(CountCreated, 1)
	} else {
		t.fate = Forwarded
		p.count.Add(CountForwarded, 1)
	}
	p.output(k)
	return true
}

// nextHop returns the ports that an argument of Forward stands for in the thread of an
// arrived packet, or of a timer, which has none; none where there is no such next hop.
func (p *PFE) nextHop(hop uint64, arrived *packet) []sansio.Port {
	if hop >= uint64(len(p.hops)) || p.hops[hop] == nil {
		return p.cfg.Others
	}
	if len(p.hops[hop]) > 0 || arrived == nil {
		return p.hops[hop]
	}
	back := p.backs[arrived.from]
	if back == nil {
		back = []sansio.Port{arrived.from}
		p.backs[arrived.from] = back
	}
	return back
}

func (p *PFE) drop(t *thread) {
	k := t.outgoing()
	if k == nil {
		p.count.Add(CountNothing, 1)
		return
	}
	p.dropPacket(t, k, p.discard(t.Pending.Args[0]))
}

// dropPacket gives up a packet that a thread was to send.
func (p *PFE) dropPacket(t *thread, k *packet, reason string) {
	if p.cfg.Observer != nil {
		p.cfg.Observer.Discarded(p.now, &t.Thread, reason)
	}
	if p.tracer != nil {
		p.tracer.Gone(p.now, &t.Thread, k.created, reason)
	}
	if k.created {
		t.created = nil
		p.recycle(k)
		return
	}
	t.fate = Dropped
}
