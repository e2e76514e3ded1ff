package worker_test

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// waitingCore is a fakeCore whose job waits for workers that ended.
type waitingCore struct{ *fakeCore }

func (c waitingCore) Resume(gen int) {
	c.s.say("resume in generation %d", gen)
	c.finished = gen
}

func (s *stage) lend() {
	at := s.loop.Lend(s.now, func(gen int, model []float32) { s.say("  lend model %v of generation %d", model, gen) })
	s.say("lends the model of generation %d", at)
}

// Transcripts of a worker that lends its model, and of one that takes part in the generation at hand.
func TestResumeTranscripts(t *testing.T) {
	three := worker.LoopConfig{Node: "w3", System: "fake", Worker: 3, Iterations: 3, Compute: compute, Points: 1, Evaluate: true}
	for name, c := range map[string]struct {
		title  string
		join   int // -1: it does not join
		arrive func(*stage) []arrival
	}{
		"lend": {
			title: "A model is asked for while generation 0 is computed, while 1 is reduced, and when all is over.", join: -1,
			arrive: func(s *stage) []arrival {
				return []arrival{{at: 4 * ms, do: s.lend}, {at: 40 * ms, do: s.lend}, {at: 90 * ms, do: s.lend}}
			},
		},
		"resume": {
			title: "A worker takes part in generation 1, and is given the model of 2 when 1 is over.", join: 1,
			arrive: func(s *stage) []arrival {
				return []arrival{{at: 5 * ms, do: s.restore(1, 101)}, {at: 6 * ms, do: s.restore(1, 101)}, {at: 35 * ms, do: s.restore(2, 202)}, {at: 36 * ms, do: s.restore(3, 303)}}
			},
		},
		"resume-early": {
			title: "It is given the model of 2 before it has all of 1.", join: 1,
			arrive: func(s *stage) []arrival {
				return []arrival{{at: 5 * ms, do: s.restore(1, 101)}, {at: 25 * ms, do: s.restore(1, 101)}, {at: 26 * ms, do: s.restore(2, 202)}}
			},
		},
		"resume-at-the-end": {
			title: "It takes part in the last generation.", join: 2,
			arrive: func(s *stage) []arrival {
				return []arrival{{at: 5 * ms, do: s.restore(2, 201)}, {at: 40 * ms, do: s.restore(3, 303)}}
			},
		},
		"resume-in-vain": {
			title: "It is given models that do not fit.", join: 1,
			arrive: func(s *stage) []arrival {
				return []arrival{{at: 5 * ms, do: s.restore(4, 1)}, {at: 6 * ms, do: s.restore(1)}, {at: 7 * ms, do: s.restore(0, 1)}}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, three, 15*units.Millisecond)
			cfg := three
			cfg.Trace = s
			var err error
			if s.loop, err = worker.New(cfg, waitingCore{s.core}, &keeper{fakeTrainer: s.trainer}); err != nil {
				t.Fatal(err)
			}
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
