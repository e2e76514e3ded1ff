package result

import "github.com/inalab/inalab/internal/units"

// Blocks says how long the blocks of a run took, from the first packet that a worker sent of one to the last result
// that a worker took.
type Blocks struct {
	N   int            `json:"n"` // blocks whose events are known
	P50 units.Duration `json:"p50_ps"`
	P99 units.Duration `json:"p99_ps"`
	Max units.Duration `json:"max_ps"`

	// Resending is the time of the run in which some block waited to be sent again: from its first packet until the
	// last one that was sent again.
	Resending units.Duration `json:"resending_ps"`
}
