package reference

import (
	"iter"
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Sources returns the sources of a job.
func (p *Program) Sources(job uint8) (m trace.Mask) {
	if j := p.jobs[job]; j != nil {
		m = j.mask
	}
	return m
}

// Ended returns how many blocks of a job are no longer active: block_total_cnt
// (Fig 17).
func (p *Program) Ended(job uint8) int {
	if j := p.jobs[job]; j != nil {
		return j.conduct.ended
	}
	return 0
}

// Block is what a block record says (Fig 18), with the sums.
type Block struct {
	Job      uint8
	Block    uint32
	Gen      uint16
	Start    units.Time // block_start_time
	Received trace.Mask // rcvd_mask
	Sources  int        // rcvd_cnt
	Workers  int        // behind the sources: the sum of their src_cnt
	Grads    int        // grad_cnt
	AgeOp    uint8
	Final    bool
	Degraded bool
	Ref      bool   // the hash entry's "recently referenced" flag (§5)
	Sums     []byte // big-endian, as in the result, valid until the next call; nil: its packets carry lengths only
}

// Blocks returns every open block, timer thread by timer thread.
func (p *Program) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		for i := range p.scan.threads {
			for _, r := range p.scan.records(i) {
				if !yield(r.block()) {
					return
				}
			}
		}
	}
}

func (r *record) block() Block {
	b := Block{
		Job: r.key.job, Block: r.key.block, Gen: r.gen, Start: r.start, Received: r.rcvd, Sources: r.sources, Workers: r.workers,
		Grads: r.grads, AgeOp: ageOp(r.aged), Final: r.final, Degraded: r.degraded, Ref: r.ref,
	}
	if !r.hollow {
		b.Sums = r.sum
	}
	return b
}

// Open returns at most limit block records, the oldest first.
func (p *Program) Open(limit int) (out []dataplane.OpenBlock) {
	for b := range p.Blocks() {
		out = append(out, dataplane.OpenBlock{Job: b.Job, Gen: uint32(b.Gen), Block: b.Block, Have: b.Received, Want: p.Sources(b.Job), Since: b.Start})
	}
	slices.SortFunc(out, dataplane.Older)
	return out[:min(limit, len(out))]
}
