package worker_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

const compute = 9 * units.Millisecond // three parts of 3 ms

func delays(d ...int) (out []units.Duration) {
	for _, n := range d {
		out = append(out, units.Duration(n)*units.Millisecond)
	}
	return out
}

func TestTranscripts(t *testing.T) {
	for name, c := range map[string]struct {
		title  string
		cfg    worker.LoopConfig
		comm   units.Duration
		arrive []arrival
	}{
		"no-delays": {
			title: "Two iterations of 9 ms compute and 1 ms all-reduce, accuracy at the end.",
			cfg:   worker.LoopConfig{Iterations: 2, Compute: compute, Points: 3, Evaluate: true}, comm: units.Millisecond,
		},
		"delay-at-each-point": {
			title: "A delay of 10, 20, 30 ms at one point of each of three iterations, then at all.",
			cfg:   worker.LoopConfig{Iterations: 4, Compute: compute, Points: 3, Delays: delays(10, 0, 0, 0, 20, 0, 0, 0, 30, 10, 20, 30)}, comm: units.Millisecond,
		},
		"skip-while-computing": {
			title:  "The results of generation 0 come while its gradient is computed: the rest is dropped.",
			cfg:    worker.LoopConfig{Iterations: 2, Compute: compute, Points: 3, Delays: delays(0, 0, 50, 0, 0, 0)},
			comm:   units.Millisecond,
			arrive: []arrival{{at: 4 * ms, gens: []int{0}}},
		},
		"skip-while-asleep": {
			title:  "They come during a delay: a sleeper notices when it wakes up; the delay behind is not served.",
			cfg:    worker.LoopConfig{Iterations: 2, Compute: compute, Points: 3, Delays: delays(0, 50, 50, 0, 0, 0)},
			comm:   units.Millisecond,
			arrive: []arrival{{at: 20 * ms, gens: []int{0}}},
		},
		"skip-several": {
			title:  "Three generations pass while the worker sleeps, the last of them just before it wakes up.",
			cfg:    worker.LoopConfig{Iterations: 5, Compute: compute, Points: 3, Delays: delays(100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), Evaluate: true},
			comm:   units.Millisecond,
			arrive: []arrival{{at: 20 * ms, gens: []int{0}}, {at: 50 * ms, gens: []int{1}}, {at: 100*ms - 1, gens: []int{2}}},
		},
		"skip-to-the-end": {
			title:  "All that is left passes while the worker sleeps.",
			cfg:    worker.LoopConfig{Iterations: 3, Compute: compute, Points: 3, Delays: delays(0, 0, 0, 0, 100, 0, 0, 0, 0), Evaluate: true},
			comm:   units.Millisecond,
			arrive: []arrival{{at: 50 * ms, gens: []int{1, 2}}},
		},
		"results-at-wake-up": {
			title:  "Results at the very instant at which a delay ends count: arrivals come first.",
			cfg:    worker.LoopConfig{Iterations: 2, Compute: compute, Points: 3, Delays: delays(10, 0, 0, 0, 0, 0)},
			comm:   units.Millisecond,
			arrive: []arrival{{at: 10 * ms, gens: []int{0}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, c.cfg, c.comm)
			s.arrive = c.arrive
			s.run()
			if !s.loop.Done() || s.loop.Iteration() != c.cfg.Iterations {
				t.Errorf("%d iterations, done %v", s.loop.Iteration(), s.loop.Done())
			}
			golden.Equal(t, name+".txt", c.title+"\n\n"+s.log.String())
		})
	}
}

