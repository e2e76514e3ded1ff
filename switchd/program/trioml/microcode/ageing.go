package microcode

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Names of the timers of the program that age blocks. The PFE has one of them.
const (
	timerAge    = "age"        // all jobs have one timeout
	timerEach   = "age_each"   // they have different ones
	timerAbsent = "age_absent" // blocks do not wait for absent sources, whatever the timeouts
)

// ageing returns the timer that ages blocks at the start; zero: none does. No thread of it has
// anything to do where there is no block.
func ageing(cfg trioml.Config) trio.Timer {
	if cfg.NoAging {
		return trio.Timer{}
	}
	jobs := cfg.Table()
	for _, j := range cfg.Jobs {
		jobs.Add(j)
	}
	t := trio.Timer{Name: timerAge, Period: jobs.Period(), Threads: cfg.Threads, ScansOnly: true}
	switch {
	case cfg.Age == trioml.AgeAbsent:
		t.Name = timerAbsent
	case jobs.Several():
		t.Name = timerEach
	}
	return t
}

// retime gives the timer the period of the jobs that there are. Once timeouts have differed its
// threads look at every block: some may have less left than their job's.
func (e *Engine) retime(now units.Time) error {
	if e.timer == (trio.Timer{}) || e.jobs.Len() == 0 {
		return nil
	}
	next := e.timer
	next.Period = e.jobs.Period()
	if next.Name == timerAge && e.jobs.Several() {
		next.Name = timerEach
	}
	if next != e.timer {
		if err := e.SetTimer(now, e.timer.Name, next); err != nil {
			return err
		}
		e.timer = next
	}
	e.setSteps()
	return nil
}

// setSteps writes into every job record what a visit takes of the block_exp of a block. The word has
// the state of the job, too, which threads may have changed.
func (e *Engine) setSteps() {
	const shift = 16 // of the step in the first word of the record
	step := uint64(trioml.Exp(e.timer.Period)) << shift
	for j := range e.jobs.All() {
		a, _ := e.Memory().Hash().Peek(key(j.ID, JobBlock))
		if word, f := e.Memory().Load(a); f == mem.NoFault {
			e.Memory().Store(a, word&^(stepMask<<shift)|step)
		}
	}
}
