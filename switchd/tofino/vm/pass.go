package vm

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// Pass is the work space of a pass. One serves all pipes of a chip, for one pass
// after another; between passes it holds the results of the last one.
type Pass struct {
	code   *Code
	pipe   *Pipe
	packet *Packet
	length int // of the packet as it came

	Slots  []uint64 // values of the metadata
	buf    []byte   // memory of the packet
	heads  []head
	pass   uint32   // number of this one
	found  uint64   // bits of headers that the parser has found
	path   Path     // cases that it has taken
	facts  *Facts   // of the packet behind the control
	fixed  *Verdict // of the ingress, but for the port; nil: it is not known
	cursor int      // in the memory of the packet, behind what is parsed
	args   []uint64

	order   []int  // of headers that the deparser has moved, but are not found there yet
	scratch []byte // of headers that are added
	moved   []byte
	text    []byte
	results []uint64
	key     keyWords
}

// head is a header in a pass.
type head struct {
	at   int32  // in the memory of the packet; below zero: ^at in scratch
	pass uint32 // in which it is valid
}

// valid reports whether a header is valid in this pass.
func (s *Pass) valid(h int) bool { return s.heads[h].pass == s.pass }

// bytesAt returns the bytes of a valid header from an offset on, and more behind it.
func (s *Pass) bytesAt(h *head, off int) []byte {
	if h.at >= 0 {
		return s.buf[int(h.at)+off:]
	}
	return s.scratch[int(^h.at)+off:]
}

// header returns a valid header.
func (s *Pass) header(h int) []byte { return s.bytesAt(&s.heads[h], 0)[:s.code.lengths[h]] }

// NewPass returns a work space for the pipes of a program.
func (c *Code) NewPass() *Pass {
	s := &Pass{
		code: c, Slots: make([]uint64, c.slots), heads: make([]head, len(c.prog.Headers)),
		scratch: make([]byte, c.bytes+slack), results: make([]uint64, c.longest),
	}
	for h := range s.heads {
		s.Invalidate(fit.HeaderID(h))
	}
	return s
}

// In is what the chip tells an ingress of a packet.
type In struct {
	Port        uint16
	Time        units.Time // of arrival
	Resubmitted bool
	Resubmit    uint64 // meta.resubmit as it was left
}

// Verdict is what an ingress tells the traffic manager; see ir.Intrinsics.
type Verdict struct {
	Drop      uint8
	Queue     uint8
	Unicast   bool
	Multicast bool
	Resubmit  bool
	Bypass    bool // of the egress
	Port      uint16
	Group     uint16
	RID, XID  uint16
	Mirror    uint16 // session; 0: none
	Data      uint64 // meta.resubmit
}

// Out is what the chip tells an egress of a packet.
type Out struct {
	Port     uint16
	RID      uint16
	Copy     bool   // of a multicast
	Mirrored uint16 // session
	Depth    uint32 // of the queue when the packet came, in cells
}

// Ingress does one pass of a packet through parser, control and deparser of the
// ingress. Where it returns a reason the packet is to be dropped, and v says nothing.
func (s *Pass) Ingress(p *Pipe, k *Packet, in *In, v *Verdict) Reason {
	s.begin(p, k)
	s.code.putIn(s.Slots, in, p.number, k.Len())
	if reason := s.through(fit.Ingress); reason != OK {
		return reason
	}
	s.verdict(v)
	s.bridge(k)
	return OK
}

// putIn sets what an ingress is told.
func (c *Code) putIn(slots []uint64, in *In, pipe, length int) {
	a := &c.at
	slots[a.port], slots[a.pipe] = uint64(in.Port), uint64(pipe)
	slots[a.time], slots[a.bytes] = uint64(in.Time/units.Time(units.Nanosecond))&ones(48), uint64(length)&ones(16)
	if in.Resubmitted {
		slots[a.resubmitted] = 1
		if c.resub >= 0 {
			slots[c.resub] = in.Resubmit
		}
	}
}

// putOut sets what an egress is told, and what is bridged.
func (c *Code) putOut(slots []uint64, out *Out, bridged []uint64) {
	a := &c.at
	slots[a.outPort], slots[a.outRID] = uint64(out.Port), uint64(out.RID)
	slots[a.outMirrored], slots[a.outDepth] = uint64(out.Mirrored), uint64(out.Depth)&ones(19)
	if out.Copy {
		slots[a.outCopy] = 1
	}
	for i, b := range c.bridged[:min(len(c.bridged), len(bridged))] {
		slots[b] = bridged[i]
	}
}

// bridge keeps the bridged metadata with the packet.
func (s *Pass) bridge(k *Packet) {
	k.bridged = k.bridged[:0]
	for _, b := range s.code.bridged {
		k.bridged = append(k.bridged, s.Slots[b])
	}
}

// verdict reads what the control has set.
func (s *Pass) verdict(v *Verdict) {
	if s.fixed == nil {
		s.code.readVerdict(s.Slots, v)
		return
	}
	*v = *s.fixed
	v.Port = uint16(s.Slots[s.code.at.egressPort])
}

