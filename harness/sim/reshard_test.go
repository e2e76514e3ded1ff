package sim_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	triomlsystem "github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/fault"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/nodes/worker"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
)

// overheard is Trio-ML whose workers write down, for each generation that they
// compute, who they were told is out of service.
type overheard struct {
	triomlsystem.System
	views map[int]map[string]trace.Mask // by generation and worker
}

func overhear(s *program.Stragglers, age program.AgePolicy) overheard {
	return overheard{triomlsystem.System{Age: age, PFE: triomlsystem.PFE{Stragglers: s}}, map[int]map[string]trace.Mask{}}
}

// waking returns o with another policy of workers that fell behind.
func (o overheard) waking(w trioml.WakePolicy) overheard {
	o.Wake = w
	return o
}

// listening is a core that writes down what it is asked.
type listening struct {
	*trioml.Core
	o    overheard
	node string
}

func (l listening) Absent(gen int) trace.Mask {
	m := l.Core.Absent(gen)
	if l.o.views[gen] == nil {
		l.o.views[gen] = map[string]trace.Mask{}
	}
	l.o.views[gen][l.node] = m
	return m
}

func (o overheard) NewCore(config json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error) {
	c, err := o.System.NewCore(config, rec, sink)
	if err != nil {
		return nil, err
	}
	var cfg trioml.Config
	err = json.Unmarshal(config, &cfg)
	return listening{c.(*trioml.Core), o, cfg.Node}, err
}

// resharded counts the generations that somebody computed with others out of
// service. All who computed one must have been told the same of it.
func (o overheard) resharded(t *testing.T) (n int) {
	t.Helper()
	for gen, views := range o.views {
		var first *trace.Mask
		for node, m := range views {
			if first == nil {
				first = &m
			}
			if m != *first {
				t.Errorf("generation %d: %s is told %v, another %v", gen, node, m, *first)
			}
		}
		if *first != (trace.Mask{}) {
			n++
		}
	}
	return n
}

