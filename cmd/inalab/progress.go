package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/inalab/inalab/harness/capacity"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/scenarios"
)

// statusLine says on standard error how work goes on: on a terminal in one line
// that is rewritten, and everywhere in lines that stay.
type statusLine struct {
	w        io.Writer
	quiet    bool
	terminal bool
	drawn    time.Time
}

// redraw is how often the line on a terminal is rewritten at most.
const redraw = 100 * time.Millisecond

func newStatusLine(w io.Writer, quiet bool) statusLine {
	return statusLine{w: w, quiet: quiet, terminal: redraws(w)}
}

// due reports whether the line has stood for long enough.
func (l *statusLine) due() bool { return time.Since(l.drawn) >= redraw }

// draw rewrites the line, cut to the screen.
func (l *statusLine) draw(text string) {
	if l.quiet || !l.terminal {
		return
	}
	l.drawn = time.Now()
	if width := screenWidth(l.w); width > 0 {
		runes := []rune(text)
		text = string(runes[:min(len(runes), width-1)])
	}
	fmt.Fprint(l.w, "\r\033[K"+text)
}

// keep writes lines that stay, in place of the line that does not.
func (l *statusLine) keep(format string, args ...any) {
	if l.quiet {
		return
	}
	if l.terminal {
		fmt.Fprint(l.w, "\r\033[K")
	}
	fmt.Fprintf(l.w, format+"\n", args...)
}

// progress shows how a scenario goes on, a line for each run. It meets
// harness.Observer.
type progress struct {
	statusLine

	i, n    int
	samples int
	began   time.Time
}

func (p *progress) start(s *scenarios.Scenario, sets []*job.Set, dir string) {
	p.keep("seed %d\nscenario %s, model %s, scale 1/%d, MTU %d; %d runs of %d iterations\nresults in %s",
		s.Seed, s.Name, s.Model.Name, s.Scale, s.MTU, len(sets), s.Iterations, dir)
	for _, text := range capacity.Coarse(sets) {
		p.keep("caution: %s", text)
	}
}

// Began says that run i of n starts.
func (p *progress) Began(i, n int, s *job.Set) {
	p.i, p.n, p.samples, p.began = i, n, 0, time.Now()
	p.show(s)
}

// Samples counts iterations.
func (p *progress) Samples(of *job.Set, s []result.Sample) {
	p.samples += len(s)
	if p.due() {
		p.show(of)
	}
}

func (p *progress) show(s *job.Set) {
	all := 0
	for _, j := range s.Jobs {
		all += j.Iterations * len(j.Hosts())
	}
	longest := slices.MaxFunc(s.Jobs, func(a, b *job.Job) int { return cmp.Compare(a.Iterations, b.Iterations) }).Iterations
	p.draw(fmt.Sprintf("%s  iteration %d/%d", p.name(s), p.samples*longest/all, longest))
}

func (p *progress) name(s *job.Set) string {
	j := s.First()
	return fmt.Sprintf("[%d/%d] %-11s on %-10s %sp=%2g%%", p.i+1, p.n, s.Name(), j.Plan.Name, strings.TrimLeft(j.Point.String()+" ", " "), 100*j.StraggleP)
}

// Ended writes the line that stays.
func (p *progress) Ended(s *job.Set, cells []result.Cell, err error) {
	outcome := cells[0].Fidelity.Verdict
	if err != nil {
		outcome = "failed"
	}
	p.keep("%s  %6.1f s  %s", p.name(s), time.Since(p.began).Seconds(), outcome)
}
