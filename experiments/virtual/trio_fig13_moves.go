package virtual

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// change changes a run. calm is what an iteration takes without stragglers, in a run that has
// some, changed likewise.
type change func(spec *job.Spec, calm units.Duration)

// move is one thing that the text of the paper leaves open of Fig 13, put otherwise than in
// the sweep; nil changes nothing.
type move struct {
	name, why string
	sml, trio change
	queue     units.Bytes // of each link of Trio-ML, each way; zero leaves it to the link model
}

// both is a move of both systems.
func both(name, why string, c change) move { return move{name: name, why: why, sml: c, trio: c} }

// smlPublicThreads is what the public client of SwitchML starts (p4app-switchML, general.cfg), and
// smlPublicBatch the packets of its batches (dpdk.cfg).
const (
	smlPublicThreads = 4
	smlPublicBatch   = 64
)

// moveIterations are the first of the schedule, on which the moves are run, and
// quickMoveIterations those of a quick run.
const (
	moveIterations      = 25
	quickMoveIterations = 10
)

// widestWindow is the most that Trio §5 allows, in packets.
const widestWindow = 65535

// moves are what is open, on the constants of e.
func moves(e *experiment.Env) []move {
	own := func(s *job.Spec, calm units.Duration) { s.DelayUnit = calm }
	cores, batch := int(e.Constants.Get("dpdk.cores")), e.Constants.Get("dpdk.batch")
	client := smlHosts(e, smlPublicThreads, smlPublicBatch)
	link := func(s *job.Spec, _ units.Duration) { changeTrio(s, func(t *trioml.System) { t.AddRate = 0 }) }
	return []move{
		{name: "as in the sweep"},
		both("delays in the system's own time at p = 0", "the typical iteration time of §6.1 is that of the system that is measured", own),
		both("a server drawn for each delay point", "§6.1, \"one of the servers ... at each point\"", semantics(fault.ServerPerPoint)),
		both("every server decides", "§6.1, read so that each server may straggle", semantics(fault.EveryServer)),
		{
			name: fmt.Sprintf("SwitchML's %d cores one by one, batches of %g", cores, batch),
			why:  "in the sweep they are one server; the pool of 512 (§6.1) is divided among them", sml: smlHosts(e, cores, batch),
		},
		{
			name: fmt.Sprintf("SwitchML's public client: %d threads, batches of %d", smlPublicThreads, smlPublicBatch),
			why:  "§6.1 takes SwitchML's open-source code and names no number of threads; these are that code's configuration", sml: client,
		},
		{name: "PFEs add at link rate", why: "ambiguity trio.rate-vs-link", trio: link},
		{
			name: fmt.Sprintf("Trio-ML's window of %d packets", widestWindow), why: "the most of §5, in place of the 4096 of §6.1",
			trio:  func(s *job.Spec, _ units.Duration) { changeTrio(s, func(t *trioml.System) { t.Window = widestWindow }) },
			queue: units.GiB, // all blocks are sent at once: no link is to lose one
		},
		both("half the compute time", "no paper prints it", computeTimes(0.5)),
		both("twice the compute time", "no paper prints it", computeTimes(2)),
		{
			name: "own time, public client and link rate together", why: "those above that make the gap at p = 0 larger",
			sml:  func(s *job.Spec, calm units.Duration) { client(s, calm); own(s, calm) },
			trio: func(s *job.Spec, calm units.Duration) { link(s, calm); own(s, calm) },
		},
	}
}

func nothing(*job.Spec, units.Duration) {}

func semantics(to fault.Semantics) change {
	return func(s *job.Spec, _ units.Duration) { s.Semantics = to }
}

func computeTimes(factor float64) change {
	return func(s *job.Spec, _ units.Duration) { s.Model.Compute = s.Model.Compute.Scale(factor) }
}

// changeTrio changes the system of a run of Trio-ML.
func changeTrio(s *job.Spec, by func(*trioml.System)) {
	t := s.System.(trioml.System)
	by(&t)
	s.System = t
}

// smlHosts puts SwitchML on hosts of so many cores, one by one, that take packets in batches.
func smlHosts(e *experiment.Env, threads int, batch float64) change {
	host := e.Constants.With("dpdk.batch", batch).With("dpdk.tx-buffer", batch).DPDKCores(threads)
	return func(s *job.Spec, _ units.Duration) {
		sml := s.System.(switchml.System)
		sml.Host.Threads = threads
		s.System, s.Host = sml, host
	}
}

// moved is a move of one model: iterations without and with stragglers.
type moved struct {
	move
	model       string
	sml         times
	trio, other times // in the reading of ageing that is taken, and in the other
}

// times are mean iterations without and with stragglers.
type times struct{ calm, under units.Duration }

