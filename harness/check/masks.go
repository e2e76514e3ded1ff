package check

import "github.com/inalab/inalab/internal/trace"

// TrioMasks collects, from the trace of Trio-ML programs, the workers in each
// block. It is a trace.Sink.
//
// With two levels, the top PFE's mask names PFEs; each of them sent a block at
// most once to any effect (later ones are duplicates at the top), so the first
// block-sent event of each is the one that counts.
type TrioMasks struct {
	top    string
	below  [256]string // node behind a source of the top level; empty: a worker
	blocks map[sentBlock]trace.Mask
}

type sentBlock struct {
	node  string
	gen   uint16
	block uint32
}

// NewTrioMasks returns an empty collection. top is the node that sends the
// results; below names the nodes behind its sources that are not workers.
func NewTrioMasks(top string, below map[uint8]string) *TrioMasks {
	m := &TrioMasks{top: top, blocks: map[sentBlock]trace.Mask{}}
	for source := range m.below {
		m.below[source] = below[uint8(source)]
	}
	return m
}

// Event takes one event.
func (m *TrioMasks) Event(e *trace.Event) {
	if e.Kind != trace.BlockSent {
		return
	}
	k := sentBlock{node: e.Node, gen: uint16(e.Gen), block: e.Block}
	if _, seen := m.blocks[k]; !seen {
		m.blocks[k] = e.Mask
	}
}

// Contributors returns the workers in a block.
func (m *TrioMasks) Contributors(gen, block int) (workers trace.Mask, ok bool) {
	top, ok := m.blocks[sentBlock{m.top, uint16(gen), uint32(block)}]
	for source := range m.below {
		if !top.Has(uint8(source)) {
			continue
		}
		node := m.below[source]
		if node == "" {
			workers.Set(uint8(source))
			continue
		}
		leaf, sent := m.blocks[sentBlock{node, uint16(gen), uint32(block)}]
		ok = ok && sent
		workers = workers.Or(leaf)
	}
	return workers, ok
}

// Events returns the number of distinct blocks collected.
func (m *TrioMasks) Events() int { return len(m.blocks) }
