package switchml

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Sources returns the workers of the job, whatever its number.
func (p *Program) Sources(uint8) trace.Mask { return p.everybody }

// Open returns at most limit phases of slots that lack workers, the oldest
// first. The packet id of the first packet is the generation.
func (p *Program) Open(limit int) (out []dataplane.OpenBlock) {
	for set := range p.pool {
		for i := range p.pool[set] {
			if s := &p.pool[set][i]; s.count > 0 {
				out = append(out, dataplane.OpenBlock{Gen: s.phase, Block: uint32(i), Have: s.seen, Want: p.everybody, Since: s.since})
			}
		}
	}
	slices.SortFunc(out, func(a, b dataplane.OpenBlock) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Gen, b.Gen), cmp.Compare(a.Block, b.Block))
	})
	return out[:min(limit, len(out))]
}