func (m *moved) speedup(of times) float64 { return m.sml.under.Seconds() / of.under.Seconds() }

// moveTable runs Trio-ML and SwitchML with each thing that is open put otherwise.
func (s *sweep) moveTable(ctx context.Context) (t claims.Table, err error) {
	apart := *s
	env := *s.env
	env.Constants = s.env.Constants.Fresh() // no claim rests on these runs
	apart.env, apart.iterations = &env, experiment.Cut(&env, moveIterations, quickMoveIterations)
	s.env.Note("what is open of Fig 13")
	list := moves(&env)
	var bases, all []*moved
	for _, m := range experiment.Cut(&env, statedModels, statedModels[:1]) {
		bases = append(bases, &moved{model: m, move: both(list[0].name, "", nothing)})
	}
	if err := apart.runMoves(ctx, bases); err != nil {
		return t, err
	}
	for _, base := range bases {
		all = append(all, base)
		for _, v := range list[1:] {
			one := *base
			one.move = v
			all = append(all, &one)
		}
	}
	if err := apart.runMoves(ctx, slices.DeleteFunc(slices.Clone(all), func(m *moved) bool { return slices.Contains(bases, m) })); err != nil {
		return t, err
	}
	return apart.moveRows(all), nil
}

// changed is a system that a move changes, and where its times go.
type changed struct {
	model string
	by    change
	sys   job.System
	on    network
	to    *times
}

// runMoves runs what each move changes, without stragglers first; what it does not change
// stays as it is.
func (s *sweep) runMoves(ctx context.Context, all []*moved) error {
	var list []changed
	taken, other := s.systems()
	for _, m := range all {
		chassis := trioNetwork
		chassis.queue = m.queue
		for _, c := range []changed{
			{m.model, m.move.sml, switchml.System{Elements: 256}, smlNetwork, &m.sml},
			{m.model, m.move.trio, taken, chassis, &m.trio},
			{m.model, m.move.trio, other, chassis, &m.other},
		} {
			if c.by != nil {
				list = append(list, c)
			}
		}
	}
	for _, p := range []float64{0, testbed.LastP} {
		jobs := make([]*job.Job, len(list))
		for i, c := range list {
			var err error
			if jobs[i], err = s.job(c.sys, c.on, c.model, p, func(spec *job.Spec) { c.by(spec, c.to.calm) }); err != nil {
				return err
			}
		}
		cells, err := runJobs(ctx, jobs...)
		if err != nil {
			return err
		}
		for i, c := range list {
			if took := testbed.MeanIteration(&cells[i]); p == 0 {
				c.to.calm = took
			} else {
				c.to.under = took
			}
		}
	}
	return nil
}

// moveRows holds each move against the sweep.
func (s *sweep) moveRows(all []*moved) claims.Table {
	taken, other := string(trioSystem(s.env).Age), string(otherAgeing(s.env).Age)
	t := claims.Table{
		ID: "trio.fig13.open", Title: "How far what the paper leaves open of Fig 13 moves the speed-up at p = 16%",
		Columns: []claims.Column{
			{Name: "model"}, {Name: "put otherwise"}, {Name: "SwitchML p = 0", Unit: "ms"}, {Name: "SwitchML", Unit: "ms"}, {Name: "Trio-ML p = 0", Unit: "ms"}, {Name: "gap at p = 0"},
			{Name: "Trio-ML " + taken, Unit: "ms"}, {Name: "speed-up " + taken}, {Name: "moved by"},
			{Name: "Trio-ML " + other, Unit: "ms"}, {Name: "speed-up " + other}, {Name: "moved"},
		},
		Notes: []string{
			fmt.Sprintf("The first %d iterations of the schedule. Each line changes what it says and nothing else. All run on the reference programs. Gap: SwitchML over Trio-ML without stragglers.", s.iterations),
		},
	}
	var first *moved
	for _, m := range all {
		if first == nil || first.model != m.model {
			first = m
		}
		ms := func(d units.Duration) render.Cell { return render.Number(d.Milliseconds(), 1) }
		by := func(of, from times) render.Cell { return render.Number(m.speedup(of)-first.speedup(from), 3) }
		t.Add(render.Text(m.model), render.Text(m.name), ms(m.sml.calm), ms(m.sml.under), ms(m.trio.calm), render.Number(m.sml.calm.Seconds()/m.trio.calm.Seconds(), 3),
			ms(m.trio.under), render.Number(m.speedup(m.trio), 3), by(m.trio, first.trio),
			ms(m.other.under), render.Number(m.speedup(m.other), 3), by(m.other, first.other))
		if m.why != "" && first.model == all[0].model {
			t.Notes = append(t.Notes, m.name+": "+m.why+".")
		}
	}
	return t
}
