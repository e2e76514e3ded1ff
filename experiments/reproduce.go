package experiments

import (
	"context"
	"slices"
	"time"

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
	Began(i, n int, x *Experiment)
	Progress(x *Experiment, text string)
	// Ended hands the findings over; err is why there are none.
	Ended(x *Experiment, f Findings, seconds float64, err error)
}

// outcome is what became of one experiment.
type outcome struct {
	findings Findings
	env      *Env
	seconds  float64
	err      error
}

// Reproduce runs the experiments that the selected claims and predictions need,
// in the order of the list, and judges what they measured. It ends early only
// when ctx does.
func Reproduce(ctx context.Context, sel claims.Selection, list []Experiment, opt Options) (claims.Report, error) {
	needed := needed(sel, list, opt.NoLive == "")
	done := map[string]outcome{}
	for i, x := range needed {
		opt.Observer.Began(i, len(needed), x)
		o := run(ctx, x, opt, opt.constants())
		if err := ctx.Err(); err != nil {
			return claims.Report{}, err
		}
		done[x.ID] = o
		opt.Observer.Ended(x, o.findings, o.seconds, o.err)
	}
	return report(sel, list, done, opt)
}

func (o Options) constants() *hostmodel.Constants {
	if o.Constants != nil {
		return o.Constants
	}
	return Constants()
}

// needed returns the experiments that measure something selected.
func needed(sel claims.Selection, list []Experiment, live bool) (out []*Experiment) {
	wanted := map[claims.ID]bool{}
	for _, c := range sel.Claims {
		wanted[c.ID] = true
	}
	for _, w := range sel.Withheld {
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

func run(ctx context.Context, x *Experiment, opt Options, constants *hostmodel.Constants) outcome {
	env := &Env{
		Quick: opt.Quick, Seed: opt.Seed, Constants: constants.Fresh(), readings: opt.Readings, taken: map[claims.ID]string{},
		Progress: func(text string) { opt.Observer.Progress(x, text) },
	}
	began := time.Now()
	f, err := x.Run(ctx, env)
	if err == nil {
		err = f.complete(x)
	}
	return outcome{findings: f, env: env, seconds: time.Since(began).Seconds(), err: err}
}

// report judges what was selected.
func report(sel claims.Selection, list []Experiment, done map[string]outcome, opt Options) (claims.Report, error) {
	var r claims.Report
	for _, c := range sel.Claims {
		r.Results = append(r.Results, judge(c, list, done, opt))
	}
	for _, w := range sel.Withheld {
		res, err := predict(w, list, done, opt)
		if err != nil {
			return r, err
		}
		r.Results = append(r.Results, res)
	}
	if opt.Quick {
		r.Notes = append(r.Notes, "quick: tensors and iterations are cut as each experiment says; a verdict in full may differ")
	}
	return r, nil
}

func judge(c *claims.Claim, list []Experiment, done map[string]outcome, opt Options) claims.Result {
	if c.Method == claims.NoWay {
		return c.Result(c.NotCheckable(), claims.Run{})
	}
	x := find(list, func(x *Experiment) bool { return slices.Contains(x.Claims, c.ID) })
	if x == nil {
		return c.Result(c.NotYet(waitsFor(c.ID)), claims.Run{})
	}
	if x.Live && opt.NoLive != "" {
		return c.Result(c.NeedsRoot(opt.NoLive), claims.Run{})
	}
	o := done[x.ID]
	if o.err != nil {
		return c.Result(c.Broken(o.err), o.run(x, opt))
	}
	m := o.findings.Measured[c.ID]
	if m.Reading == "" {
		m.Reading = o.env.describe()
	}
	if m.Constants == nil {
		m.Constants = o.env.assumed()
	}
	return c.Result(c.Judge(m), o.run(x, opt))
}

func predict(w *claims.Withheld, list []Experiment, done map[string]outcome, opt Options) (claims.Result, error) {
	x := find(list, func(x *Experiment) bool { return slices.Contains(x.Predicts, w.ID) })
	if x == nil {
		return w.NotYet(waitsFor(w.ID), claims.Run{}), nil
	}
	o := done[x.ID]
	if o.err != nil {
		return w.Broken(o.err, o.run(x, opt)), nil
	}
	p := o.findings.Predicted[w.ID]
	if p.Reading == "" {
		p.Reading = o.env.describe()
	}
	if p.Constants == nil {
		p.Constants = o.env.assumed()
	}
	return w.Result(p, o.run(x, opt))
}

func (o *outcome) run(x *Experiment, opt Options) claims.Run {
	r := claims.Run{Seed: uint64(opt.Seed), Seconds: o.seconds}
	if opt.Quick {
		r.Quick = x.Quick
	}
	if opt.Dir != nil {
		r.Dir = opt.Dir(x.ID)
	}
	return r
}

func find(list []Experiment, is func(*Experiment) bool) *Experiment {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Find returns the experiment that measures or predicts id, or nil.
func Find(list []Experiment, id claims.ID) *Experiment {
	return find(list, func(x *Experiment) bool {
		return slices.Contains(x.Claims, id) || slices.Contains(x.Predicts, id)
	})
}
