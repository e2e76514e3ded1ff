package result

import (
	"math"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// MaxIntervals bounds a series (assumed: forty times what a run has by default). One that
// would be longer has its intervals doubled.
const MaxIntervals = 4000

// Series is how many bytes came in each interval of a run's time. The first begins at the
// epoch.
type Series struct {
	Interval units.Duration `json:"interval"`
	Bytes    []units.Bytes  `json:"bytes"`
}

// Throughput is the series of a job or a flow: rows of series.csv.
type Throughput struct {
	Kind   string // KindJob, or that of the flow
	Name   string // of the job or flow; empty: the only job
	Series        // payload that came to the workers of the job, or to the receiver of the flow
}

// KindJob is the kind of the series of a job.
const KindJob = "job"

// Start returns when an interval begins.
func (s *Series) Start(i int) units.Time { return units.Time(i) * units.Time(s.Interval) }

// Rate returns what came in an interval, in bit/s.
func (s *Series) Rate(i int) float64 {
	return math.Round(8 * float64(s.Bytes[i]) / s.Interval.Seconds())
}

// Sum returns the bytes of all intervals.
func (s *Series) Sum() (sum units.Bytes) {
	for _, n := range s.Bytes {
		sum += n
	}
	return sum
}

// Double makes intervals twice as long, so that two become one.
func (s *Series) Double() {
	for i, n := range s.Bytes {
		if i%2 == 0 {
			s.Bytes[i/2] = n
		} else {
			s.Bytes[i/2] += n
		}
	}
	s.Bytes, s.Interval = s.Bytes[:(len(s.Bytes)+1)/2], 2*s.Interval
}

// Add adds what another series counted, whose interval was once the same.
func (s *Series) Add(o Series) {
	o.Bytes = slices.Clone(o.Bytes)
	Align(0, s, &o)
	for i, n := range o.Bytes {
		s.Bytes[i] += n
	}
}

// Align gives series of one run, which began with one interval, the longest that any of them
// has, and as many intervals, up to the end of the run at least.
func Align(end units.Time, list ...*Series) {
	var longest units.Duration
	for _, s := range list {
		longest = max(longest, s.Interval)
	}
	for longest > 0 && units.Duration(end)/longest >= MaxIntervals {
		longest *= 2
	}
	var most int
	for _, s := range list {
		for 0 < s.Interval && s.Interval < longest {
			s.Double()
		}
		most = max(most, len(s.Bytes))
	}
	if longest > 0 {
		most = max(most, int((units.Duration(end)+longest-1)/longest))
	}
	for _, s := range list {
		s.Bytes = append(s.Bytes, make([]units.Bytes, most-len(s.Bytes))...)
	}
}