// When a Compute is run, at once or at the last moment, nothing differs.
func TestComputesAreRunAtAnyTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawLoop(t)
		comm := units.Duration(rapid.Int64Range(0, int64(5*units.Millisecond)).Draw(t, "all-reduce"))
		var arrive []arrival
		gen := 0
		for at := units.Time(0); gen < cfg.Iterations && rapid.Bool().Draw(t, "more"); gen++ {
			at += units.Time(rapid.Int64Range(1, int64(60*ms)).Draw(t, "at"))
			arrive = append(arrive, arrival{at: at, gens: []int{gen}})
		}
		eager, lazy := newStage(t, cfg, comm), newStage(t, cfg, comm)
		lazy.lazy = true
		for _, s := range []*stage{eager, lazy} {
			s.arrive = slices.Clone(arrive)
			s.run()
			if !s.loop.Done() {
				t.Fatal("not done")
			}
		}
		checkSamples(t, cfg, eager)
		for i, a := range eager.samples {
			b := lazy.samples[i]
			if number(a.Loss) != number(b.Loss) || number(a.Accuracy) != number(b.Accuracy) {
				t.Fatalf("sample %d: loss %s and %s, accuracy %s and %s", i, number(a.Loss), number(b.Loss), number(a.Accuracy), number(b.Accuracy))
			}
			a.Loss, b.Loss, a.Accuracy, b.Accuracy = nil, nil, nil, nil
			if a != b {
				t.Fatalf("sample %d: %+v and %+v", i, a, b)
			}
		}
		if !slices.Equal(eager.trainer.applied, lazy.trainer.applied) {
			t.Fatalf("applied %v and %v", eager.trainer.applied, lazy.trainer.applied)
		}
	})
}

func drawLoop(t *rapid.T) worker.LoopConfig {
	cfg := worker.LoopConfig{
		Iterations: rapid.IntRange(1, 5).Draw(t, "iterations"), Points: rapid.IntRange(1, 5).Draw(t, "points"),
		Compute: units.Duration(rapid.Int64Range(0, int64(20*units.Millisecond)).Draw(t, "compute")), Evaluate: rapid.Bool().Draw(t, "evaluate"),
	}
	if rapid.Bool().Draw(t, "delays") {
		for range cfg.Iterations * cfg.Points {
			cfg.Delays = append(cfg.Delays, units.Duration(rapid.SampledFrom([]int64{0, 0, 1, int64(30 * ms)}).Draw(t, "delay")))
		}
	}
	return cfg
}

// checkSamples wants one sample for each iteration, end to end in time; a loss
// where the gradient was computed to its end; the accuracy in the last one only;
// and every mean applied once and in order.
func checkSamples(t *rapid.T, cfg worker.LoopConfig, s *stage) {
	if len(s.samples) != cfg.Iterations {
		t.Fatalf("%d samples of %d iterations", len(s.samples), cfg.Iterations)
	}
	last := units.Time(0)
	for i, x := range s.samples {
		if x.Iteration != i || x.Start != last || x.End < x.Start || x.Worker != 3 || x.System != "fake" || x.StraggleP != 0.5 {
			t.Fatalf("sample %d: %+v", i, x)
		}
		last = x.End
		if (x.Loss != nil) != x.Contributed {
			t.Fatalf("sample %d: loss %s, contributed %v", i, number(x.Loss), x.Contributed)
		}
		if evaluated := cfg.Evaluate && i == cfg.Iterations-1; (x.Accuracy != nil) != evaluated {
			t.Fatalf("sample %d: accuracy %s", i, number(x.Accuracy))
		}
		if s.trainer.applied[i] != float32(100+i) {
			t.Fatalf("applied %v", s.trainer.applied)
		}
	}
	if len(s.trainer.applied) != cfg.Iterations {
		t.Fatalf("%d means applied", len(s.trainer.applied))
	}
}

// On time, an iteration takes the compute to the picosecond, the delays, and the
// all-reduce; losses are those of the gradients in order.
func TestTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawLoop(t)
		comm := units.Duration(rapid.Int64Range(1, int64(5*units.Millisecond)).Draw(t, "all-reduce"))
		s := newStage(t, cfg, comm)
		s.run()
		checkSamples(t, cfg, s)
		for i, x := range s.samples {
			var slept units.Duration
			if cfg.Delays != nil {
				for _, d := range cfg.Delays[i*cfg.Points : (i+1)*cfg.Points] {
					slept += d
				}
			}
			if x.Delay != slept || x.End.Sub(x.Start) != cfg.Compute+slept+comm {
				t.Fatalf("iteration %d took %v with delays %v, want %v and %v", i, x.End.Sub(x.Start), x.Delay, cfg.Compute+slept+comm, slept)
			}
			if want := float64(i+1) / 10; *x.Loss != want {
				t.Fatalf("iteration %d: loss %v, want %v", i, *x.Loss, want)
			}
		}
	})
}

