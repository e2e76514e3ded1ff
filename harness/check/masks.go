package check

import (
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
)

// Masks collects, from the trace of switch programs, the workers in each block. It
// is a trace.Sink.
//
// With two levels, the top PFE's mask names PFEs; each of them sent a block at
// most once to any effect (later ones are duplicates at the top), so the first
// block-sent event of each is the one that counts.
type Masks struct {
	top    string
	below  [256]string                         // node behind a source of the top level; empty: a worker
	blocks map[uint16]map[sentBlock]trace.Mask // by generation
	sample gradient.Sampling                   // of the blocks to collect
	job    uint8                               // whose blocks; zero: of any
}

type sentBlock struct {
	node  string
	block uint32
}

// NewMasks returns an empty collection. top is the node that sends the
// results; below names the nodes behind its sources that are not workers.
func NewMasks(top string, below map[uint8]string) *Masks {
	m := &Masks{top: top, blocks: map[uint16]map[sentBlock]trace.Mask{}}
	for source := range m.below {
		m.below[source] = below[uint8(source)]
	}
	return m
}

// Event takes one event.
func (m *Masks) Event(e *trace.Event) {
	if e.Kind != trace.BlockSent || m.job != 0 && e.Job != m.job || !m.sample.Carries(int(e.Block)) {
		return
	}
	gen := m.blocks[uint16(e.Gen)]
	if gen == nil {
		gen = map[sentBlock]trace.Mask{}
		m.blocks[uint16(e.Gen)] = gen
	}
	k := sentBlock{node: e.Node, block: e.Block}
	if _, seen := gen[k]; !seen {
		gen[k] = e.Mask
	}
}

// Contributors returns the workers in a block.
func (m *Masks) Contributors(gen, block int) (workers trace.Mask, ok bool) {
	blocks := m.blocks[uint16(gen)]
	top, ok := blocks[sentBlock{m.top, uint32(block)}]
	for source := range m.below {
		if !top.Has(uint8(source)) {
			continue
		}
		node := m.below[source]
		if node == "" {
			workers.Set(uint8(source))
			continue
		}
		leaf, sent := blocks[sentBlock{node, uint32(block)}]
		ok = ok && sent
		workers = workers.Or(leaf)
	}
	return workers, ok
}

// Forget drops a generation, which nobody asks for any more. Events of it that
// still come are of late records, which few are: they are dropped with the
// generation that has its number next.
func (m *Masks) Forget(gen int) { delete(m.blocks, uint16(gen)) }
