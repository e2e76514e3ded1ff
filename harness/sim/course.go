package sim

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/control"
)

// process is a machine that may be gone: frames that come to it then are lost.
type process struct {
	sansio.Machine // nil: it is gone
	id             NodeID
}

func (p *process) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	if p.Machine != nil {
		p.Machine.Handle(now, in, eff)
	}
}

func (p *process) Expire(now units.Time, eff *sansio.Effects) {
	if p.Machine != nil {
		p.Machine.Expire(now, eff)
	}
}

// NextDeadline returns that of the machine.
func (p *process) NextDeadline() units.Time {
	if p.Machine == nil {
		return units.Never
	}
	return p.Machine.NextDeadline()
}

// director carries out the course of a run. It is a node without wires.
type director struct {
	run       *run
	steps     []job.Step // those that are left
	id        NodeID
	processes map[string]*process // by name; of a worker, its host's
	images    worker.Images
	joins     []*join    // that are under way
	models    []handover // that are to be handed over at this instant
}

// direct reads the course of the set; without one every machine is its own process.
func (r *run) direct(s *job.Set, images worker.Images) error {
	steps, err := s.Course()
	if err != nil || len(steps) == 0 {
		return err
	}
	r.director = &director{run: r, steps: steps, processes: map[string]*process{}, images: images}
	r.director.id = r.net.AddNode("course", r.director)
	return nil
}

// process makes a machine one that the course may end and start.
func (r *run) process(name string, m sansio.Machine) sansio.Machine {
	if r.director == nil {
		return m
	}
	p := &process{Machine: m}
	r.director.processes[name] = p
	return p
}

// Handle takes nothing: the director has no wires.
func (d *director) Handle(units.Time, []sansio.Arrival, *sansio.Effects) {}

// NextDeadline returns when the next step is due.
func (d *director) NextDeadline() units.Time {
	switch {
	case len(d.models) > 0:
		return d.run.net.now
	case len(d.steps) > 0:
		return units.Time(d.steps[0].At)
	}
	return units.Never
}

// Expire does what is due.
func (d *director) Expire(now units.Time, _ *sansio.Effects) {
	d.handOver(now)
	for len(d.steps) > 0 && units.Time(d.steps[0].At) <= now {
		s := d.steps[0]
		d.steps = d.steps[1:]
		if err := d.do(now, &s); err != nil {
			d.run.err = fmt.Errorf("%v: %w", &s, err)
		}
	}
}

func (d *director) do(now units.Time, s *job.Step) error {
	switch {
	case s.Ends():
		d.endJob(now, s)
		return nil
	case s.Job >= 0 && d.run.tenants[s.Job].over():
		return nil // it was done before
	}
	d.run.note(s)
	switch {
	case s.Verb == job.Forget:
		return d.forget(now, s)
	case s.Verb == job.Raise:
		return d.raise(now, s)
	case s.Verb != job.Start:
		d.end(now, s)
		return nil
	case s.Role == job.AsSwitch:
		return d.startSwitch(s)
	}
	return d.startWorker(now, s)
}

// note says in the records that a step was taken.
func (r *run) note(s *job.Step) {
	for k, t := range r.tenants {
		if s.Job < 0 || s.Job == k {
			t.cell.Course = append(t.cell.Course, s.String())
		}
	}
}

// put has a process run a machine from now on; nil: none.
func (d *director) put(name string, m sansio.Machine) {
	p := d.processes[name]
	p.Machine = m
	d.run.net.schedule(p.id)
}

// endJob ends what still runs of a job.
func (d *director) endJob(now units.Time, s *job.Step) {
	t := d.run.tenants[s.Job]
	if t.over() {
		return
	}
	d.run.note(s)
	t.cell.Ended = &result.End{At: now, Reason: s.Reason}
	t.sums.End()
	for i := range t.workers {
		d.put(t.at[i], nil)
	}
	for _, c := range t.job.ServerConfigs() {
		d.put(c.Name, nil)
	}
}

// end ends one process.
func (d *director) end(now units.Time, s *job.Step) {
	d.put(s.Node, nil)
	switch s.Role {
	case job.AsSwitch:
		d.endSwitch(now, s)
	case job.AsWorker:
		t := d.run.tenants[s.Job]
		t.gone[s.Worker] = true
		t.cell.Away = append(t.cell.Away, result.Away{Worker: s.Worker, From: t.workers[s.Worker].Job.Iteration()})
		t.sums.Leave(s.Worker)
		if s.Verb == job.Kill {
			t.counted = forget(t.counted, s.Node)
		}
		d.left(now, t.workers[s.Worker].Job.(*worker.Loop)) // a benchmark has no course
	case job.AsServer:
		if t := d.run.tenants[s.Job]; s.Verb == job.Kill {
			t.counted = forget(t.counted, s.Node)
			t.servers = slices.DeleteFunc(t.servers, func(x server) bool { return x.name == s.Node })
		}
	}
}

// forget drops what a node counted.
func forget(list []counted, node string) []counted {
	return slices.DeleteFunc(list, func(c counted) bool { return c.name == node })
}

// endSwitch takes a switch away, and keeps what it counted if it was stopped.
func (d *director) endSwitch(now units.Time, s *job.Step) {
	r := d.run
	sw := r.switchOf(s.Node)
	if s.Verb == job.Stop {
		r.lives = append(r.lives, sw.life(now))
	} else {
		r.counted = forget(r.counted, s.Node)
	}
	sw.chassis = nil
}

// forget has the programs of a switch lose what they remember.
func (d *director) forget(now units.Time, s *job.Step) error {
	sw := d.run.switchOf(s.Node)
	if engines, _ := sw.chassis.Forget(now, -1); engines == 0 {
		return fmt.Errorf("no program of %s can lose what it remembers and go on", s.Node)
	}
	d.run.net.schedule(d.processes[s.Node].id)
	return nil
}

// raise has the programs of a switch take an event, as its control plane would.
func (d *director) raise(now units.Time, s *job.Step) error {
	out := control.Dispatch(now, d.run.switchOf(s.Node).chassis, nil, control.RaiseOf(s.Event, s.Value, s.Program))
	if out.Error != "" {
		return errors.New(out.Error)
	}
	d.run.net.schedule(d.processes[s.Node].id)
	return nil
}

// switchOf returns a switch by its name.
func (r *run) switchOf(name string) *switchNode {
	return r.switches[slices.IndexFunc(r.switches, func(sw *switchNode) bool { return sw.name == name })]
}

// startSwitch brings a switch up with empty memory.
func (d *director) startSwitch(s *job.Step) error {
	r := d.run
	sw := r.switchOf(s.Node)
	c, err := sw.make()
	if err != nil {
		return err
	}
	sw.chassis, sw.since = c, units.Time(s.At)
	r.counted = append(r.counted, counted{s.Node, c.Counters})
	d.put(s.Node, c)
	return nil
}
