package switchml

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
)

// Least retransmission timeouts by default.
const (
	liveTimeout    = 10 * units.Millisecond // of the public client
	virtualTimeout = 1 * units.Millisecond  // of the paper (§6.3); of 32 values also live (ATP §5.2.3)
)

// tripsOfTimeout is how many round trips of a full pool a default timeout is at least (assumed: 3
// to 10; the paper has 1 ms for round trips of tens of microseconds). A worker that waits for another sends
// its whole pool again, and what it sends next is behind that: with 2 or fewer its timers go off again, and so on
// until the end of the run.
const tripsOfTimeout = 4

// timeout is how long a worker waits before it sends again.
func (s System) timeout(j *job.Job) units.Duration {
	return cmp.Or(s.Timeout, s.defaultTimeout(j))
}

// defaultTimeout is 10 ms live and 1 ms virtual, or what the round trip of a full pool asks for at
// the rate of the job and beside its flows.
func (s System) defaultTimeout(j *job.Job) units.Duration {
	if !s.Retransmit { // it is used for nothing
		return s.leastTimeout(j)
	}
	return max(s.leastTimeout(j), tripsOfTimeout*j.BesideFlows(s.poolTrip(j)))
}

// resends is the timeout after which workers send again; zero: never.
func (s System) resends(j *job.Job) units.Duration {
	if !s.Retransmit {
		return 0
	}
	return s.timeout(j)
}

func (s System) leastTimeout(j *job.Job) units.Duration {
	if j.Virtual || s.elements() == inATP {
		return virtualTimeout
	}
	return liveTimeout
}

// timeoutKey is the knob that sets the timeout.
func (s System) timeoutKey() string {
	if s.elements() == inATP {
		return "switchml.timeout180"
	}
	return "switchml.timeout"
}

// checkTimeout refuses a timeout that is over before the sums of a full pool can be there: workers
// would send everything again, and what they send again delays the rest.
func (s System) checkTimeout(j *job.Job) error {
	trip := s.poolTrip(j)
	if !s.Retransmit || s.Timeout == 0 || s.Timeout >= trip {
		return nil
	}
	return fmt.Errorf("%s=%v is below the %v that a full pool of %d slots takes to the switch and back at %v (scale %d), so that workers would send again what is not lost: set %v or more, or %[1]s=default, or a smaller switchml.pool",
		s.timeoutKey(), s.Timeout, trip, s.slots(j), j.Rate(), j.Scale, s.defaultTimeout(j))
}

// timeoutRule says how a default timeout follows.
func (s System) timeoutRule(j *job.Job) string {
	least, d := s.leastTimeout(j), s.timeout(j)
	switch {
	case !s.Retransmit || s.Timeout > 0:
		return ""
	case d > least:
		return fmt.Sprintf("timeout of %v by rule: %d round trips of a full pool of %d slots, which take longer than %v", d, tripsOfTimeout, s.slots(j), least)
	case d == liveTimeout:
		return fmt.Sprintf("timeout of %v by rule: that of the public client", d)
	}
	return fmt.Sprintf("timeout of %v by rule: that of the paper (SwitchML section 6.3)", d)
}

// leastTrips is how many round trips of a full pool a timeout must be for one that goes off in vain not to set
// off others: the pool that was sent again is before what is sent next (assumed, with a third for what
// flows and lines between switches add).
const leastTrips = 3

// timeoutNote says where a default timeout is longer than that of the paper or the public client, and where
// one that was set is short.
func (s System) timeoutNote(j *job.Job) []string {
	least, d := s.leastTimeout(j), s.timeout(j)
	trip, beside := s.poolTrip(j), ""
	switch {
	case !s.Retransmit:
		return nil
	case s.Timeout > 0 && d < leastTrips*trip:
		return []string{fmt.Sprintf("timeout of %v is less than %d of the %v that a full pool of %d slots takes to the switch and back: after a loss or a wait workers may send everything again until the end", d, leastTrips, trip, s.slots(j))}
	case s.Timeout > 0 || d == least:
		return nil
	}
	if with := j.BesideFlows(trip); with > trip {
		beside = fmt.Sprintf(", and %v beside flows", with)
	}
	return []string{fmt.Sprintf("timeout of %v in place of %v: a full pool of %d slots takes %v to the switch and back at %v%s", d, least, s.slots(j), trip, j.Rate(), beside)}
}
