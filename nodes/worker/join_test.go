package worker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// skipCore is a fakeCore that can be told which generations are over.
type skipCore struct{ *fakeCore }

func (c skipCore) Skip(gen int) {
	c.s.say("all before %d is over", gen+1)
	c.finished = gen + 1
}

// keeper is a fakeTrainer whose model is the sum of what was applied.
type keeper struct {
	*fakeTrainer
	model float32
}

func (k *keeper) Apply(mean []float32) {
	k.model += mean[0]
	k.fakeTrainer.Apply(mean)
}

func (k *keeper) StateLen() int    { return 1 }
func (k *keeper) State() []float32 { return []float32{k.model} }
func (k *keeper) SetState(gen int, state []float32) {
	k.s.say("  model %v of generation %d", state[0], gen)
	k.model = state[0]
}

// newKeeperStage is a stage with a model, whose core can skip.
func newKeeperStage(t *testing.T, cfg worker.LoopConfig) *stage {
	t.Helper()
	cfg.Node, cfg.System, cfg.Worker = "w3", "fake", 3
	s := newStage(t, cfg, units.Millisecond)
	cfg.Trace = s
	var err error
	if s.loop, err = worker.New(cfg, skipCore{s.core}, &keeper{fakeTrainer: s.trainer}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stage) leave(least int) func() {
	return func() {
		from := s.loop.Leave(least, func(gen int, model []float32) { s.say("  hand over model %v of generation %d", model, gen) })
		s.say("promise the model of generation %d", from)
	}
}

func (s *stage) restore(gen int, model ...float32) func() {
	return func() {
		s.say("given a model of generation %d", gen)
		if err := s.loop.Restore(s.now, gen, model); err != nil {
			s.say("error: %v", err)
		}
	}
}

// Transcripts of a worker that hands its model over, and of one that joins with it.
func TestJoinTranscripts(t *testing.T) {
	five := worker.LoopConfig{Iterations: 5, Compute: compute, Points: 3, Evaluate: true}
	asleep := five
	asleep.Delays = append(delays(100), make([]units.Duration, 14)...)
	for name, c := range map[string]struct {
		title  string
		cfg    worker.LoopConfig
		join   int // -1: it does not join
		arrive func(*stage) []arrival
	}{
		"leave": {
			title: "A model is asked for in generation 0, once more in 1, and when it is too late.", cfg: five, join: -1,
			arrive: func(s *stage) []arrival {
				return []arrival{{at: 4 * ms, do: s.leave(0)}, {at: 14 * ms, do: s.leave(4)}, {at: 35 * ms, do: s.leave(0)}}
			},
		},
		"leave-asleep": {
			title: "A sleeper promises generation 2, and wakes up in 3.", cfg: asleep, join: -1,
			arrive: func(s *stage) []arrival {
				return []arrival{{at: 10 * ms, do: s.leave(0)}, {at: 20 * ms, gens: []int{0, 1, 2}}}
			},
		},
		"leave-asleep-to-the-end": {
			title: "A sleeper promises generation 2, and all is over when it wakes up.", cfg: asleep, join: -1,
			arrive: func(s *stage) []arrival {
				return []arrival{{at: 10 * ms, do: s.leave(0)}, {at: 20 * ms, gens: []int{0, 1, 2, 3, 4}}}
			},
		},
		"join": {
			title: "A worker joins from generation 2 on, is given the model of 3 while it is reduced, and contributes to it.", cfg: five, join: 2,
			arrive: func(s *stage) []arrival {
				return []arrival{{at: 20 * ms, gens: []int{2}}, {at: 25 * ms, do: s.restore(3, 303)}, {at: 26 * ms, do: s.restore(3, 303)}}
			},
		},
		"join-late": {
			title: "It is given the model of generation 2 when the results of 2 and 3 are here.", cfg: five, join: 2,
			arrive: func(s *stage) []arrival {
				return []arrival{{at: 20 * ms, gens: []int{2}}, {at: 30 * ms, gens: []int{3}}, {at: 35 * ms, do: s.restore(2, 201)}}
			},
		},
		"join-at-the-end": {
			title: "It is given the model behind the last generation.", cfg: five, join: 2,
			arrive: func(s *stage) []arrival { return []arrival{{at: 50 * ms, do: s.restore(5, 510)}} },
		},
		"join-in-vain": {
			title: "It is never given a model that fits: it waits.", cfg: five, join: 2,
			arrive: func(s *stage) []arrival {
				return []arrival{{at: 10 * ms, do: s.restore(1, 100)}, {at: 11 * ms, do: s.restore(6, 100)}, {at: 12 * ms, do: s.restore(2)}, {at: 20 * ms, gens: []int{2}}}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newKeeperStage(t, c.cfg)
			s.arrive = c.arrive(s)
			if c.join >= 0 {
				if err := s.loop.Join(c.join); err != nil {
					t.Fatal(err)
				}
			}
			s.run()
			w := worker.Worker{Machine: s.loop, Job: s.loop}
			golden.Equal(t, name+".txt", fmt.Sprintf("%s\n\n%sthe worker is: %s\n", c.title, s.log.String(), w.Snapshot(nil).State))
		})
	}
}

func TestJoinThatCannotBe(t *testing.T) {
	cfg := worker.LoopConfig{Iterations: 5, Compute: compute, Points: 1}
	for want, join := range map[string]func(s *stage) error{
		"the worker is done already": func(s *stage) error { s.run(); return s.loop.Join(0) },
		"generation 6 is not in 0..": func(s *stage) error { return s.loop.Join(6) },
		"generation -1 is not in 0.": func(s *stage) error { return s.loop.Join(-1) },
		"did not ask for any":        func(s *stage) error { return s.loop.Restore(0, 0, []float32{1}) },
		"from the first generation": func(s *stage) error {
			l, err := worker.New(cfg, s.core, s.trainer)
			if err != nil {
				return err
			}
			return l.Join(0)
		},
	} {
		if err := join(newKeeperStage(t, cfg)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