// The compute is split at the delay points into equal parts that add up to it:
// 10 ps over three points are 3, 3 and 4.
func TestComputeIsSplitExactly(t *testing.T) {
	s := newStage(t, worker.LoopConfig{Iterations: 1, Compute: 10, Points: 3, Delays: []units.Duration{100, 1000, 10000}}, 1)
	s.run()
	var at []string
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "delay-") || strings.Contains(line, "begin") {
			at = append(at, strings.Fields(line)[0])
		}
	}
	want := []string{"0s", "100ps", "103ps", "1.103ns", "1.106ns", "11.106ns", "11.11ns"}
	if !slices.Equal(at, want) {
		t.Errorf("delays and the all-reduce at %v, want %v", at, want)
	}
}

// Duties 3 and 4: Expire may come early or twice, and changes nothing.
func TestEarlyExpireIsHarmless(t *testing.T) {
	s := newStage(t, worker.LoopConfig{Iterations: 1, Compute: compute, Points: 3, Delays: delays(5, 0, 0)}, units.Millisecond)
	s.loop.Expire(0, &s.eff)
	s.carryOut()
	for at := units.Time(0); at < 5*ms; at += ms / 2 {
		s.now = at
		s.loop.Expire(at, &s.eff)
		s.carryOut()
	}
	s.run()
	if got := s.samples[0].End; got != 15*ms {
		t.Errorf("ended at %v", got)
	}
}

// A driver that is late by some time at every deadline makes the iteration
// longer, never shorter, and skips nothing.
func TestLateDriver(t *testing.T) {
	s := newStage(t, worker.LoopConfig{Iterations: 2, Compute: compute, Points: 3, Delays: delays(5, 0, 0, 0, 5, 0)}, units.Millisecond)
	for !s.loop.Done() {
		d := max(s.now, s.loop.NextDeadline())
		s.now = d + ms/10
		s.loop.Expire(s.now, &s.eff)
		s.carryOut()
	}
	for i, x := range s.samples {
		if took := x.End.Sub(x.Start); took < 15*units.Millisecond || took > 16*units.Millisecond || x.Delay != 5*units.Millisecond || x.Loss == nil {
			t.Errorf("iteration %d: %+v", i, x)
		}
	}
}

// A worker that is done has no deadline, but its core still takes packets.
func TestDone(t *testing.T) {
	s := newStage(t, worker.LoopConfig{Iterations: 1, Compute: compute, Points: 1}, 0)
	s.run()
	if d := s.loop.NextDeadline(); d != units.Never || !s.loop.Done() {
		t.Fatalf("deadline %v, done %v", d, s.loop.Done())
	}
	s.arrive = []arrival{{at: 100 * ms, gens: []int{1}}}
	s.run()
	if !s.core.Complete(1) || len(s.samples) != 1 {
		t.Errorf("%d samples", len(s.samples))
	}
}

func TestLoopConfig(t *testing.T) {
	for name, cfg := range map[string]worker.LoopConfig{
		"iterations":       {Iterations: 0, Points: 3},
		"points":           {Iterations: 1, Points: 0},
		"negative compute": {Iterations: 1, Points: 1, Compute: -1},
		"too few delays":   {Iterations: 2, Points: 3, Delays: delays(1, 2, 3)},
		"too many delays":  {Iterations: 1, Points: 1, Delays: delays(1, 2)},
	} {
		if _, err := worker.New(cfg, &fakeCore{}, &fakeTrainer{}); err == nil {
			t.Errorf("%s: %+v was accepted", name, cfg)
		}
	}
}
