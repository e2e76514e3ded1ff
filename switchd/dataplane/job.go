package dataplane

import (
	"encoding/json"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Job is the document of [Managed.AddJob] for engines that aggregate blocks of
// gradients: what the job record of one PFE says (trio §4, Fig 17).
type Job struct {
	Protocol Protocol      `json:"protocol,omitempty"`       // TrioML, or empty for that
	ID       int           `json:"id"`                       // 0 to MaxJobID
	Sources  []int         `json:"sources"`                  // src_ids that take part at this PFE
	BlockMax int           `json:"block_cnt_max,omitempty"`  // concurrent blocks; zero: DefaultJobBlocks
	GradMax  int           `json:"block_grad_max,omitempty"` // gradients a block; zero: MaxJobGrads
	Out      inet.Flow     `json:"out"`                      // addressing of results
	To       []sansio.Port `json:"to"`                       // ports that results leave by
	OutSrc   int           `json:"out_src_id"`               // src_id of results, as the next level knows this PFE
}

// Limits of a job record.
const (
	MaxJobID      = 255   // job_id has 8 bits (trio Fig 8)
	MaxJobSources = 255   // rcvd_cnt and src_cnt have 8 bits (trio Fig 8, 18)
	MaxJobSource  = 255   // src_id has 8 bits (trio Fig 8)
	MaxJobBlocks  = 65535 // block_curr_cnt has 16 bits (trio Fig 17); block_cnt_max has 12, too few for §6.1
	MaxJobGrads   = 4095  // grad_cnt has 12 bits (trio Fig 8)
	// DefaultJobBlocks is the window of the paper's evaluation (trio §6.1).
	DefaultJobBlocks = 4096
)

// DecodeJob reads a document strictly, checks it and fills in its defaults. An
// error is a [*Refusal].
func DecodeJob(config json.RawMessage) (Job, error) {
	var j Job
	if err := DecodeDocument(config, TrioML, "id, sources, block_cnt_max, block_grad_max, out, to, out_src_id", &j); err != nil {
		return Job{}, err
	}
	if r := j.check(); r != nil {
		return Job{}, r
	}
	if j.BlockMax == 0 {
		j.BlockMax = DefaultJobBlocks
	}
	if j.GradMax == 0 {
		j.GradMax = MaxJobGrads
	}
	return j, nil
}

// check returns what is wrong with the job for every engine alike; nil: nothing.
func (j *Job) check() *Refusal {
	if j.ID < 0 || j.ID > MaxJobID {
		return Refuse(RefusedID, "use 0 to 255", "job id %d does not fit its 8 bits", j.ID)
	}
	if r := j.checkSources(); r != nil {
		return r
	}
	switch {
	case j.BlockMax < 0 || j.BlockMax > MaxJobBlocks:
		return Refuse(RefusedBlockCap, "use 1 to 65535, or 0 for 4096", "job %d: block_cnt_max of %d blocks", j.ID, j.BlockMax)
	case j.GradMax < 0 || j.GradMax > MaxJobGrads:
		return Refuse(RefusedGradCap, "use 1 to 4095, or 0 for that", "job %d: block_grad_max of %d gradients", j.ID, j.GradMax)
	case !j.Out.Src.Is4() || !j.Out.Dst.Is4():
		return Refuse(RefusedResult, "give IPv4 addresses", "job %d sends its results from %v to %v", j.ID, j.Out.Src, j.Out.Dst)
	case len(j.To) == 0:
		return Refuse(RefusedPorts, "name at least one port", "job %d has no port for its results", j.ID)
	case j.OutSrc < 0 || j.OutSrc > MaxJobSource:
		return Refuse(RefusedSource, "use 0 to 255", "job %d: out_src_id %d does not fit its 8 bits", j.ID, j.OutSrc)
	}
	return nil
}

func (j *Job) checkSources() *Refusal {
	switch n := len(j.Sources); {
	case n == 0:
		return Refuse(RefusedNoSources, "name 1 to 255", "job %d has no sources", j.ID)
	case n > MaxJobSources:
		return Refuse(RefusedManySources, "name at most 255: rcvd_cnt has 8 bits", "job %d has %d sources", j.ID, n)
	}
	var seen [MaxJobSource + 1]bool
	for _, s := range j.Sources {
		switch {
		case s < 0 || s > MaxJobSource:
			return Refuse(RefusedSource, "use 0 to 255", "job %d: source %d does not fit the 8 bits of src_id", j.ID, s)
		case seen[s]:
			return Refuse(RefusedSource, "name it once", "job %d names source %d twice", j.ID, s)
		}
		seen[s] = true
	}
	return nil
}
