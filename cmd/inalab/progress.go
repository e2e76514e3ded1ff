package main

import (
	"fmt"
	"io"
	"time"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/scenarios"
)

// progress shows how an experiment goes on: one line that is rewritten on a
// terminal, a line at the end of each run elsewhere. It meets harness.Observer.
type progress struct {
	w        io.Writer
	quiet    bool
	terminal bool

	i, n    int
	samples int
	began   time.Time
	drawn   time.Time
}

// redraw is how often the line on a terminal is rewritten at most.
const redraw = 100 * time.Millisecond

func newProgress(w io.Writer, quiet bool) *progress {
	return &progress{w: w, quiet: quiet, terminal: redraws(w)}
}

func (p *progress) start(s *scenarios.Scenario, jobs []*job.Job, dir string) {
	if p.quiet {
		return
	}
	fmt.Fprintf(p.w, "seed %d\nscenario %s, model %s, scale 1/%d, MTU %d; %d runs of %d iterations\nresults in %s\n",
		s.Seed, s.Name, s.Model.Name, s.Scale, s.MTU, len(jobs), s.Iterations, dir)
}

// Began says that run i of n starts.
func (p *progress) Began(i, n int, j *job.Job) {
	p.i, p.n, p.samples, p.began = i, n, 0, time.Now()
	p.draw(j)
}

// Samples counts iterations.
func (p *progress) Samples(j *job.Job, s []result.Sample) {
	p.samples += len(s)
	if time.Since(p.drawn) >= redraw {
		p.draw(j)
	}
}

func (p *progress) draw(j *job.Job) {
	if p.quiet || !p.terminal {
		return
	}
	p.drawn = time.Now()
	fmt.Fprintf(p.w, "\r\033[K%s  iteration %d/%d", p.name(j), p.samples/len(j.Hosts()), j.Iterations)
}

func (p *progress) name(j *job.Job) string {
	return fmt.Sprintf("[%d/%d] %-11s on %-10s p=%2g%%", p.i+1, p.n, j.System.Name(), j.Plan.Name, 100*j.StraggleP)
}

// Ended writes the line that stays.
func (p *progress) Ended(j *job.Job, c result.Cell, err error) {
	if p.quiet {
		return
	}
	if p.terminal {
		fmt.Fprint(p.w, "\r\033[K")
	}
	outcome := c.Fidelity.Verdict
	if err != nil {
		outcome = "failed"
	}
	fmt.Fprintf(p.w, "%s  %6.1f s  %s\n", p.name(j), time.Since(p.began).Seconds(), outcome)
}
