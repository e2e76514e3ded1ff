package trioml

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// MaxExp is the longest timeout that block_exp can say: it has 8 bits, in milliseconds (trio
// Fig 17, 18).
const MaxExp = 255 * units.Millisecond

// Exp returns block_exp of a timeout: milliseconds, rounded up; 255 is that or more.
func Exp(timeout units.Duration) uint8 {
	return uint8(min((timeout+units.Millisecond-1)/units.Millisecond, MaxExp/units.Millisecond))
}

// fitsExp reports whether block_exp tells a timeout from every other one.
func fitsExp(timeout units.Duration) bool {
	return timeout%units.Millisecond == 0 && timeout <= MaxExp
}

// checkTimeout returns what is wrong with a job's timeout among those of the others; nil: nothing.
func (t *Table) checkTimeout(j *Job) *dataplane.Refusal {
	if t.NoAging {
		return nil
	}
	if j.Timeout/units.Duration(max(1, t.Threads)) < units.Nanosecond {
		return dataplane.Refuse(RefusedTimeout, "raise it, or start fewer threads",
			"job %d: block_exp of %v over the %d timer threads of %s, less than 1ns apart", j.ID, j.Timeout, t.Threads, t.Node)
	}
	for e := range t.All() {
		if e.Timeout != j.Timeout && !(fitsExp(e.Timeout) && fitsExp(j.Timeout)) {
			return dataplane.Refuse(RefusedTimeout, fmt.Sprintf("give them the same, or each whole milliseconds up to %v", MaxExp),
				"job %d has a block_exp of %v on %s, where job %d has %v: block_exp has 8 bits of milliseconds to tell them apart", j.ID, j.Timeout, t.Node, e.ID, e.Timeout)
		}
	}
	return nil
}

// Period returns T of the timer threads: the longest of which the timeout of every job is a multiple. A
// block ages out between its timeout and a period more after its last packet. Without jobs it is the timeout
// of those that say none.
func (t *Table) Period() units.Duration {
	var out units.Duration
	for e := range t.All() {
		out = gcd(out, e.Timeout)
	}
	if out == 0 {
		return cmp.Or(t.Timeout, DefaultTimeout)
	}
	return out
}

// Several reports whether jobs have different timeouts.
func (t *Table) Several() bool {
	period := t.Period()
	for e := range t.All() {
		if e.Timeout != period {
			return true
		}
	}
	return false
}

// gcd returns the greatest common divisor.
func gcd(a, b units.Duration) units.Duration {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
