package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/events"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// Runner runs the jobs of a lab. It returns a cell for each, valid beside an error as far as
// the run came. progress is called with the samples of iterations that are over.
type Runner interface {
	RunSet(ctx context.Context, s *job.Set, progress func([]result.Sample)) ([]result.Cell, error)
}

// Live runs jobs on real packets.
type Live struct {
	Options live.Options
	Events  Events
	Packets Capturing
}

// RunSet runs jobs in a lab of their own.
func (l Live) RunSet(ctx context.Context, s *job.Set, progress func([]result.Sample)) ([]result.Cell, error) {
	opt := l.Options
	opt.Progress = progress
	var logs []*trace.Log
	if l.Events.wanted(s) {
		opt.Events = func(of []*trace.Log) { logs = of }
	}
	end := func() error { return nil }
	if l.Packets.Open != nil {
		var err error
		if opt.Packets, end, err = l.Packets.live(ctx, s); err != nil {
			return s.Cells(), err
		}
	}
	cells, err := live.RunJobs(ctx, s, opt)
	if l.Packets.Open != nil {
		for i := range cells {
			cells[i].Fidelity.Warn(capturedCaution)
		}
	}
	return cells, errors.Join(err, l.Events.record(s, cells, logs, err), end())
}

// Virtual runs jobs under the virtual clock.
type Virtual struct {
	Images  worker.Images
	Events  Events
	Packets Capturing
}

// RunSet runs jobs of one lab in this process.
func (v Virtual) RunSet(ctx context.Context, s *job.Set, progress func([]result.Sample)) ([]result.Cell, error) {
	o := sim.Observer{Progress: progress}
	if v.Events.wanted(s) {
		o.Log = trace.NewLog(events.RunLimit)
	}
	end := func(...capture.Lost) error { return nil }
	if v.Packets.Open != nil {
		c, endCapture, err := v.Packets.begin(s, virtualHold)
		if err != nil {
			return s.Cells(), err
		}
		o.Tap, end = capture.Virtual{Capture: c}, endCapture
	}
	cells, err := sim.RunJobs(ctx, s, v.Images, o)
	return cells, errors.Join(err, v.Events.record(s, cells, []*trace.Log{o.Log}, err), end())
}

// Events says which events of a job that has a lab for itself are kept, and who takes them.
// The zero value keeps none.
type Events struct {
	Want events.Want
	Take func(events.Record) error // needed where Want is not zero
}

func (e Events) wanted(s *job.Set) bool { return e.Want.Mode != events.None && len(s.Jobs) == 1 }

// record hands over what is wanted of the logs of a run, also of one that ended
// with an error, and notes how long its blocks took.
func (e Events) record(s *job.Set, cells []result.Cell, logs []*trace.Log, runErr error) error {
	if !e.wanted(s) || len(logs) == 0 {
		return nil
	}
	j := s.First()
	if len(cells) == 1 {
		cells[0].Blocks = events.Blocks(j, logs)
	}
	if err := e.Take(events.New(j, e.Want, logs, runErr)); err != nil {
		return fmt.Errorf("recording the events of %s: %w", j.System.Name(), err)
	}
	return nil
}

// Observer is told how an experiment goes on.
type Observer interface {
	// Began says that run i of n starts.
	Began(i, n int, s *job.Set)
	// Samples says that iterations are over.
	Samples(of *job.Set, s []result.Sample)
	// Ended hands over what the jobs of a run came to; err is why it ended early.
	Ended(s *job.Set, cells []result.Cell, err error)
}

// Experiment is a list of runs, of one job or of several in a lab. Runs of one seed stand
// together, and of these the runs of one point of a sweep.
type Experiment struct {
	Name string
	Sets []*job.Set
}

// Run does the runs in order and returns the cells of each, those of a seed and a point of
// the sweep behind the ideals that are computed from them. It stops at the first run that
// fails, and returns what there is beside the error: the cells until then, and those of the
// failed run of which any iterations ended. Others of it that were counted come last.
func (e Experiment) Run(ctx context.Context, r Runner, o Observer) ([]result.Cell, error) {
	var cells []result.Cell
	first := 0 // index in cells of the first of the seed and point
	for i, s := range e.Sets {
		list, err := e.run(ctx, i, r, o)
		var counted []result.Cell // of a failed run, without an iteration
		for _, cell := range list {
			switch {
			case err == nil || len(cell.Samples) > 0:
				cells = append(cells, cell)
			case len(cell.Counters) > 0:
				counted = append(counted, cell)
			}
		}
		if (e.last(i) || err != nil) && first < len(cells) {
			cells = slices.Insert(cells, first, ideals(s, cells[first:])...)
			first = len(cells)
		}
		if err != nil {
			return append(cells, counted...), fmt.Errorf("%s at %s: %w", s.Name(), list[0].At(), err)
		}
	}
	return cells, nil
}

// last reports whether run i is the last of its seed and point.
func (e Experiment) last(i int) bool {
	if i+1 == len(e.Sets) {
		return true
	}
	j, next := e.Sets[i].First(), e.Sets[i+1].First()
	return next.Seed != j.Seed || next.Point.Index != j.Point.Index
}

// run does run i.
func (e Experiment) run(ctx context.Context, i int, r Runner, o Observer) ([]result.Cell, error) {
	s := e.Sets[i]
	o.Began(i, len(e.Sets), s)
	cells, err := r.RunSet(ctx, s, func(list []result.Sample) { o.Samples(s, list) })
	if err != nil {
		for i := range cells {
			cells[i].Notes = append(slices.Clone(cells[i].Notes), "the run ended with an error")
			if f := &cells[i].Fidelity; f.Verdict == "" { // nobody came to judge it
				f.Verdict, f.Reasons = result.Invalid, append(slices.Clone(f.Reasons), "the run ended with an error: "+firstLine(err))
			}
		}
	}
	o.Ended(s, cells, err)
	return cells, err
}

// firstLine returns the first line of an error.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// ideals returns the computed row of each job of one seed.
func ideals(s *job.Set, cells []result.Cell) (out []result.Cell) {
	for _, j := range s.Jobs {
		of := slices.DeleteFunc(slices.Clone(cells), func(c result.Cell) bool { return c.Job != j.Name })
		out = append(out, ideal(j, of))
	}
	return out
}

// ideal returns the computed row of one seed. Where the compute time of its runs
// was measured, it takes the place of the nominal one.
func ideal(j *job.Job, cells []result.Cell) result.Cell {
	c := j.IdealCell()
	if measured := leastDisturbed(cells); measured > 0 {
		c.Computed = j.Ideal() - j.Model.Compute + measured
	}
	return c
}

// leastDisturbed returns the mean compute time of the cells with the smallest
// straggle probability of all that know theirs; 0 where none does.
func leastDisturbed(cells []result.Cell) units.Duration {
	var sum units.Duration
	var n int
	var p float64
	for _, c := range cells {
		switch {
		case c.Compute == 0 || n > 0 && c.StraggleP > p:
			continue
		case n == 0 || c.StraggleP < p:
			sum, n, p = 0, 0, c.StraggleP
		}
		sum, n = sum+c.Compute, n+1
	}
	return sum / units.Duration(max(1, n))
}
