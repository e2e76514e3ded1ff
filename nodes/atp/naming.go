package atp

import (
	"slices"

	"github.com/inalab/inalab/internal/wire/atp"
)

// Naming tells generations and blocks from the numbers of packets, as events have them. It is a function
// of a worker's configuration: all workers give the same numbers to the same blocks.
type Naming struct {
	streams []named
	sweeps  atp.Sweeps
}

// named is the blocks of a stream.
type named struct {
	numbers atp.Numbers
	runs    []run
	blocks  uint64 // of all runs
	latest  uint64 // packet that a worker told of
}

// run is blocks that a stream has one behind another.
type run struct {
	first      uint64 // of the stream's packets that are no sweeps
	gen, block int
}

// NewNaming returns the names of so many generations, from 0 on.
func NewNaming(cfg Config, generations int) *Naming {
	cfg.resolve()
	n := cfg.streams()
	c := &Core{cfg: cfg, cut: cfg.Cut / block, loads: make([]uint64, cfg.Threads), streams: make([]stream, n)}
	out := &Naming{sweeps: atp.Sweeps{Aggregators: cfg.Aggregators, Used: cfg.Sweep}}
	for _, numbers := range atp.Split(cfg.SequenceBits, n) {
		out.streams = append(out.streams, named{numbers: numbers})
	}
	for gen := range generations {
		g := &generation{number: gen}
		c.layOut(g)
		c.shareAll(g)
		for i := range c.streams {
			out.streams[i].take(c.streams[i].parts)
			c.streams[i].parts = nil
		}
	}
	return out
}

// take appends parts.
func (s *named) take(parts []part) {
	for _, p := range parts {
		s.runs = append(s.runs, run{s.blocks, p.gen.number, p.before + p.from})
		s.blocks += uint64(p.to - p.from)
	}
}

// Block returns the generation, and the block in it, of a number that its stream comes to for the
// turn-th time, from 0; false: it carries none.
func (n *Naming) Block(turn, number uint32) (gen, of int, ok bool) {
	s := n.stream(number)
	if s == nil {
		return 0, 0, false
	}
	packet := s.packet(turn, number)
	_, sweep := n.sweeps.Index(s.numbers, packet)
	at := packet - n.sweeps.Before(s.numbers, packet)
	if sweep || at >= s.blocks {
		return 0, 0, false
	}
	k, found := slices.BinarySearchFunc(s.runs, at, func(r run, at uint64) int { return int(int64(r.first) - int64(at)) })
	if !found {
		k--
	}
	r := &s.runs[k]
	return r.gen, r.block + int(at-r.first), true
}

// Follow takes in that a worker came to a number.
func (n *Naming) Follow(turn, number uint32) {
	if s := n.stream(number); s != nil {
		s.latest = max(s.latest, s.packet(turn, number))
	}
}

// Turn returns which turn is meant by who knows the number alone: the one closest to what was followed.
func (n *Naming) Turn(number uint32) (turn uint32) {
	if s := n.stream(number); s != nil {
		if packet, ok := s.numbers.Packet(number, s.latest); ok {
			return uint32(packet / uint64(s.numbers.Size))
		}
	}
	return 0
}

// stream returns that of a number, or nil.
func (n *Naming) stream(number uint32) *named {
	for i := range n.streams {
		if n.streams[i].numbers.Has(number) {
			return &n.streams[i]
		}
	}
	return nil
}

func (s *named) packet(turn, number uint32) uint64 {
	return uint64(turn)*uint64(s.numbers.Size) + uint64(number-s.numbers.First)
}
