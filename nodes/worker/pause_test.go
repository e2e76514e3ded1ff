package worker_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// Transcripts of jobs that start late, and that pause.
func TestPauseTranscripts(t *testing.T) {
	const off = 100 * units.Millisecond
	every := func(n int, start units.Duration, sleeps ...int) worker.LoopConfig {
		c := worker.LoopConfig{Iterations: 6, Compute: compute, Points: 3, Evaluate: true, Times: worker.Times{Start: start, Every: n, Off: off}}
		if sleeps != nil {
			c.Delays = append(delays(sleeps...), make([]units.Duration, 18-len(sleeps))...)
		}
		return c
	}
	for name, c := range map[string]struct {
		title  string
		cfg    worker.LoopConfig
		arrive func(*stage) []arrival
	}{
		"pause": {
			title: "The job starts at 50 ms, and pauses for 100 ms after every third iteration but the last.",
			cfg:   every(3, 50*units.Millisecond),
		},
		"pause-slept-into": {
			title: "A sleeper misses the end of the iteration before the pause by 60 ms: its pause ends with that of the others.",
			cfg:   every(1, 0, 90), arrive: func(*stage) []arrival { return []arrival{{at: 30 * ms, gens: []int{0}}} },
		},
		"pause-slept-through": {
			title: "A sleeper misses two pauses, and wakes up in the third one.",
			cfg:   every(1, 0, 280), arrive: func(*stage) []arrival {
				return []arrival{{at: 10 * ms, gens: []int{0}}, {at: 120 * ms, gens: []int{1}}, {at: 230 * ms, gens: []int{2}}}
			},
		},
		"pause-without-it": {
			title: "The others end the pause sooner, and the next iteration without this worker: it goes on with the one after.",
			cfg:   every(2, 0), arrive: func(*stage) []arrival { return []arrival{{at: 119 * ms, gens: []int{2}}} },
		},
		"pause-leave": {
			title: "A model that is promised for the generation behind a pause is handed over at the end of it.",
			cfg:   every(2, 0), arrive: func(s *stage) []arrival { return []arrival{{at: 5 * ms, do: s.leave(0)}} },
		},
		"pause-join": {
			title: "A worker joins between two pauses, and pauses with the others, whose last results before the pause it was given while it waited.",
			cfg:   every(2, 0), arrive: func(s *stage) []arrival {
				return []arrival{{at: 20 * ms, gens: []int{1}}, {at: 130 * ms, gens: []int{2, 3}}, {at: 140 * ms, do: s.restore(3, 303)}}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newKeeperStage(t, c.cfg)
			if c.arrive != nil {
				s.arrive = c.arrive(s)
			}
			if name == "pause-join" {
				if err := s.loop.Join(1); err != nil {
					t.Fatal(err)
				}
			}
			s.run()
			golden.Equal(t, name+".txt", c.title+"\n\n"+s.log.String())
		})
	}
}

// Pauses are no time of an iteration: all times are those of a job without them, each
// later by what it waited before.
func TestPausesOnlyShift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawLoop(t)
		comm := units.Duration(rapid.Int64Range(1, int64(5*units.Millisecond)).Draw(t, "all-reduce"))
		plain := newStage(t, cfg, comm)
		plain.run()
		cfg.Times = worker.Times{Start: units.Duration(rapid.Int64Range(0, 1000).Draw(t, "start"))}
		if rapid.Bool().Draw(t, "pauses") {
			cfg.Every, cfg.Off = rapid.IntRange(1, cfg.Iterations+1).Draw(t, "every"), units.Duration(rapid.Int64Range(1, 1000).Draw(t, "off"))
		}
		s := newStage(t, cfg, comm)
		s.run()
		if len(s.samples) != cfg.Iterations {
			t.Fatalf("%d samples of %d iterations", len(s.samples), cfg.Iterations)
		}
		for i, x := range s.samples {
			want := plain.samples[i]
			by := cfg.Idle(i + 1)
			if x.Start != want.Start.Add(by) || x.End != want.End.Add(by) || x.Delay != want.Delay || number(x.Loss) != number(want.Loss) || number(x.Accuracy) != number(want.Accuracy) {
				t.Fatalf("iteration %d: %+v, want %+v later by %v", i, x, want, by)
			}
		}
	})
}

// A worker says that it waits on purpose.
func TestPausedWorkerSaysSo(t *testing.T) {
	s := newStage(t, worker.LoopConfig{Iterations: 2, Compute: compute, Points: 1, Times: worker.Times{Start: units.Duration(5 * ms), Every: 1, Off: units.Duration(7 * ms)}}, units.Millisecond)
	w := worker.Worker{Machine: s.loop, Job: s.loop}
	if got := w.Snapshot(nil); got.State != worker.StateWaiting || got.Until != 5*ms {
		t.Errorf("before the start: %+v", got)
	}
	s.arrive = []arrival{{at: 16 * ms, do: func() {
		if got := w.Snapshot(nil); got.State != worker.StatePaused || got.Until != 22*ms || got.Iteration != 1 {
			t.Errorf("in the pause: %+v", got)
		}
	}}}
	s.run()
}

func TestTimesThatCannotBe(t *testing.T) {
	for _, times := range []worker.Times{{Start: -1}, {Every: 1}, {Off: 1}, {Every: -1, Off: 1}, {Every: 1, Off: -1}} {
		if _, err := worker.New(worker.LoopConfig{Iterations: 1, Points: 1, Times: times}, &fakeCore{}, &fakeTrainer{}); err == nil {
			t.Errorf("%+v was accepted", times)
		}
	}
}
