package check

import (
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
)

// Masks collects, from the trace of switch programs, the workers in each block. It
// is a trace.Sink.
//
// With several levels, the mask of a level names the PFEs below it; each of them sent a
// block at most once to any effect (later ones are duplicates above), so the first
// block-sent event of each is the one that counts.
type Masks struct {
	top    string
	below  map[string]map[uint8]string         // by node: the nodes behind those of its sources that are not workers
	blocks map[uint16]map[sentBlock]trace.Mask // by generation
	sample gradient.Sampling                   // of the blocks to collect
	job    uint8                               // whose blocks; zero: of any
}

type sentBlock struct {
	node  string
	block uint32
}

// NewMasks returns an empty collection. top is the node that sends the results; below
// names, for every node, the nodes behind its sources that are not workers. No node is below itself.
func NewMasks(top string, below map[string]map[uint8]string) *Masks {
	return &Masks{top: top, below: below, blocks: map[uint16]map[sentBlock]trace.Mask{}}
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
	return m.workers(m.blocks[uint16(gen)], sentBlock{m.top, uint32(block)})
}

// workers returns those in a block that a node sent.
func (m *Masks) workers(blocks map[sentBlock]trace.Mask, b sentBlock) (out trace.Mask, ok bool) {
	mask, ok := blocks[b]
	out = mask
	for source := range m.below[b.node] {
		out.Clear(source)
	}
	for source, node := range m.below[b.node] {
		if mask.Has(source) {
			part, sent := m.workers(blocks, sentBlock{node, b.block})
			out, ok = out.Or(part), ok && sent
		}
	}
	return out, ok
}

// Forget drops a generation, which nobody asks for any more. Events of it that
// still come are of late records, which few are: they are dropped with the
// generation that has its number next.
func (m *Masks) Forget(gen int) { delete(m.blocks, uint16(gen)) }