// absence is a run of four workers, some of which have an outage.
func absence(t *testing.T, sys job.System, change func(*job.Spec)) *job.Job {
	t.Helper()
	model, err := profiles.Lookup("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	model.Compute = 30 * units.Millisecond
	s := job.Spec{System: sys, Plan: sharedPlan(t, "rack", 4), Model: model, Scale: 2000, Iterations: 60, MiniBatch: 4, Seed: 1, Virtual: true}
	change(&s)
	j, err := job.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// sum adds up a counter over the nodes whose name begins so.
func sum(c result.Cell, node, name string) (n int) {
	for _, x := range c.Counters {
		if strings.HasPrefix(x.Node, node) && strings.HasSuffix(x.Name, name) {
			n += int(x.N)
		}
	}
	return n
}

// phases returns the iteration times of worker 0, one for each stretch of about
// equal ones, as "<iterations> x <ms>".
func phases(c result.Cell) (out []string) {
	n, last := 0, units.Duration(0)
	end := func() {
		if n > 0 {
			out = append(out, fmt.Sprintf("%dx%d", n, last/units.Millisecond))
		}
	}
	for _, s := range c.Samples {
		if s.Worker != 0 {
			continue
		}
		d := s.End.Sub(s.Start)
		if n == 0 || d/units.Millisecond != last/units.Millisecond {
			end()
			n, last = 0, d
		}
		n++
	}
	end()
	return out
}

// One of four workers sleeps for 1 s from iteration 10 on. The router says so three
// times: it straggles, it is out of service, it is back. All workers hear it; those
// present divide its mini-batches from one generation on, which all agree on, and
// wait for it no more than once; when it is back they give it its own. All sums are
// right, and the training goes on.
func TestWorkersReshard(t *testing.T) {
	sys := overhear(&program.Stragglers{Look: 100 * units.Millisecond, PermanentAfter: 3}, program.AgeAbsent)
	j := absence(t, sys, func(s *job.Spec) {
		s.Outages = []fault.Outage{{Worker: 2, Iteration: 10, For: units.Second}}
	})
	c := run(t, j, images(t))
	if c.Wrong != 0 || c.Checked != uint64(j.Params*4*60) {
		t.Errorf("%d of %d values are wrong; %v", c.Wrong, c.Checked, c.Notes)
	}
	for _, kind := range []string{trioml.CountTemporary, trioml.CountPermanent, trioml.CountBack} {
		if sent, heard := sum(c, "tor", kind), sum(c, "h", kind); sent != 1 || heard != 4 {
			t.Errorf("%s: %d sent, %d heard; want 1 and 4", kind, sent, heard)
		}
	}
	if n := sum(c, "h", trioml.CountNoticeLate); n != 0 {
		t.Errorf("%d notices are too late", n)
	}
	if c.Compute != j.Model.Compute {
		t.Errorf("computing takes %v, nominal %v: larger shares are left out", c.Compute, j.Model.Compute)
	}
	divided := sys.resharded(t)
	for _, h := range []string{"h0", "h1", "h3"} {
		if got := sum(c, h, trioml.CountResharded); got != divided || divided == 0 {
			t.Errorf("%s divided the shares of %d generations, want %d", h, got, divided)
		}
	}
	// 30 ms compute, and what the reduction takes: before; until the first block that
	// lacks somebody has aged (T to 2T); until the notice holds; with larger shares;
	// with its own again.
	if diff := cmp.Diff([]string{"10x30", "1x48", "7x30", "22x40", "20x30"}, phases(c)); diff != "" {
		t.Errorf("iteration times in ms (-want +got):\n%s", diff)
	}
	if first, last := loss(c, 0, 5), loss(c, 55, 60); !(last < 0.8*first) {
		t.Errorf("the loss went from %v to %v", first, last)
	}
}

// loss returns the mean loss of worker 0 over some iterations.
func loss(c result.Cell, from, to int) (mean float64) {
	for _, s := range c.Samples {
		if s.Worker == 0 && s.Iteration >= from && s.Iteration < to {
			mean += *s.Loss / float64(to-from)
		}
	}
	return mean
}

// While nobody is out of service notices change nothing: every time and every loss
// is that of a run without them.
func TestNoticesChangeNothingWhereNobodyIsAbsent(t *testing.T) {
	im := images(t)
	var cells []result.Cell
	for _, s := range []*program.Stragglers{nil, {PermanentAfter: 3}} {
		j := absence(t, overhear(s, program.AgeAbsent), func(s *job.Spec) { s.Iterations = 20 })
		cells = append(cells, run(t, j, im))
	}
	if diff := cmp.Diff(cells[0].Samples, cells[1].Samples); diff != "" {
		t.Errorf("samples (-without +with notices):\n%s", diff)
	}
}

// Whoever is away, whenever and for how long, and whatever stragglers there are
// beside, on one level or two, of PFEs that take time or none: the workers agree on
// the shares of every generation, and all sums are right.
func TestWorkersAgreeOnShares(t *testing.T) {
	sim.OneGoroutine(t)
	im := images(t)
	divided, permanent := 0, 0
	for seed := range 16 {
		r := rng.Root(seed).Stream("reshard")
		stragglers := &program.Stragglers{Look: units.Duration(5+r.IntN(60)) * units.Millisecond, PermanentAfter: 1 + r.IntN(3)}
		sys := overhear(stragglers, []program.AgePolicy{program.AgeAbsent, program.AgePerBlock}[r.IntN(2)])
		sys.PFE.Reference = seed%4 == 3
		if seed%8 == 5 {
			timing := trio.DefaultTiming()
			sys.PFE.Timing = &timing
		}
		j := absence(t, sys, func(s *job.Spec) {
			s.Seed, s.Scale, s.Iterations, s.MiniBatch = rng.Root(seed), 8000, 30, 2
			workers := 4
			if seed%2 == 1 {
				s.Plan, workers = sharedPlan(t, "mx480", 6), 6
			}
			s.System = sys.waking([]trioml.WakePolicy{trioml.WakeSkip, trioml.WakeNaive}[r.IntN(2)])
			s.Model.Compute = units.Duration(1+r.IntN(20)) * units.Millisecond
			s.StraggleP = []float64{0, 0.16, 0.5}[r.IntN(3)]
			for range r.IntN(4) {
				s.Outages = append(s.Outages, fault.Outage{
					Worker: r.IntN(workers), Iteration: r.IntN(25), For: units.Duration(1+r.IntN(900)) * units.Millisecond,
				})
			}
		})
		c := run(t, j, im)
		if c.Wrong != 0 || c.Checked == 0 {
			t.Errorf("seed %d: %d of %d values are wrong; %v", seed, c.Wrong, c.Checked, c.Notes)
		}
		if n := sum(c, "h", trioml.CountNoticeLate); n != 0 {
			t.Errorf("seed %d: %d notices are too late", seed, n)
		}
		divided += sys.resharded(t)
		permanent += sum(c, "tor", trioml.CountPermanent) + sum(c, "mx480", trioml.CountPermanent)
		if t.Failed() {
			t.Fatalf("seed %d: %+v, %+v, p %v", seed, stragglers, j.Outages, j.StraggleP)
		}
	}
	t.Logf("%d notices of workers out of service, %d generations divided anew", permanent, divided)
	if divided < 50 || permanent < 10 {
		t.Errorf("%d notices, %d generations divided: too few to tell", permanent, divided)
	}
}
