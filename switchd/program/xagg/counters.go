package xagg

import "github.com/inalab/inalab/internal/sansio"

// Counter is what is counted of packets. The program in eBPF has the same, by number.
type Counter uint8

// The counters. Every packet is counted by one of Passed, Added, Stored, Resent and the refusals.
const (
	Passed    Counter = iota // not XAgg's, or addressed to somebody else
	Added                    // gradients
	Stored                   // results
	Resent                   // duplicate that had a finished element sent again
	Length                   // refused: other values than configured, or cut off
	OtherJob                 // refused
	NoTable                  // refused: gradients where there are no children, results where there is no parent
	OtherHost                // refused: no child's id, not the parent's, not one bit
	Index                    // refused: 0, or more than there are fragments
	Stale                    // refused: an iteration before
	Early                    // refused: an iteration past the window
	Duplicate                // refused
	Finished                 // elements that got their last child
	Sent                     // frames that were sent on, Resent ones too
	Queued                   // entries that were put into the check queue
	QueueFull                // entries that found no room there
	Overflows                // values that wrapped
	Counters                 // how many there are
)

// names of counters; drops begin with "drop-", as of all programs.
var names = [Counters]string{
	Passed: "xagg-passed", Added: "xagg-added", Stored: "xagg-stored", Resent: "xagg-resent",
	Length: "drop-xagg-length", OtherJob: "drop-xagg-other-job", NoTable: "drop-xagg-not-taken",
	OtherHost: "drop-xagg-other-host", Index: "drop-xagg-index", Stale: "drop-xagg-stale",
	Early: "drop-xagg-early", Duplicate: "drop-xagg-duplicate",
	Finished: "xagg-finished", Sent: "xagg-sent", Queued: "xagg-checks", QueueFull: "xagg-checks-lost", Overflows: "xagg-overflows",
}

// String returns the counter's name.
func (c Counter) String() string {
	if c < Counters {
		return names[c]
	}
	return "xagg-unknown"
}

// Tally is all counters.
type Tally [Counters]uint64

// Counts returns the counters by name, those of 0 left out.
func (t *Tally) Counts() (list []sansio.Count) {
	for c, n := range t {
		if n > 0 {
			list = append(list, sansio.Count{Name: names[c], N: n})
		}
	}
	return list
}
