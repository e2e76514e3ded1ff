package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/inalab/inalab/harness"
	"github.com/inalab/inalab/harness/capacity"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/archive"
)

// trials makes a trial of each set.
type trials func(context.Context, []*job.Set) ([]capacity.Trial, error)

// settle finds the scale of a live run where the scenario leaves it open, and refuses one that
// is set and that this machine does not carry. Under the virtual clock that of the rule stands.
func (r *recording) settle(ctx context.Context, caller journal.Caller) error {
	if r.earlier != nil { // whose scale this is
		return nil
	}
	r.scaled.By = archive.ScaleSet
	if r.scenario.Auto {
		r.scaled.By = archive.ScaleRule
	}
	if r.flags.clock != "live" || r.flags.on != nil {
		return nil
	}
	tested := capacity.Heaviest(r.sets)
	if capacity.Unlimited(tested) || !r.scenario.Auto && capacity.Carried(tested) {
		return nil
	}
	t := selfTest{line: newStatusLine(r.stderr, r.flags.quiet), trials: r.trials, began: time.Now()}
	if t.trials == nil {
		images, err := worker.LoadImages()
		if err != nil {
			return err
		}
		t.trials = (&capacity.Live{Plain: r.flags.plain, Owner: caller, Images: images}).Run
	}
	act := r.check
	if r.scenario.Auto {
		act = r.find
	}
	err := act(ctx, &t, tested)
	if none := (*capacity.NoScale)(nil); errors.As(err, &none) {
		return withCode(exitPreflight, err)
	}
	return err
}

// find takes the least scale that this machine carries.
func (r *recording) find(ctx context.Context, t *selfTest, tested []*job.Set) error {
	search := capacity.NewSearch(tested, runtime.NumCPU())
	search.Over = func() bool { return time.Since(t.began) > selfTestTime }
	search.Tell = func(tried capacity.Tried) { t.line.keep("self-test at scale %d: %s", tried.Scale, tried.Why()) }
	found, err := capacity.Find(ctx, search, func(ctx context.Context, scale int) ([]capacity.Trial, error) {
		_, sets, err := r.at(scale)
		if err != nil {
			return nil, err
		}
		return t.run(ctx, scale, capacity.Heaviest(sets))
	})
	if err != nil {
		return err
	}
	s, sets, err := r.at(found.Scale)
	if err != nil {
		return err
	}
	r.scenario, r.sets = s, sets
	r.scaled = archive.Scaled{By: archive.ScaleSelfTest, Tried: found.Tried, Note: found.Note}
	t.line.keep("self-test: scale %d, found in %.1f s", found.Scale, time.Since(t.began).Seconds())
	if found.Note != "" {
		t.line.keep("self-test: %s", found.Note)
	}
	return nil
}

// check refuses a scale that takes more processor time than there is. What was only slow may have
// been so by chance: the run shows it.
func (r *recording) check(ctx context.Context, t *selfTest, tested []*job.Set) error {
	scale := r.scenario.Scale
	trials, err := t.run(ctx, scale, tested)
	if err != nil {
		return fmt.Errorf("self-test at scale %d: %w", scale, err)
	}
	r.slow = capacity.Slow(trials)
	return withCode(exitPreflight, capacity.Overloaded(scale, runtime.NumCPU(), trials))
}

// doubted is a runner of what was too slow for its scale in the self-test. Where it is in the run,
// too, its times are given up.
type doubted struct {
	harness.Runner
	slow map[string]string // why, by what ran
}

// RunSet runs jobs in a lab of their own.
func (d doubted) RunSet(ctx context.Context, s *job.Set, progress func([]result.Sample)) ([]result.Cell, error) {
	cells, err := d.Runner.RunSet(ctx, s, progress)
	why := d.slow[capacity.Name(s)]
	for i := range cells {
		if f := &cells[i].Fidelity; why != "" && capacity.TooSlow(&cells[i]) {
			f.Verdict = result.Invalid
			f.Reasons = append(f.Reasons, fmt.Sprintf("this machine does not carry scale %d: in the self-test, too, %s", cells[i].Scale, why))
		}
	}
	return cells, err
}

// selfTestTime is after how long no further scale is tried (assumed: a fraction of a scenario's time).
const selfTestTime = 20 * time.Second

// selfTest runs sets briefly, and says so.
type selfTest struct {
	line   statusLine
	trials trials
	began  time.Time
}

func (t *selfTest) run(ctx context.Context, scale int, sets []*job.Set) ([]capacity.Trial, error) {
	t.line.draw(fmt.Sprintf("self-test at scale %d", scale))
	return t.trials(ctx, sets)
}
