package worker_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

const ms = units.Time(units.Millisecond)

// fakeCore is a collective that completes a generation a set time after Begin,
// or when a test says so.
type fakeCore struct {
	s        *stage
	comm     units.Duration // from Begin to completion; negative: only when told
	due      units.Time     // of the completion that is under way, or never
	dueGen   int
	complete []int
	finished int
	lent     []int // generations whose memory is with a mean
	returned []int
}

func (c *fakeCore) Begin(now units.Time, gen int, grad []float32, _ *sansio.Effects) {
	c.s.say("begin reducing %d, gradient %v", gen, grad[0])
	if gen != c.finished || slices.Contains(c.complete, gen) {
		c.s.t.Fatalf("Begin(%d) with %d generations finished", gen, c.finished)
	}
	if c.comm >= 0 {
		c.due, c.dueGen = now.Add(c.comm), gen
	}
}

func (c *fakeCore) Complete(gen int) bool { return slices.Contains(c.complete, gen) }

func (c *fakeCore) Finish(gen int) (result.Outcome, func(mean []float32)) {
	if gen != c.finished || !c.Complete(gen) {
		c.s.t.Fatalf("Finish(%d) with %d generations finished", gen, c.finished)
	}
	c.finished++
	c.lent = append(c.lent, gen)
	return result.Outcome{Degraded: gen, Contributed: c.dueGen == gen}, func(mean []float32) {
		if slices.Contains(c.returned, gen) {
			c.s.t.Fatalf("the mean of %d is taken after its memory was returned", gen)
		}
		mean[0] = float32(100 + gen)
	}
}

// Returned takes the oldest memory back.
func (c *fakeCore) Returned(n int) {
	if n > len(c.lent) {
		c.s.t.Fatalf("%d generations are returned of %d that are lent", n, len(c.lent))
	}
	c.returned = append(c.returned, c.lent[:n]...)
	c.lent = c.lent[n:]
}

func (c *fakeCore) Counters() []sansio.Count { return nil }

func (c *fakeCore) NextDeadline() units.Time {
	return c.due
}

func (c *fakeCore) Expire(now units.Time, _ *sansio.Effects) {
	if now >= c.due {
		c.due = units.Never
		c.complete = append(c.complete, c.dueGen)
	}
}

// Handle takes arrivals whose port is a generation that is complete now.
func (c *fakeCore) Handle(_ units.Time, in []sansio.Arrival, _ *sansio.Effects) {
	for _, a := range in {
		c.complete = append(c.complete, int(a.Port))
	}
}

// fakeTrainer has one parameter: the number of the gradient.
type fakeTrainer struct {
	s         *stage
	gradients int
	applied   []float32
}

func (f *fakeTrainer) Params() int { return 1 }

func (f *fakeTrainer) Gradient(grad []float32) float64 {
	f.gradients++
	f.s.say("  gradient %d", f.gradients)
	grad[0] = float32(f.gradients)
	return float64(f.gradients) / 10
}

func (f *fakeTrainer) Apply(mean []float32) {
	f.s.say("  apply %v", mean[0])
	f.applied = append(f.applied, mean[0])
}

func (f *fakeTrainer) Accuracy() float64 {
	f.s.say("  accuracy")
	return 0.75
}

// stage drives one loop by the duties of package sansio and writes down what
// happens.
type stage struct {
	t       rapid.TB
	loop    *worker.Loop
	core    *fakeCore
	trainer *fakeTrainer
	now     units.Time
	lazy    bool // run Computes as late as is allowed, not at once
	pending []sansio.Compute
	arrive  []arrival
	samples []result.Sample
	log     strings.Builder
	eff     sansio.Effects
}

// arrival completes generations at a time, or does something else.
type arrival struct {
	at   units.Time
	gens []int
	do   func()
}

func newStage(t rapid.TB, cfg worker.LoopConfig, comm units.Duration) *stage {
	t.Helper()
	s := &stage{t: t}
	s.core, s.trainer = &fakeCore{s: s, comm: comm, due: units.Never, dueGen: -1}, &fakeTrainer{s: s}
	cfg.Node, cfg.System, cfg.Worker, cfg.StraggleP, cfg.Trace = "w3", "fake", 3, 0.5, s
	loop, err := worker.New(cfg, s.core, s.trainer)
	if err != nil {
		t.Fatal(err)
	}
	s.loop = loop
	return s
}

func (s *stage) say(format string, args ...any) {
	fmt.Fprintf(&s.log, "%9v  %s\n", s.now, fmt.Sprintf(format, args...))
}

func (s *stage) Event(e *trace.Event) {
	switch e.Kind {
	case trace.DelayBegan, trace.DelayEnded:
		s.say("%s at point %d of iteration %d", e.Kind, e.Block, e.Gen)
	default:
		s.say("%s %d", e.Kind, e.Gen)
	}
}

// run drives the loop to its end, or until nothing happens any more.
func (s *stage) run() {
	s.t.Helper()
	for range 100_000 {
		d := s.loop.NextDeadline()
		if len(s.arrive) > 0 && s.arrive[0].at <= d {
			s.deliver()
			continue
		}
		if d == units.Never {
			return
		}
		if d < s.now {
			s.t.Fatalf("deadline %v lies in the past of %v", d, s.now)
		}
		s.now = d
		s.compute(d)
		s.loop.Expire(d, &s.eff)
		s.carryOut()
	}
	s.t.Fatal("no end")
}

func (s *stage) deliver() {
	a := s.arrive[0]
	s.arrive = s.arrive[1:]
	s.now = a.at
	if a.do != nil {
		a.do()
		return
	}
	s.say("results of %v", a.gens)
	var in []sansio.Arrival
	for _, g := range a.gens {
		in = append(in, sansio.Arrival{Port: sansio.Port(g)})
	}
	s.loop.Handle(s.now, in, &s.eff)
	s.carryOut()
}

// compute runs the Computes that must be over at now, and those before them.
func (s *stage) compute(now units.Time) {
	for i := len(s.pending); i > 0; i-- {
		if s.pending[i-1].Until > now {
			continue
		}
		for _, c := range s.pending[:i] {
			c.Run()
		}
		s.pending = s.pending[i:]
		return
	}
}

func (s *stage) carryOut() {
	for _, c := range s.eff.Computes {
		if c.Start != s.now || c.Until < c.Start {
			s.t.Fatalf("at %v: a Compute from %v to %v", s.now, c.Start, c.Until)
		}
		s.say("compute until %v", c.Until)
		if s.pending = append(s.pending, c); !s.lazy {
			s.pending = nil
			c.Run()
		}
	}
	for _, x := range s.eff.Samples {
		s.say("sample %d: %v to %v, delay %v, degraded %d, contributed %v, loss %s, accuracy %s",
			x.Iteration, x.Start, x.End, x.Delay, x.Degraded, x.Contributed, number(x.Loss), number(x.Accuracy))
		s.samples = append(s.samples, x)
	}
	s.eff.Reset()
}

func number(v *float64) string {
	if v == nil {
		return "null"
	}
	return fmt.Sprint(*v)
}
