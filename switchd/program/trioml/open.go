package trioml

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Sources returns the sources of a job.
func (p *Program) Sources(job uint8) (m trace.Mask) {
	if j := p.jobs[job]; j != nil {
		m = j.mask
	}
	return m
}

// Open returns at most limit block records, the oldest first.
func (p *Program) Open(limit int) (out []dataplane.OpenBlock) {
	for i := range p.scan.threads {
		for _, r := range p.scan.records(i) {
			out = append(out, dataplane.OpenBlock{Job: r.job.ID, Gen: uint32(r.gen), Block: r.key.block, Have: r.rcvd, Want: r.job.mask, Since: r.start})
		}
	}
	slices.SortFunc(out, func(a, b dataplane.OpenBlock) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Gen, b.Gen), cmp.Compare(a.Block, b.Block))
	})
	return out[:min(limit, len(out))]
}
