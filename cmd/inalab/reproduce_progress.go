package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/inalab/inalab/experiments"
)

// claimProgress shows how the check of claims goes on, a line for each
// experiment.
type claimProgress struct {
	mu   sync.Mutex // guards line: experiments report from several goroutines
	line statusLine
}

func (p *claimProgress) start(r *reproduction, dir string) {
	n := len(r.selection.Claims) + len(r.selection.Unseen)
	p.keep("seed %d\nclaims %d%s\nresults in %s", r.flags.seed, n, map[bool]string{true: ", quick"}[r.flags.quick], dir)
}

func (p *claimProgress) keep(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line.keep(format, args...)
}

// Began says that an experiment starts.
func (p *claimProgress) Began(s experiments.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line.draw(stepName(s) + "  " + s.Experiment.Title)
}

// Progress says what an experiment is at.
func (p *claimProgress) Progress(s experiments.Step, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line.due() {
		p.line.draw(stepName(s) + "  " + text)
	}
}

// Varies says what a check of sensitivity will take.
func (p *claimProgress) Varies(runs int, seconds float64) {
	p.keep("sensitivity: %d runs with changed constants, about %v", runs, time.Duration(seconds*float64(time.Second)).Round(time.Second))
}

// Ended writes the line that stays.
func (p *claimProgress) Ended(s experiments.Step, o experiments.Outcome) {
	if o.Err != nil {
		p.keep("%s  %6.1f s  failed: %v", stepName(s), o.Seconds, o.Err)
		return
	}
	p.keep("%s  %6.1f s", stepName(s), o.Seconds)
}

// stepName is "[3/17] trio.fig13" with what is changed behind it.
func stepName(s experiments.Step) string {
	name := fmt.Sprintf("[%d/%d] %-28s", s.Index+1, s.Of, s.Experiment.ID)
	if s.Constant != "" {
		name += fmt.Sprintf(" %-22s %.4g %s", s.Constant, s.Value, s.Unit)
	}
	return name
}
