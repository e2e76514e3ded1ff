package atp

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
)

// model is one switch with the servers behind it, as dumb as can be: aggregators are maps, sums
// int64, and what is kept is kept for ever. It holds workers to what they may do, not to speed.
type model struct {
	sansio.Untimed
	workers int
	age     units.Duration // from which a parameter packet frees any aggregator; negative: never
	rehash  bool           // collisions have parameters name other indexes
	table   []cell
	streams []wire.Numbers
	newest  []uint64 // packet of each stream
	ring    uint64   // packets of a stream that servers know: two spans
	entries []map[uint64]*entry
	moved   map[uint16]uint16
	unused  uint16 // from which on the next index is given
	to      []sansio.Port

	aged, collisions int
	stale            int // packets of uses that are over
}

// cell is an aggregator.
type cell struct {
	taken  bool
	number uint32
	set    uint32
	at     units.Time
	ecn    bool
	sums   [block]int64
}

// entry is what the server has of a packet.
type entry struct {
	set           uint32
	sums          [block]int64
	ecn, collided bool
	index         uint16
	stored        bool
	done          bool
	move          int // index to use from now on; -1: the same
}

func newModel(c *Config, age units.Duration, rehash bool) *model {
	m := &model{
		workers: c.Workers, age: age, rehash: rehash, table: make([]cell, c.Aggregators),
		streams: wire.Split(c.SequenceBits, c.streams()), newest: make([]uint64, c.streams()), ring: 2 * uint64(c.Span), moved: map[uint16]uint16{},
	}
	for range m.streams {
		m.entries = append(m.entries, map[uint64]*entry{})
	}
	for w := range c.Workers {
		m.to = append(m.to, sansio.Port(w))
	}
	return m
}

// packet is a gradient packet inside the model.
type packet struct {
	wire.Header
	sums   [block]int64
	stored bool
	ecn    bool
	server *inet.IPv4
}

func (m *model) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		t := &in[i].Train
		ip, _, _ := t.UDP()
		for f := range t.Frames() {
			p := packet{stored: t.Unstored == 0, ecn: ip.ECN() == inet.CE, server: &ip}
			if p.Read(t.Payload(f), t.Unstored) != wire.OK || p.Flags.Has(wire.IsAck) {
				panic("the model takes gradient packets")
			}
			for k := range p.sums {
				if p.stored {
					p.sums[k] = int64(int32(binary.BigEndian.Uint32(t.Payload(f)[wire.HeaderLen+4*k:])))
				}
			}
			if m.aggregate(now, &p) {
				m.serve(now, &p, eff)
			}
		}
	}
}

// aggregate is the switch's first level, and reports whether the packet goes on.
func (m *model) aggregate(now units.Time, p *packet) bool {
	if len(m.table) == 0 {
		return true
	}
	a, bit := &m.table[p.Index], p.Bitmaps[0]
	ours := a.taken && a.number == p.Sequence
	if p.Flags.Has(wire.Resend) {
		if ours {
			add(&a.sums, &p.sums, a.set&bit == 0)
			p.sums, p.Bitmaps[0], p.ecn = a.sums, a.set|bit, p.ecn || a.ecn
			*a = cell{}
		}
		return true
	}
	switch {
	case !a.taken:
		*a = cell{taken: true, number: p.Sequence}
	case !ours:
		m.collisions++
		p.Flags |= wire.Collision
		return true
	}
	a.at, a.ecn = now, a.ecn || p.ecn
	if a.set&bit != 0 {
		return false
	}
	add(&a.sums, &p.sums, true)
	a.set |= bit
	p.sums, p.Bitmaps[0], p.ecn = a.sums, a.set, a.ecn
	return a.set == 1<<m.workers-1
}

func add(dst, src *[block]int64, really bool) {
	for i := range dst {
		if really {
			dst[i] += src[i]
		}
	}
}

// serve is the server.
func (m *model) serve(now units.Time, p *packet, eff *sansio.Effects) {
	i := 0
	for !m.streams[i].Has(p.Sequence) {
		i++
	}
	n, ok := m.streams[i].Packet(p.Sequence, m.newest[i])
	if !ok || n+m.ring <= m.newest[i] || n > m.newest[i]+m.ring {
		m.stale++
		return
	}
	m.newest[i] = max(m.newest[i], n)
	e := m.entries[i][n]
	if e == nil {
		e = &entry{move: -1, index: p.Index, stored: p.stored}
		m.entries[i][n] = e
	}
	if e.done {
		if p.Flags.Has(wire.Resend) {
			m.answer(now, p, e, eff)
		}
		return
	}
	e.ecn, e.collided = e.ecn || p.ecn, e.collided || p.Flags.Has(wire.Collision)
	if e.set&p.Bitmaps[0] != 0 {
		return
	}
	add(&e.sums, &p.sums, true)
	if e.set |= p.Bitmaps[0]; e.set == 1<<m.workers-1 {
		e.done = true
		if e.collided && m.rehash {
			e.move = m.elsewhere(e.index)
		}
		m.answer(now, p, e, eff)
	}
}

// elsewhere returns the index to use in place of one: the next that was not given yet.
func (m *model) elsewhere(index uint16) int {
	if to, had := m.moved[index]; had {
		return int(to)
	}
	if int(m.unused) == len(m.table) || m.unused == index {
		return -1
	}
	m.moved[index] = m.unused
	m.unused++
	return int(m.moved[index])
}

// answer sends parameters, which free an aggregator on their way.
func (m *model) answer(now units.Time, p *packet, e *entry, eff *sansio.Effects) {
	h := wire.Header{Job: p.Job, Sequence: p.Sequence, Index: e.index, FanIns: p.FanIns, Flags: wire.IsAck}
	if e.ecn {
		h.Flags |= wire.ECN
	}
	if e.move >= 0 {
		h.Flags |= wire.Collision
		h.Bitmaps[0] = uint32(e.move)
	}
	if len(m.table) > 0 {
		m.free(now, p.Sequence, e.index)
	}
	size, unstored := 4*block, 0
	if !e.stored {
		size, unstored = 0, size
	}
	payload := eff.Body(wire.HeaderLen + size)
	h.Put(payload)
	for k := range e.sums {
		if e.stored {
			binary.BigEndian.PutUint32(payload[wire.HeaderLen+4*k:], uint32(e.sums[k]))
		}
	}
	ip := *p.server
	template := inet.UDPHeader(inet.Flow{Src: ip.Dst(), Dst: groupAddr(), SrcPort: wire.Port, DstPort: wire.Port})
	inet.IPv4(template[inet.EtherLen:]).SetECN(inet.ECT0)
	eff.EmitUnstored(m.to, template, payload, unstored)
}

func (m *model) free(now units.Time, number uint32, index uint16) {
	switch a := &m.table[index]; {
	case !a.taken:
	case a.number == number:
		*a = cell{}
	case m.age >= 0 && now.Sub(a.at) > m.age:
		m.aged++
		*a = cell{}
	}
}
