package xaggd

import "github.com/inalab/inalab/switchd/program/xagg"

// Store is the elements of a host, as its agent uses them: in the kernel (package switchd/xdp), or the
// [Twin] under the virtual clock.
type Store interface {
	// Drain appends the check queue to list, and empties it.
	Drain(list []xagg.Check) ([]xagg.Check, error)
	// Lost appends the gradient ids of a check's group up to its own that did not come from its host.
	Lost(list []uint32, c xagg.Check) ([]uint32, error)
	// Sum returns the element of gradients with a gradient id. Its values are valid until the next call.
	Sum(gradient uint32) (xagg.Element, error)
	// Results fills into with the results from a gradient id on, in the same way. A
	// model may have half a million, and a system call for each takes twice as long as reading batches.
	Results(from uint32, into []xagg.Element) error
	// Reconfigure changes children, parent, next hops and window, and leaves the elements.
	Reconfigure(c xagg.Config) error
	// Tally returns the counters, for whoever tells them: agents do not ask.
	Tally() (xagg.Tally, error)
}

// Twin is the store under the virtual clock, which never fails.
type Twin struct{ *xagg.Aggregator }

var _ Store = Twin{}

// Drain appends the check queue to list, and empties it.
func (t Twin) Drain(list []xagg.Check) ([]xagg.Check, error) { return t.Aggregator.Drain(list), nil }

// Lost appends the lost list of a check.
func (t Twin) Lost(list []uint32, c xagg.Check) ([]uint32, error) {
	return t.Aggregator.Lost(list, c), nil
}

// Sum returns an element of gradients.
func (t Twin) Sum(gradient uint32) (xagg.Element, error) { return t.Aggregator.Sum(gradient), nil }

// Results fills into with elements of results.
func (t Twin) Results(from uint32, into []xagg.Element) error {
	for i := range into {
		into[i] = t.Result(from + uint32(i))
	}
	return nil
}

// Tally returns the counters.
func (t Twin) Tally() (xagg.Tally, error) { return t.Aggregator.Tally(), nil }
