package trioml

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Protocol is what jobs of these programs speak.
const Protocol = "Trio-ML"

// Job is a job record (trio §4, Fig 17): what the control plane sets up on one PFE. A
// pointer to it is the [dataplane.Document] that engines take.
type Job struct {
	ID       uint8
	Sources  []uint8 // src_ids that take part at this PFE; 1 to 255 of them
	BlockMax int     // block_cnt_max, concurrent blocks; zero means DefaultBlockMax
	GradMax  int     // block_grad_max, gradients of a block; zero means wire.MaxGrads

	// Timeout is how long a block waits for its sources, block_exp; zero means that of the PFE. Where jobs of a
	// PFE have different ones, each is of whole milliseconds, at most MaxExp.
	Timeout units.Duration `json:",omitzero"`

	// The result packet: out_src_addr, out_dst_addr and out_nh_addr of Fig 17.
	Out       inet.Flow     // addressing
	To        []sansio.Port // ports it leaves by: the group's, or the fabric to the next level
	OutSource uint8         // src_id of the result: this PFE, as the next level knows it
}

// Protocol names it.
func (*Job) Protocol() string { return Protocol }

// DefaultBlockMax is the window of the paper's evaluation (§6.1).
const DefaultBlockMax = 4096

// MaxJobBlocks is the largest block_cnt_max: block_curr_cnt has 16 bits (trio Fig 17).
// block_cnt_max has 12 there, too few for §6.1.
const MaxJobBlocks = 65535

// Reasons for which a job is refused, in addition to those of package dataplane.
const (
	RefusedBlockCap dataplane.Reason = "block-cnt-max-out-of-range"
	RefusedGradCap  dataplane.Reason = "block-grad-max-out-of-range"
	RefusedTimeout  dataplane.Reason = "block-exp-out-of-range"
)

// check returns what is wrong with the job for every engine alike; nil: nothing.
func (j *Job) check() *dataplane.Refusal {
	if r := CheckSourceCount(int(j.ID), len(j.Sources)); r != nil {
		return r
	}
	var seen trace.Mask
	for _, s := range j.Sources {
		if seen.Has(s) {
			return dataplane.Refuse(dataplane.RefusedSource, "name it once", "job %d names source %d twice", j.ID, s)
		}
		seen.Set(s)
	}
	switch {
	case j.BlockMax < 0 || j.BlockMax > MaxJobBlocks:
		return dataplane.Refuse(RefusedBlockCap, "use 1 to 65535, or 0 for 4096", "job %d: block_cnt_max of %d blocks", j.ID, j.BlockMax)
	case j.GradMax < 0 || j.GradMax > wire.MaxGrads:
		return dataplane.Refuse(RefusedGradCap, "use 1 to 4095, or 0 for that", "job %d: block_grad_max of %d gradients", j.ID, j.GradMax)
	case j.Timeout < 0 || j.Timeout > MaxTimeout:
		return dataplane.Refuse(RefusedTimeout, fmt.Sprintf("use at most %v, or 0 for that of the PFE", MaxTimeout), "job %d: block_exp of %v", j.ID, j.Timeout)
	case !j.Out.Src.Is4() || !j.Out.Dst.Is4():
		return dataplane.Refuse(dataplane.RefusedResult, "give IPv4 addresses", "job %d sends its results from %v to %v", j.ID, j.Out.Src, j.Out.Dst)
	case len(j.To) == 0:
		return dataplane.Refuse(dataplane.RefusedPorts, "name at least one port", "job %d has no port for its results", j.ID)
	}
	return nil
}

// CheckSourceCount returns what is wrong with a job of n sources; nil: nothing.
func CheckSourceCount(job, n int) *dataplane.Refusal {
	switch {
	case n == 0:
		return dataplane.Refuse(dataplane.RefusedNoSources, "name 1 to 255", "job %d has no sources", job)
	case n > wire.MaxSources:
		return dataplane.Refuse(dataplane.RefusedManySources, "name at most 255: rcvd_cnt has 8 bits", "job %d has %d sources", job, n)
	}
	return nil
}

// SourceMask returns the sources as a set.
func (j *Job) SourceMask() (m trace.Mask) {
	for _, s := range j.Sources {
		m.Set(s)
	}
	return m
}

// withDefaults returns a copy that shares nothing with the job.
func (j Job) withDefaults() Job {
	j.Sources, j.To = slices.Clone(j.Sources), slices.Clone(j.To)
	j.BlockMax = cmp.Or(j.BlockMax, DefaultBlockMax)
	j.GradMax = cmp.Or(j.GradMax, wire.MaxGrads)
	return j
}

// buffers returns the memory that the job's blocks may take, if there are as many as
// its caps allow.
func (j *Job) buffers() units.Bytes { return units.Bytes(j.BlockMax) * units.Bytes(4*j.GradMax) }
