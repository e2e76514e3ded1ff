package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/tcp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/reports/claims"
)

// ran is what came of a live run.
type ran struct {
	live.Measured
	logs []*trace.Log // of the nodes, switches first, of a run that is traced
	on   string       // what aggregated in switches, of a run of SwitchML or of hosts alone
}

// lab carries live runs out, one after the other, each in namespaces of its own,
// and remembers what must be told of them.
type lab struct {
	env *experiment.Env
	// lenient takes runs as well whose times cannot be believed. Of tests, and of experiments
	// that count and take no times: counts do not depend on how busy a machine is.
	lenient bool

	runs   int
	doubts []string // why runs are less than trusted, one each
}

// onLab makes the Run of a live experiment.
func onLab(run func(context.Context, *lab) (experiment.Findings, error)) func(context.Context, *experiment.Env) (experiment.Findings, error) {
	return func(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
		return run(ctx, &lab{env: e})
	}
}

// countingOnLab is [onLab] of an experiment that takes no times. That the machine was busy is
// said beside its values all the same.
func countingOnLab(run func(context.Context, *lab) (experiment.Findings, error)) func(context.Context, *experiment.Env) (experiment.Findings, error) {
	return func(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
		return run(ctx, &lab{env: e, lenient: true})
	}
}

// ErrBusy is wrapped where this machine was too busy for a run.
var ErrBusy = errors.New("the machine was too busy to believe the times")

// pauses come before each try of a run, as long as its times cannot be believed: what
// keeps a machine busy often comes in bursts of seconds. Whether they can be believed lies
// with this machine's timers alone, not with what the run has measured. (assumed)
var pauses = []time.Duration{0, 2 * time.Second, 10 * time.Second, 20 * time.Second}

// pause waits, or returns why not to.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// run carries a run out. Wrong sums are not an error here: see [lab.right].
func (l *lab) run(ctx context.Context, r liveRun) (out ran, err error) {
	err = l.believed(ctx, r.name, r.hosts, func() (result.Fidelity, error) {
		out, err = l.once(ctx, r)
		return out.Cell.Fidelity, err
	})
	return out, err
}

