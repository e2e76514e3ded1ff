package reference

import (
	"iter"
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Sources returns the sources of a job.
func (p *Program) Sources(job uint8) (m trace.Mask) {
	if j := p.jobs[job]; j != nil {
		m = j.Mask
	}
	return m
}

// Ended returns how many blocks of a job are no longer active: block_total_cnt
// (Fig 17).
func (p *Program) Ended(job uint8) int {
	if j := p.jobs[job]; j != nil {
		return j.ended
	}
	return 0
}

// Blocks returns every open block, timer thread by timer thread. Their sums are valid
// until the next call.
func (p *Program) Blocks() iter.Seq[BlockRecord] {
	return func(yield func(BlockRecord) bool) {
		for i := range p.scan.threads {
			for _, r := range p.scan.records(i) {
				if !yield(r.BlockRecord) {
					return
				}
			}
		}
	}
}

// Open returns at most limit block records, the oldest first.
func (p *Program) Open(limit int) (out []dataplane.OpenBlock) {
	for b := range p.Blocks() {
		out = append(out, dataplane.OpenBlock{Job: b.Job, Gen: uint32(b.Gen), Block: b.Block, Have: b.Received, Want: p.Sources(b.Job), Since: b.Start})
	}
	slices.SortFunc(out, dataplane.Older)
	return out[:min(limit, len(out))]
}
