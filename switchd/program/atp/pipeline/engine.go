package pipeline

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// Engine is a chip that runs ATP, with its control plane. It meets dataplane.Engine, Managed and
// Watched; what it does with packets is the chip's.
type Engine struct {
	*atp.Table
	chip    *tofino.Chip
	opts    Options
	state   state
	watch   watcher
	entries map[uint8][]placedEntry // of jobs; looked up, never ranged
}

// Program returns the program of a switch as data.
func Program(cfg atp.Config, o Options) *ir.Program {
	b := builder{aggregators: cfg.Aggregators, age: cmp.Or(cfg.Age, atp.DefaultAge)}
	if o.Timing != nil && o.Timing.Front > 0 { // else their queues are outside, and the traffic manager marks what waits inside
		b.mark = o.Timing.Mark
	}
	return b.program()
}

// New returns the chip of a configuration, which may have at most [MaxAggregators].
func New(cfg atp.Config, o Options) (*Engine, error) {
	e, err := build(cfg, o)
	if err == nil {
		for i := range cfg.Jobs {
			if _, err = e.AddJob(0, &cfg.Jobs[i]); err != nil {
				break
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("loading chip %s with ATP: %w", cfg.Node, err)
	}
	return e, nil
}

// build returns a chip without jobs.
func build(cfg atp.Config, o Options) (*Engine, error) {
	if err := o.validate(&cfg); err != nil {
		return nil, err
	}
	o.Ports = cmp.Or(o.Ports, MaxPorts)
	e := &Engine{opts: o, entries: map[uint8][]placedEntry{}}
	var err error
	if e.Table, err = atp.NewTable(&cfg, e.held); err != nil {
		return nil, err
	}
	placed, err := fit.Place(Program(cfg, o))
	if err != nil {
		return nil, err
	}
	if e.chip, err = tofino.New(o.chip(cfg.Node, placed, &e.watch)); err != nil {
		return nil, err
	}
	if e.state, err = stateOf(e.chip, cfg.Aggregators); err != nil {
		return nil, err
	}
	return e, e.watch.bind(e, o.Observer)
}

// Chip returns the chip, for what is not of this program: snapshots, registers.
func (e *Engine) Chip() *tofino.Chip { return e.chip }

// Claims claims what goes to the port of ATP and comes by a port that serves jobs. By another port
// nothing is for the program, and the chip knows none such.
func (e *Engine) Claims(f dataplane.Frame) dataplane.Claim {
	if int(f.Port) >= e.opts.Ports {
		return dataplane.NotMine
	}
	return e.Table.Claims(f)
}

// Handle gives arrivals to the chip.
func (e *Engine) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	e.chip.Handle(now, in, eff)
}

// Expire does what is due in the chip.
func (e *Engine) Expire(now units.Time, eff *sansio.Effects) { e.chip.Expire(now, eff) }

// NextDeadline returns when a packet may leave the chip; never in instant mode.
func (e *Engine) NextDeadline() units.Time { return e.chip.NextDeadline() }

// Remembers reports whether some half of an aggregator is not free.
func (e *Engine) Remembers() bool { return e.watch.halves > 0 }

// Counters returns those of the reference program, by its names, and those of the chip.
func (e *Engine) Counters() []sansio.Count {
	var t sansio.Tally
	t.Merge(e.Table.Counters())
	t.Merge(e.watch.count.List())
	for _, c := range e.chip.Counters() {
		if c.Name != drops[outDuplicate] && c.Name != drops[outForged] { // counted by job
			t.Add(c.Name, c.N)
		}
	}
	return t.List()
}

// Forget has the switch lose all aggregators, as when its state vanishes (§3.1), and returns how
// many were in use. Packets that are inside the chip stay.
func (e *Engine) Forget(now units.Time) (aggregators int) {
	e.chip.Advance(now)
	return e.forget(now, func(uint8) bool { return true })
}

// forget frees the aggregators, and halves of such, of some jobs.
func (e *Engine) forget(now units.Time, of func(job uint8) bool) (n int) {
	for a := range e.held {
		if !of(a.Job) {
			continue
		}
		e.CountsOf(a.Job)[atp.Forgotten]++
		e.Freed(now, &a, atp.ByForget)
		n++
	}
	for entry := range e.state.halves() {
		if id := e.state.id(entry); id != 0 && of(jobOf(id)) {
			e.state.clear(entry)
			e.watch.halves--
		}
	}
	return n
}

var _ interface {
	dataplane.Engine
	dataplane.Managed
	dataplane.Watched
} = (*Engine)(nil)
