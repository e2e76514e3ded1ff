package atpps

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// node is a switch that aggregates in a job of more than two levels, or a worker below one: who its bits stand
// for. The server's switch is the root, at the last level, and what is below it is one level lower each.
type node struct {
	workers trace.Mask
	below   [wire.MaxFanIn]*node // by bit
	all     uint32               // bits
	worker  bool
}

// newTree returns the root of workers, by their bits from the root down.
func newTree(paths [][]uint8) *node {
	root := &node{}
	for w, path := range paths {
		if len(path) == 0 { // it is on the server's host
			continue
		}
		at := root
		at.workers.Set(uint8(w))
		for _, bit := range path {
			at.all |= 1 << bit
			if at.below[bit] == nil {
				at.below[bit] = &node{}
			}
			at = at.below[bit]
			at.workers.Set(uint8(w))
		}
		at.worker = true
	}
	return root
}

// plant makes the tree of a job, and finds the worker on the server's host.
func (s *Server) plant() {
	s.root = newTree(s.cfg.Paths)
	for w, path := range s.cfg.Paths {
		s.everybody.Set(uint8(w))
		if len(path) == 0 {
			s.local.Set(uint8(w))
		}
	}
}

// deep returns whose values a packet of more than two levels says that it has, or why nobody's can be so in it.
//
// A switch that completed a sum left the bits of all its sources; those at the levels below are of whoever came
// last, and say nothing. Above it each level has one bit: the way from there. So from the top down one bit
// leads on, and all of several end the search. At the first level a packet that was sent again has some.
func (s *Server) deep(h *wire.Header) (set trace.Mask, reason string) {
	if h.Levels() != s.cfg.Levels {
		return set, DropLevels
	}
	at := s.root
	for level := s.cfg.Levels - 1; ; level-- {
		b := h.Bitmap(level)
		next, whole := at.one(b), b == at.all && bits.OnesCount32(b) > 1
		switch {
		case b&^at.all != 0:
			return set, DropPlace
		case whole && level >= h.Next(): // no switch of that level has sent it on yet
			return set, DropParts
		case whole:
			return at.workers, ""
		case next == nil && level == 0 && h.Next() > 0 && h.Flags.Has(wire.Resend):
			return at.some(b), ""
		case next == nil, !h.Flags.Has(wire.Resend) && level < h.Next() && bits.OnesCount32(at.all) > 1: // a switch passes on less than all as resent
			return set, DropParts
		case next.worker:
			return next.ends(h, level)
		}
		at = next
	}
}

// one returns what is below at the only bit of a bitmap; nil: it has none, or several.
func (n *node) one(bitmap uint32) *node {
	if bits.OnesCount32(bitmap) != 1 {
		return nil
	}
	return n.below[bits.TrailingZeros32(bitmap)]
}

// some returns the workers of some bits.
func (n *node) some(bitmap uint32) (set trace.Mask) {
	for b := bitmap; b != 0; b &= b - 1 {
		set = set.Or(n.below[bits.TrailingZeros32(b)].workers)
	}
	return set
}

// ends returns a worker whose switch is at a level, in a packet that has the first bit alone below it, and that
// is on its way to no level below it.
func (n *node) ends(h *wire.Header, level int) (set trace.Mask, reason string) {
	if h.Next() < level {
		return set, DropPlace
	}
	for below := range level {
		if h.Bitmap(below) != 1 {
			return set, DropPlace
		}
	}
	return n.workers, ""
}

// validatePaths checks the levels of a job that has more than two.
func (c *Config) validatePaths() error {
	switch {
	case c.Levels < 3 || c.Levels > wire.MaxLevels:
		return fmt.Errorf("%d levels: 3 to %d are possible besides two, which racks say", c.Levels, wire.MaxLevels)
	case len(c.Racks) > 0:
		return errors.New("racks and paths: two levels have racks, and more have paths")
	case len(c.Paths) != c.Workers:
		return fmt.Errorf("%d paths of %d workers: each has one", len(c.Paths), c.Workers)
	}
	local := 0
	for w, path := range c.Paths {
		if len(path) == 0 {
			local++
		}
		if len(path) > c.Levels || local > 1 {
			return fmt.Errorf("worker %d is below %d switches: 1 to %d are possible, as there are levels, or none for one on the server's host", w, len(path), c.Levels)
		}
		for _, bit := range path {
			if bit >= wire.MaxFanIn {
				return fmt.Errorf("worker %d has bit %d: bits are below %d", w, bit, wire.MaxFanIn)
			}
		}
	}
	return newTree(c.Paths).check()
}

// check reports a place that two workers have, or a worker and a switch.
func (n *node) check() error {
	if n.worker && (n.all != 0 || n.workers.Len() != 1) {
		return fmt.Errorf("%d workers have one place, or a worker and a switch: give each a bit of its own", n.workers.Len())
	}
	for _, b := range n.below {
		if b != nil {
			if err := b.check(); err != nil {
				return err
			}
		}
	}
	return nil
}
