package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/live"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/reports/claims"
)

// Options says how claims are checked.
type Options struct {
	Quick     bool
	Seed      rng.Root
	Readings  claims.Readings
	Constants *hostmodel.Constants // nil: [Constants]
	NoLive    string               // why live experiments cannot run here; "" where they can
	Observer  Observer
	// Dir returns the directory of an experiment's tables, as the report says it;
	// nil: there is none.
	Dir func(experiment string) string
}

// Observer is told how the experiments go on.
type Observer interface {
	Began(s Step)
	// Progress says what an experiment is at. It may be called from several
	// goroutines at once.
	Progress(s Step, text string)
	Ended(s Step, o Outcome)
	// Varies comes before the runs of [Sensitivity] with changed constants: how many
	// there are, and what they take if each is as long as that with the constants as
	// they are.
	Varies(runs int, seconds float64)
}

// Step is one run of an experiment.
type Step struct {
	Experiment *experiment.Experiment
	Index, Of  int
	Constant   string  // that is changed; "" in the runs that are judged
	Value      float64 // that it has then
	Unit       string
}

// Outcome is what became of one run of an experiment.
type Outcome struct {
	Findings experiment.Findings
	Seconds  float64 // of the wall clock
	Err      error   // why there are no findings

	env *experiment.Env
}

// Constants returns the constants that the run asked for.
func (o Outcome) Constants() []hostmodel.Constant { return o.env.Constants.Used() }

// Took reports whether the run asked for the reading of an ambiguity.
func (o Outcome) Took(ambiguity claims.ID) bool { return o.env.Took(ambiguity) }

// Unbelievable reports whether the run gave nothing because this machine was too
// busy for it, which says nothing about its claims.
func (o Outcome) Unbelievable() bool { return errors.Is(o.Err, live.ErrBusy) }

// Lacking reports whether the run gave nothing because this machine lacks something that it needs,
// as privileges or a compiler.
func (o Outcome) Lacking() bool { return errors.Is(o.Err, live.ErrLacks) }

// Reproduce runs the experiments that the selected claims and predictions need,
// in the order of the list, and judges what they measured. It ends early only
// when ctx does; then the report has what was known by that time.
func Reproduce(ctx context.Context, sel claims.Selection, list []experiment.Experiment, opt Options) (claims.Report, error) {
	report, _, err := reproduce(ctx, sel, list, opt)
	return report, err
}

// outcomes are those of experiments, by id.
type outcomes map[string]Outcome

func reproduce(ctx context.Context, sel claims.Selection, list []experiment.Experiment, opt Options) (claims.Report, outcomes, error) {
	needed := needed(sel, list, opt.NoLive == "")
	done := outcomes{}
	var stopped error
	for i, x := range needed {
		if stopped = ctx.Err(); stopped != nil {
			break
		}
		o := run(ctx, Step{Experiment: x, Index: i, Of: len(needed)}, opt, opt.constants())
		if stopped = ctx.Err(); stopped != nil {
			break // what it returned may be cut short
		}
		done[x.ID] = o
	}
	report, err := reportOf(sel, list, done, opt)
	return report, done, cmp.Or(stopped, err)
}

func (o Options) constants() *hostmodel.Constants {
	if o.Constants != nil {
		return o.Constants
	}
	return experiment.Constants()
}

// needed returns the experiments that measure something selected.
func needed(sel claims.Selection, list []experiment.Experiment, live bool) (out []*experiment.Experiment) {
	wanted := map[claims.ID]bool{}
	for _, c := range sel.Claims {
		wanted[c.ID] = c.Method != claims.NoWay
	}
	for _, w := range sel.Unseen {
		wanted[w.ID] = true
	}
	is := func(id claims.ID) bool { return wanted[id] }
	for i := range list {
		x := &list[i]
		if (live || !x.Live) && (slices.ContainsFunc(x.Claims, is) || slices.ContainsFunc(x.Predicts, is)) {
			out = append(out, x)
		}
	}
	return out
}

// run runs an experiment and tells the observer of it.
func run(ctx context.Context, s Step, opt Options, constants *hostmodel.Constants) Outcome {
	x := s.Experiment
	env := &experiment.Env{
		Quick: opt.Quick, Varied: s.Constant != "", Seed: opt.Seed, Constants: constants.Fresh(), Readings: opt.Readings,
		Progress: func(text string) { opt.Observer.Progress(s, text) },
	}
	opt.Observer.Began(s)
	began := time.Now()
	f, err := x.Run(ctx, env)
	if err == nil {
		err = f.Complete(x)
	}
	o := Outcome{Findings: f, Seconds: time.Since(began).Seconds(), Err: err, env: env}
	opt.Observer.Ended(s, o)
	return o
}