// believed carries a run of so many workers out, again where its times cannot be
// believed.
func (l *lab) believed(ctx context.Context, name string, workers int, run func() (result.Fidelity, error)) error {
	var last result.Fidelity
	for _, d := range pauses {
		if err := pause(ctx, d); err != nil {
			return err
		}
		l.env.Note("%s, %d workers", name, workers)
		var err error
		if last, err = run(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if last.Verdict == result.Invalid && !l.lenient {
			l.env.Note("%s: %s; once more", name, strings.Join(last.Reasons, "; "))
			continue
		}
		if last.Verdict != result.Trusted {
			l.doubts = append(l.doubts, fmt.Sprintf("%s (%s)", last.Reasons[0], name))
		}
		l.runs++
		return nil
	}
	return fmt.Errorf("%s: %w, %d times: %s", name, ErrBusy, len(pauses), strings.Join(last.Reasons, "; "))
}

// once carries a run out once.
func (l *lab) once(ctx context.Context, r liveRun) (out ran, err error) {
	j, err := r.job(l.env)
	if err != nil {
		return out, err
	}
	traced := 0
	if r.traced {
		traced = len(j.Plan.Switches) + len(j.Hosts()) + len(j.ServerHosts())
	}
	out.logs, err = inLab(ctx, traced, func(opt live.Options) error {
		out.Measured, err = live.Bench(ctx, j, r.warmup, opt)
		return err
	})
	if err == nil {
		out.on, err = testbed.RanOn(r.sys, &out.Cell)
	}
	return out, err
}

// inLab gives a run a lab of its own, and returns the events of so many nodes, or of
// [someNodes]; zero asks for none.
func inLab(ctx context.Context, traced int, run func(live.Options) error) (events []*trace.Log, err error) {
	err = live.WithLogs(ctx, "live", func(dir string) error {
		opt := live.Options{Lab: netns.NewLabName(), Logs: dir, Owner: journal.CurrentCaller()}
		if traced != 0 {
			opt.Events = func(logs []*trace.Log) { events = logs }
		}
		if err := run(opt); err != nil || traced == 0 {
			return err
		}
		return complete(events, traced)
	})
	return events, err
}

// shared is what came of jobs in one run.
type shared struct {
	set   *job.Set
	cells []result.Cell
	seen  *check.Tenants
}

// together carries jobs out at the same time on one switch. beside is told of the lab,
// when all are running; it may be nil.
func (l *lab) together(ctx context.Context, name string, set *job.Set, beside func(*netns.Lab) error) (s shared, err error) {
	s.set = set
	cells, logs, err := l.set(ctx, name, set, tracedOf(set), beside)
	if err != nil {
		return s, err
	}
	s.cells, s.seen = cells, check.NewTenants(set)
	for e := range trace.Merged(logs) {
		s.seen.Event(&e)
	}
	return s, nil
}

// workersOf counts the workers of all jobs.
func workersOf(set *job.Set) (n int) {
	for _, j := range set.Jobs {
		n += len(j.Hosts())
	}
	return n
}

// tracedOf counts the nodes of a lab of one switch that tell events: those that it has, but for
// the hosts of flows.
func tracedOf(set *job.Set) int {
	n := 1 + workersOf(set)
	for _, j := range set.Jobs {
		n += len(j.ServerHosts())
	}
	return n
}

// set carries jobs out at the same time, and returns the events of so many nodes.
func (l *lab) set(ctx context.Context, name string, set *job.Set, traced int, beside func(*netns.Lab) error) (cells []result.Cell, logs []*trace.Log, err error) {
	err = l.believed(ctx, name, workersOf(set), func() (result.Fidelity, error) {
		logs, err = inLab(ctx, traced, func(opt live.Options) (err error) {
			opt.Beside = beside
			cells, err = live.RunJobs(ctx, set, opt)
			return err
		})
		if err != nil {
			return result.Fidelity{}, err
		}
		return cells[len(cells)-1].Fidelity, nil
	})
	return cells, logs, err
}

// someNodes is for runs in which processes are killed: those leave no events.
const someNodes = -1

// complete refuses a trace that lacks a node or events.
func complete(logs []*trace.Log, want int) error {
	if len(logs) != want && want != someNodes {
		return fmt.Errorf("events of %d nodes, %d are there", want, len(logs))
	}
	for _, l := range logs {
		if n := l.Lost(); n > 0 {
			return fmt.Errorf("a node had no room for %d of its %d events: fewer iterations are needed", n, n+uint64(l.Len()))
		}
	}
	return nil
}

// right carries runs out, of which each sum must be right.
func (l *lab) right(ctx context.Context, runs ...liveRun) ([]ran, error) {
	var out []ran
	for i := range runs {
		m, err := l.run(ctx, runs[i])
		if err != nil {
			return nil, err
		}
		if c := &m.Cell; c.Wrong > 0 || c.Checked == 0 {
			return nil, fmt.Errorf("%s: %d of %d sums are wrong: %s", runs[i].name, c.Wrong, c.Checked, strings.Join(c.Notes, "; "))
		}
		out = append(out, m)
	}
	return out, nil
}

// say adds to a measured value which runs it is of, and how far they are to be
// believed.
func (l *lab) say(m claims.Measured, scale int, what string) claims.Measured {
	m.Model = fmt.Sprintf("live, scaled 1/%d; %s", scale, what)
	if n := len(l.doubts); n > 0 {
		doubt := fmt.Sprintf("%d of %d runs busy: %s", n, l.runs, l.doubts[0])
		if n > 1 {
			doubt += ", and others"
		}
		m.Note = strings.TrimPrefix(m.Note+"; "+doubt, "; ")
	}
	return m
}

// tcpOf says which congestion control the ring's connections have, which decides
// what a loss costs them.
func tcpOf() string {
	name, err := tcp.Congestion()
	if err != nil {
		return "ring over this kernel's TCP"
	}
	return fmt.Sprintf("ring over this kernel's TCP (%s)", name)
}
