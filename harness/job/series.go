package job

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Intervals of series that nobody chose.
const (
	usualIntervals  = 100               // of a run that takes as long as it should, about (assumed)
	defaultInterval = units.Millisecond // where nothing is known of that (assumed)
)

// validateInterval refuses one that makes too many of the run.
func (j *Job) validateInterval() error {
	switch run := j.expectedRun(); {
	case j.Interval < 0:
		return fmt.Errorf("an interval of %v: write a time above 0", j.Interval)
	case j.Interval > 0 && j.Elements > 0:
		return errors.New("an interval: a benchmark has no series")
	case j.Interval > 0 && run/j.Interval >= result.MaxIntervals:
		return fmt.Errorf("an interval of %v: the run should take %v, and a series has %d intervals at most: write %v or more", j.Interval, run, result.MaxIntervals, roundAbove(run/result.MaxIntervals))
	}
	return nil
}

// expectedRun returns when the job should be done.
func (j *Job) expectedRun() units.Duration {
	mean, _ := j.Expect()
	run := mean*units.Duration(j.Iterations) + j.Idle()
	if j.Until > 0 {
		return min(run, j.Until)
	}
	return run
}

// Interval returns the interval by which the lab records what comes to jobs and flows, or zero
// where it does not: a training alone, and benchmarks.
func (s *Set) Interval() units.Duration {
	var longest units.Duration
	for _, j := range s.Jobs {
		if j.Elements > 0 {
			return 0
		}
		longest = max(longest, j.expectedRun())
	}
	switch given := s.First().Interval; {
	case given > 0:
		return given
	case len(s.Jobs) == 1 && len(s.Flows()) == 0:
		return 0
	case longest == 0:
		return defaultInterval
	}
	return roundAbove(longest / (usualIntervals * 7 / 5)) // 56 to 140: round times are 2 or 2.5 apart
}

// roundAbove returns the least of 1, 2 and 5 times a power of ten that is above a time.
func roundAbove(d units.Duration) units.Duration {
	for power := units.Picosecond; ; power *= 10 {
		for _, digit := range []units.Duration{1, 2, 5} {
			if digit*power > d || power > units.Duration(units.Never)/100 {
				return digit * power
			}
		}
	}
}

// Metered is what meters of a run counted. None has nil.
type Metered struct {
	Workers [][]*result.Series // by job
	Flows   []*result.Series   // in the order of the set
}

// Throughputs returns the series of a run that ended at a time, by job: of it, and with the
// first of the flows. All have one interval, and as many of them.
func (s *Set) Throughputs(m Metered, end units.Time) [][]result.Throughput {
	interval := s.Interval()
	if interval == 0 {
		return make([][]result.Throughput, len(s.Jobs))
	}
	out := make([][]result.Throughput, len(s.Jobs))
	for i, j := range s.Jobs {
		out[i] = []result.Throughput{{Kind: result.KindJob, Name: j.Name, Series: sum(interval, m.Workers[i]...)}}
	}
	for i, f := range s.Flows() {
		out[0] = append(out[0], result.Throughput{Kind: f.Kind, Name: f.Name, Series: sum(interval, m.Flows[i])})
	}
	var all []*result.Series
	for _, list := range out {
		for i := range list {
			all = append(all, &list[i].Series)
		}
	}
	result.Align(end, all...)
	return out
}

// sum adds series up; an interval is what they began with.
func sum(interval units.Duration, list ...*result.Series) result.Series {
	total := result.Series{Interval: interval}
	for _, s := range slices.DeleteFunc(slices.Clone(list), func(s *result.Series) bool { return s == nil }) {
		total.Add(*s)
	}
	return total
}
