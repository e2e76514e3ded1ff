package job

import "github.com/inalab/inalab/internal/result"

// Tallied is a system that makes numbers for tables of what its nodes counted.
type Tallied interface {
	System
	// Tallies returns those of a job, always the same keys in the same order, by the counters of all
	// nodes of the run. Switches count for the other jobs of a lab, too.
	Tallies(j *Job, counters []result.Counter) []result.Tally
}

// Tallies returns the numbers that the job's system makes of counters; nil if it makes none.
func (j *Job) Tallies(counters []result.Counter) []result.Tally {
	if s, ok := j.System.(Tallied); ok {
		return s.Tallies(j, counters)
	}
	return nil
}
