package dataplane

import (
	"cmp"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// OpenBlock is a block, or the phase of a slot, that waits for sources.
type OpenBlock struct {
	Job   uint8      `json:"job"`
	Gen   uint32     `json:"gen"`   // as in the engine's trace events
	Block uint32     `json:"block"` // likewise
	Have  trace.Mask `json:"have"`  // sources that are in it
	Want  trace.Mask `json:"want"`  // sources that it is made of
	Since units.Time `json:"since_ps"`
}

// Older orders open blocks: those that wait longest come first, then by generation, job and
// block.
func Older(a, b OpenBlock) int {
	return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Gen, b.Gen), cmp.Compare(a.Job, b.Job), cmp.Compare(a.Block, b.Block))
}

// Watched is an engine, or a server, that can be asked what it waits for, by who wonders why
// nothing moves. Asking changes nothing.
type Watched interface {
	// Sources returns everybody that blocks of a job are made of.
	Sources(job uint8) trace.Mask
	// Open returns at most limit open blocks, those that wait longest. A server that is asked for results
	// again has those as well, with all sources in them, behind the others.
	Open(limit int) []OpenBlock
}
