package trioml

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Protocol is what jobs of this program speak.
const Protocol = "Trio-ML"

// Document is what a control plane says of a job: its job record at one PFE (trio §4,
// Fig 17).
type Document struct {
	ID       int           `json:"id"`                       // 0 to MaxJobID
	Sources  []int         `json:"sources"`                  // src_ids that take part at this PFE
	BlockMax int           `json:"block_cnt_max,omitempty"`  // concurrent blocks; zero: DefaultBlockMax
	GradMax  int           `json:"block_grad_max,omitempty"` // gradients a block; zero: MaxJobGrads
	Out      inet.Flow     `json:"out"`                      // addressing of results
	To       []sansio.Port `json:"to"`                       // ports that results leave by
	OutSrc   int           `json:"out_src_id"`               // src_id of results, as the next level knows this PFE
}

// Protocol names it.
func (*Document) Protocol() string { return Protocol }

// Reasons for which a job is refused, beside those of package dataplane.
const (
	RefusedBlockCap dataplane.Reason = "block-cnt-max-out-of-range"
	RefusedGradCap  dataplane.Reason = "block-grad-max-out-of-range"
)

// Limits of a job record.
const (
	MaxJobSources = 255   // rcvd_cnt and src_cnt have 8 bits (trio Fig 8, 18)
	MaxJobSource  = 255   // src_id has 8 bits (trio Fig 8)
	MaxJobBlocks  = 65535 // block_curr_cnt has 16 bits (trio Fig 17); block_cnt_max has 12, too few for §6.1
	MaxJobGrads   = 4095  // grad_cnt has 12 bits (trio Fig 8)
)

// JobOf returns the job record of a document. An error is a [*dataplane.Refusal].
func JobOf(d dataplane.Document) (Job, error) {
	doc, ok := d.(*Document)
	if !ok {
		return Job{}, dataplane.RefuseOther(d, Protocol, "name its --sources, without --slots, --elements and --worker")
	}
	if r := doc.check(); r != nil {
		return Job{}, r
	}
	j := Job{ID: uint8(doc.ID), BlockMax: doc.BlockMax, GradMax: doc.GradMax, Out: doc.Out, To: doc.To, OutSource: uint8(doc.OutSrc)}
	for _, s := range doc.Sources {
		j.Sources = append(j.Sources, uint8(s))
	}
	return j.withDefaults(), nil
}

// check returns what is wrong with the job for every engine alike; nil: nothing.
func (j *Document) check() *dataplane.Refusal {
	if j.ID < 0 || j.ID > dataplane.MaxJobID {
		return dataplane.Refuse(dataplane.RefusedID, "use 0 to 255", "job id %d does not fit its 8 bits", j.ID)
	}
	if r := j.checkSources(); r != nil {
		return r
	}
	switch {
	case j.BlockMax < 0 || j.BlockMax > MaxJobBlocks:
		return dataplane.Refuse(RefusedBlockCap, "use 1 to 65535, or 0 for 4096", "job %d: block_cnt_max of %d blocks", j.ID, j.BlockMax)
	case j.GradMax < 0 || j.GradMax > MaxJobGrads:
		return dataplane.Refuse(RefusedGradCap, "use 1 to 4095, or 0 for that", "job %d: block_grad_max of %d gradients", j.ID, j.GradMax)
	case !j.Out.Src.Is4() || !j.Out.Dst.Is4():
		return dataplane.Refuse(dataplane.RefusedResult, "give IPv4 addresses", "job %d sends its results from %v to %v", j.ID, j.Out.Src, j.Out.Dst)
	case len(j.To) == 0:
		return dataplane.Refuse(dataplane.RefusedPorts, "name at least one port", "job %d has no port for its results", j.ID)
	case j.OutSrc < 0 || j.OutSrc > MaxJobSource:
		return dataplane.Refuse(dataplane.RefusedSource, "use 0 to 255", "job %d: out_src_id %d does not fit its 8 bits", j.ID, j.OutSrc)
	}
	return nil
}

func (j *Document) checkSources() *dataplane.Refusal {
	switch n := len(j.Sources); {
	case n == 0:
		return dataplane.Refuse(dataplane.RefusedNoSources, "name 1 to 255", "job %d has no sources", j.ID)
	case n > MaxJobSources:
		return dataplane.Refuse(dataplane.RefusedManySources, "name at most 255: rcvd_cnt has 8 bits", "job %d has %d sources", j.ID, n)
	}
	var seen [MaxJobSource + 1]bool
	for _, s := range j.Sources {
		switch {
		case s < 0 || s > MaxJobSource:
			return dataplane.Refuse(dataplane.RefusedSource, "use 0 to 255", "job %d: source %d does not fit the 8 bits of src_id", j.ID, s)
		case seen[s]:
			return dataplane.Refuse(dataplane.RefusedSource, "name it once", "job %d names source %d twice", j.ID, s)
		}
		seen[s] = true
	}
	return nil
}
