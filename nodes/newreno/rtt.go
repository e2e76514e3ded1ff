package newreno

import "github.com/inalab/inalab/internal/units"

// estimator computes the retransmission timeout (RFC 6298 §2). Its clock has a
// granularity of a picosecond, which is nothing.
type estimator struct {
	rto          units.Duration // with the doublings since the last sample
	srtt, rttvar units.Duration
	sampled      bool
	min, max     units.Duration

	timing bool // a segment is being timed: one at a time (§3)
	mark   offset
	since  units.Time
}

// synLostRTO is the timeout to begin data with when the SYN's ran out (RFC 6298
// §5.7).
const synLostRTO = 3 * units.Second

// begin starts to time what ends before mark, unless something is timed already.
func (e *estimator) begin(now units.Time, mark offset) {
	if !e.timing {
		e.timing, e.mark, e.since = true, mark, now
	}
}

// discard gives a measurement up, since an acknowledgement could be for either copy
// of what was sent twice (Karn's rule, §3).
func (e *estimator) discard() { e.timing = false }

// acked takes a sample if what is timed is acknowledged.
func (e *estimator) acked(now units.Time, ack offset) {
	if e.timing && ack >= e.mark {
		e.timing = false
		e.sample(now.Sub(e.since))
	}
}

func (e *estimator) sample(r units.Duration) {
	if !e.sampled {
		e.sampled, e.srtt, e.rttvar = true, r, r/2 // (2.2)
	} else { // (2.3), in this order
		e.rttvar += (max(e.srtt-r, r-e.srtt) - e.rttvar) / 4
		e.srtt += (r - e.srtt) / 8
	}
	e.rto = min(max(e.srtt+4*e.rttvar, e.min), e.max) // (2.4), (2.5)
}

// backOff doubles the timeout (5.5).
func (e *estimator) backOff() { e.rto = min(2*e.rto, e.max) }
