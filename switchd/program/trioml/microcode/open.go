package microcode

import (
	"iter"
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Sources returns the sources of a job.
func (e *Engine) Sources(job uint8) trace.Mask {
	r, _ := e.Job(job)
	return r.SrcMask
}

// Blocks returns the job and the record of every open block, in the order of the
// hash table.
func (e *Engine) Blocks() iter.Seq2[uint8, BlockRecord] {
	return func(yield func(uint8, BlockRecord) bool) {
		for k, a := range e.Memory().Hash().All() {
			if uint32(k) == JobBlock || k >= keyDraining {
				continue
			}
			if r, ok := e.blockAt(a); ok && !yield(uint8(k>>32), r) {
				return
			}
		}
	}
}

// OpenBlocks returns the number of block records in use.
func (e *Engine) OpenBlocks() int { return e.Memory().Hash().Len() - e.jobRecords() }

// Open returns at most limit block records, the oldest first.
func (e *Engine) Open(limit int) (out []dataplane.OpenBlock) {
	for job, r := range e.Blocks() {
		out = append(out, dataplane.OpenBlock{Job: job, Gen: uint32(r.Gen), Block: r.Block, Have: r.RcvdMask, Want: e.Sources(job), Since: r.StartTime})
	}
	slices.SortFunc(out, dataplane.Older)
	return out[:min(limit, len(out))]
}

// Remembers reports whether a source is absent.
func (e *Engine) Remembers() bool {
	for j := range e.jobs.All() {
		if e.Absent(j.ID) != (trace.Mask{}) {
			return true
		}
	}
	return false
}
