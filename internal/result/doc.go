// Package result is the record schema of a run: what a worker reports for each
// iteration, and what links, flows and throughput by time came to. It is a leaf: machines write these records, reports read them,
// and neither needs to know the other.
package result

import "github.com/inalab/inalab/internal/units"

// Sample is one iteration of one worker, a line of samples.jsonl. Times are
// picoseconds since the epoch of the run. An iteration starts at the worker's
// previous model update and ends at its next one.
type Sample struct {
	System      string         `json:"system"`
	StraggleP   float64        `json:"straggle_p"` // probability of the scenario, a fraction
	Worker      int            `json:"worker"`
	Iteration   int            `json:"iteration"` // 0-based
	Start       units.Time     `json:"start_ps"`
	End         units.Time     `json:"end_ps"`
	Delay       units.Duration `json:"delay_ps"`      // injected delay that this worker served in this iteration
	Degraded    int            `json:"degraded"`      // blocks whose result lacked a source
	Retransmits int            `json:"retransmits"`   // packets this worker sent again by its own timers
	Contributed bool           `json:"contributed"`   // whether any block of the result holds this worker's gradient
	Loss        *float64       `json:"loss"`          // mean training loss of the mini-batch; null where the gradient was dropped
	Accuracy    *float64       `json:"accuracy"`      // on the test set after the update, a fraction; null where not evaluated
	Job         string         `json:"job,omitempty"` // name of the job, where several shared the lab
}

// Outcome is what one all-reduce came to at one worker.
type Outcome struct {
	Degraded    int  // blocks whose result lacked a source
	Retransmits int  // packets sent again
	Contributed bool // whether any block of the result holds this worker's gradient
	Saturated   int  // values that did not fit the quantiser
}
