package compare

import (
	"fmt"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/stat"
)

// Ideal names the computed row that others are held against.
const Ideal = "ideal"

// Row is one line of summary.csv: one system at one point of a sweep. A nil
// pointer, and an estimate that is not known, mean "not applicable".
type Row struct {
	System    string
	Job       string // where several shared the lab
	Lab       string // what ran there, where the jobs were of several systems
	Topology  string
	Switch    string // what aggregated in switches; empty: nothing did
	Model     string
	Clock     string
	StraggleP float64 // fraction
	Point     result.Point
	Seed      uint64
	Scale     int
	Workers   int
	Computed  bool // calculated, not run: what follows is not a measurement

	IsBaseline bool // the others are held against it

	Iter            stat.Estimate // iteration time in ms; N is the number of iterations, 0 in a computed row
	Expected        *float64      // iteration time in ms that the schedule allows
	ExpectedIsBound bool          // Expected is an upper bound, not a value

	Rate       *float64      // bit/s: the gradient of a job that trains nothing over the iteration time
	Inflation  *float64      // iteration time over that of the same system at the first point of the sweep
	RatioIdeal *float64      // iteration time over the ideal's
	Speedup    stat.Estimate // iteration time of the baseline over this system's, paired

	// The other side of a ratio is not to be believed: the ideal, or the run of
	// the baseline. Whether this one is, Fidelity says.
	RatioInvalid, SpeedupInvalid bool

	DegradedBlocks *int           // blocks with a degraded result, at the worker that saw most
	Resent         *result.Resent // by all workers and servers
	Accuracy       *float64       // fraction, the last that was evaluated
	Wrong, Checked *uint64        // elements
	Marks, Drops   *uint64        // frames, over all links

	// Of one of several jobs of a lab.
	Throughput *float64     // bit/s of payload that came to a worker, in the time of its iterations
	Jain       *float64     // index of the rates of iterations of the jobs of its model
	Depth      *units.Bytes // no more waited for 99% of the time before any line of its hosts

	Course    []string          // what was done to processes
	Decisions []result.Decision // of servers by themselves
	Ended     *float64          // s, when the job was ended before it was done

	Fidelity result.Fidelity
	Notes    []string // deviations that the runner reported
	Warnings []string // what to know before believing the statistics
}

// Invalid reports whether the run behind the row is not to be believed.
func (r Row) Invalid() bool { return r.Fidelity.Verdict == result.Invalid }

// Time returns the iteration time in ms, measured or computed.
func (r Row) Time() (ms float64, ok bool) {
	return r.Iter.Value, r.Computed || r.Iter.Known()
}

// newRow reports one cell by itself.
func newRow(c result.Cell, s series) Row {
	r := Row{
		System: c.System, Job: c.Job, Lab: c.Lab, Topology: c.Topology, Switch: c.Switch, Model: c.Model, Clock: c.Clock,
		StraggleP: c.StraggleP, Point: c.Point, Seed: c.Seed, Scale: c.Scale, Workers: c.Workers,
		Computed: c.Computed != 0, Fidelity: c.Fidelity, Notes: c.Notes,
	}
	if c.Expected != 0 {
		expected := c.Expected.Milliseconds()
		r.Expected, r.ExpectedIsBound = &expected, c.ExpectedIsBound
	}
	if r.Computed {
		r.Iter = stat.Estimate{Value: c.Computed.Milliseconds()}
		r.rate(c)
		return r
	}
	r.Iter = stat.Mean(s.times())
	r.rate(c)
	r.warn("iteration time", r.Iter.Warnings)
	r.Warnings = append(r.Warnings, s.warnings...)
	r.count(c)
	return r
}

// rate fills in that of a job that trains nothing.
func (r *Row) rate(c result.Cell) {
	if ms, ok := r.Time(); ok && ms > 0 && c.Gradient > 0 {
		rate := 8 * float64(c.Gradient) / (ms / 1e3)
		r.Rate = &rate
	}
}

// count fills in what is added up rather than averaged.
func (r *Row) count(c result.Cell) {
	degraded := degradedBlocks(c.Samples)
	r.DegradedBlocks, r.Resent = &degraded, &c.Resent
	r.Wrong, r.Checked = &c.Wrong, &c.Checked
	r.Marks, r.Drops = new(uint64), new(uint64)
	for _, l := range c.Links {
		*r.Marks += l.Marks
		*r.Drops += l.Dropped()
	}
	if c.Job != "" {
		r.Throughput, r.Depth = throughput(&c), &c.Depth
	}
	r.Accuracy = lastAccuracy(c.Samples)
	r.Course, r.Decisions = c.Course, c.Decisions
	if c.Ended != nil {
		at := c.Ended.At.Sub(0).Seconds()
		r.Ended = &at
	}
	if c.Unchecked > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d delivered values were not checked: a worker ended before it had recorded what it contributed", c.Unchecked))
	}
	switch {
	case c.Wrong > 0:
		r.Warnings = append(r.Warnings, "the sums are wrong: the times are those of a broken run")
	case c.Checked == 0 && (c.Ended == nil || len(c.Samples) > 0):
		r.Warnings = append(r.Warnings, "no sum was checked")
	}
}

func (r *Row) warn(about string, warnings []string) {
	for _, w := range warnings {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %s", about, w))
	}
}