func (c *Code) readVerdict(x []uint64, v *Verdict) {
	a := &c.at
	v.Drop, v.Queue = uint8(x[a.drop]), uint8(x[a.qid])
	v.Unicast, v.Multicast = x[a.unicast] != 0, x[a.multicast] != 0
	v.Resubmit, v.Bypass = x[a.resubmit] != 0, x[a.bypass] != 0
	v.Port, v.Group = uint16(x[a.egressPort]), uint16(x[a.mcast])
	v.RID, v.XID, v.Mirror = uint16(x[a.rid]), uint16(x[a.xid]), uint16(x[a.mirror])
	if v.Data = 0; c.resub >= 0 {
		v.Data = x[c.resub]
	}
}

// verdictFields are what a verdict says but for the port.
var verdictFields = []string{"ig.drop", "ig.qid", "ig.unicast", "ig.multicast", "ig.resubmit", "ig.bypass_egress", "ig.mcast", "ig.rid", "ig.xid", "ig.mirror", "meta.resubmit"}

// KnownVerdict returns what an ingress tells, but for the port, if its fields are known then; else nil.
func (c *Code) KnownVerdict(known func(fit.FieldID) (value uint64, ok bool)) *Verdict {
	x := make([]uint64, c.slots)
	for _, name := range verdictFields {
		f, err := c.Field(name)
		if err != nil {
			continue // the program has no such metadata
		}
		value, ok := known(f)
		if !ok {
			return nil
		}
		x[c.fields[f].Off] = value
	}
	v := &Verdict{}
	c.readVerdict(x, v)
	return v
}

// Egress does one pass of a packet through parser, control and deparser of the
// egress. It reports whether the program drops the packet.
func (s *Pass) Egress(p *Pipe, k *Packet, out *Out) (dropped bool, reason Reason) {
	s.begin(p, k)
	s.code.putOut(s.Slots, out, k.bridged)
	reason = s.through(fit.Egress)
	return reason == OK && s.Slots[s.code.at.egressDrop]&1 != 0, reason
}

// begin makes all headers invalid and all metadata zero.
func (s *Pass) begin(p *Pipe, k *Packet) {
	s.pipe, s.packet, s.length = p, k, k.Len()
	clear(s.Slots)
	s.renew()
}

// renew makes all headers invalid.
func (s *Pass) renew() {
	if s.pass++; s.pass == 0 { // it has wrapped: no header may have a number that comes again
		clear(s.heads)
		s.pass = 1
	}
	s.order, s.found, s.path = nil, 0, 0
}

// through takes the packet through one half of the pipe.
func (s *Pass) through(which fit.Side) Reason {
	side := &s.code.sides[which]
	s.packet.Pull(side.depth)
	s.buf, s.cursor = s.packet.buf, s.packet.off
	if reason := s.parse(side.parser, nil); reason != OK {
		return reason
	}
	s.facts, s.fixed = nil, nil
	if r := s.pipe.runner; r != nil {
		r.Run(s, which)
	} else {
		s.RunFrom(which, 0)
	}
	s.fill(side.checksums)
	plan := s.plan(side.deparse, s.cursor)
	s.deparseBy(&plan)
	s.packet.facts = s.facts
	return OK
}

// Invalidate makes a header not valid.
func (s *Pass) Invalidate(h fit.HeaderID) { s.heads[h].pass = s.pass - 1 }

// Validate makes a header valid, all zero, unless it is valid.
func (s *Pass) Validate(h fit.HeaderID) {
	if s.valid(int(h)) {
		return
	}
	at := s.code.scratch[h]
	clear(s.scratch[at : at+s.code.lengths[h]])
	s.heads[h] = head{^int32(at), s.pass}
}

// Field returns a field as the control of the last pass left it, until the packet is
// changed.
func (s *Pass) Field(f fit.FieldID) uint64 {
	s.relocate()
	return s.Get(&s.code.fields[f])
}

// Words returns the bytes of n fields of 32 bits that follow each other in a header, as [Pass.Field]
// does; nil where the header is not valid.
func (s *Pass) Words(first fit.FieldID, n int) []byte {
	s.relocate()
	r := &s.code.fields[first]
	if !s.valid(int(r.Head)) {
		return nil
	}
	return s.Bytes(int(r.Head), int(r.Off))[:4*n]
}

// Bytes returns the bytes of a valid header from an offset on, and more behind it.
func (s *Pass) Bytes(h, off int) []byte { return s.bytesAt(&s.heads[h], off) }

// SetArgs sets the arguments that an [Op] reads.
func (s *Pass) SetArgs(args []uint64) { s.args = args }

// Parsed returns a bit for each header that the parser has found, of the first 64, and its path.
func (s *Pass) Parsed() (headers uint64, p Path) { return s.found, s.path }

// Valid reports whether a header is valid; after a pass, whether it was at its end.
func (s *Pass) Valid(h fit.HeaderID) bool { return s.valid(int(h)) }
