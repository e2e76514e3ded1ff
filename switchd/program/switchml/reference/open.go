package reference

import (
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Sources returns the workers of a job here; none of one that it does not have.
func (p *Program) Sources(id uint8) (m trace.Mask) {
	if at, ok := p.find(id); ok {
		m = p.jobs[at].everybody
	}
	return m
}

// Open returns at most limit phases of slots that lack workers, the oldest
// first. The packet id of the first packet is the generation.
func (p *Program) Open(limit int) []dataplane.OpenBlock {
	out := p.allOpen()
	return out[:min(limit, len(out))]
}

func (p *Program) allOpen() (out []dataplane.OpenBlock) {
	for _, j := range p.jobs {
		for set := range j.pool {
			for i := range j.pool[set] {
				if s := &j.pool[set][i]; s.count > 0 {
					out = append(out, dataplane.OpenBlock{Job: j.ID, Gen: s.phase, Block: uint32(i), Have: s.seen, Want: j.everybody, Since: s.since})
				}
			}
		}
	}
	slices.SortFunc(out, dataplane.Older)
	return out
}