// reportOf judges what was selected, but for what was to be run and was not.
func reportOf(sel claims.Selection, list []experiment.Experiment, done outcomes, opt Options) (claims.Report, error) {
	var r claims.Report
	missed := 0
	for _, c := range sel.Claims {
		if res, ok := judge(c, list, done, opt); ok {
			r.Results = append(r.Results, res)
		} else {
			missed++
		}
	}
	for _, w := range sel.Unseen {
		switch res, ok, err := predict(w, list, done, opt); {
		case err != nil:
			return r, err
		case ok:
			r.Results = append(r.Results, res)
		default:
			missed++
		}
	}
	if opt.Quick {
		r.Notes = append(r.Notes, "quick: tensors and iterations are cut as each experiment says; a verdict in full may differ")
	}
	if missed > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("incomplete: %d claims are left out, whose experiments did not run to their end", missed))
	}
	return r, nil
}

// judge returns the result of a claim; ok is false where its experiment has not
// run.
func judge(c *claims.Claim, list []experiment.Experiment, done outcomes, opt Options) (r claims.Result, ok bool) {
	if c.Method == claims.NoWay {
		return c.Result(c.NotCheckable(), claims.Run{}), true
	}
	x := measures(list, c.ID)
	if x == nil {
		if c.Method == claims.Live && opt.NoLive != "" && waitsFor(c.ID) == "" {
			return c.Result(claims.NotRun(claims.NeedsRoot, opt.NoLive), claims.Run{}), true
		}
		return c.Result(claims.NotRun(claims.NotYet, WaitsFor(c.ID)), claims.Run{}), true
	}
	if x.Live && opt.NoLive != "" {
		return c.Result(claims.NotRun(claims.NeedsRoot, opt.NoLive), claims.Run{}), true
	}
	o, ok := done[x.ID]
	if !ok {
		return r, false
	}
	if o.Lacking() {
		return c.Result(claims.NotRun(claims.NeedsRoot, o.Err.Error()), o.run(x, opt)), true
	}
	if o.Err != nil {
		return c.Result(claims.Broken(o.Err), o.run(x, opt)), true
	}
	m := o.Findings.Measured[c.ID]
	m.Reading = cmp.Or(m.Reading, o.env.Taken())
	if m.Constants == nil {
		m.Constants = o.env.Assumed()
	}
	if opt.Quick {
		c = c.InQuick()
	}
	return c.Result(c.Judge(m), o.run(x, opt)), true
}

// predict returns the result of a value that is predicted and not compared; ok is false where its
// experiment has not run.
func predict(w *claims.Unseen, list []experiment.Experiment, done outcomes, opt Options) (r claims.Result, ok bool, err error) {
	x := predicts(list, w.ID)
	if x == nil {
		return w.Judged(claims.NotRun(claims.NotYet, WaitsFor(w.ID)), claims.Run{}), true, nil
	}
	if x.Live && opt.NoLive != "" {
		return w.Judged(claims.NotRun(claims.NeedsRoot, opt.NoLive), claims.Run{}), true, nil
	}
	o, ok := done[x.ID]
	if !ok {
		return r, false, nil
	}
	if o.Err != nil {
		return w.Judged(claims.Broken(o.Err), o.run(x, opt)), true, nil
	}
	p := o.Findings.Predicted[w.ID]
	p.Reading = cmp.Or(p.Reading, o.env.Taken())
	if p.Constants == nil {
		p.Constants = o.env.Assumed()
	}
	r, err = w.Result(p, o.run(x, opt))
	return r, true, err
}

func (o *Outcome) run(x *experiment.Experiment, opt Options) claims.Run {
	r := claims.Run{Seed: uint64(opt.Seed), Seconds: o.Seconds, Switch: x.Switch}
	if opt.Quick {
		r.Quick = x.Quick
	}
	if opt.Dir != nil {
		r.Dir = opt.Dir(x.ID)
	}
	return r
}

// measures returns the experiment that measures a claim, or nil.
func measures(list []experiment.Experiment, id claims.ID) *experiment.Experiment {
	return find(list, func(x *experiment.Experiment) bool { return slices.Contains(x.Claims, id) })
}

// predicts returns the experiment that predicts a value, or nil.
func predicts(list []experiment.Experiment, id claims.ID) *experiment.Experiment {
	return find(list, func(x *experiment.Experiment) bool { return slices.Contains(x.Predicts, id) })
}

func find(list []experiment.Experiment, is func(*experiment.Experiment) bool) *experiment.Experiment {
	if i := slices.IndexFunc(list, func(x experiment.Experiment) bool { return is(&x) }); i >= 0 {
		return &list[i]
	}
	return nil
}

// Find returns the experiment that measures or predicts id, or nil.
func Find(list []experiment.Experiment, id claims.ID) *experiment.Experiment {
	return cmp.Or(measures(list, id), predicts(list, id))
}

// WaitsFor says why no experiment measures or predicts id.
func WaitsFor(id claims.ID) string {
	return cmp.Or(waitsFor(id), "no experiment measures it")
}
