package job

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// Idle returns how long the job waits on purpose: for its start, and in its pauses.
func (s *Spec) Idle() units.Duration { return s.Times.Idle(s.Iterations) }

// longest is the most that a run may take: no run does, and sums of it fit (assumed).
const longest = units.Duration(units.Never) / 4

// Longest returns how long the job may take, at so many times an expected iteration.
func (s *Spec) Longest(times int, iteration units.Duration) units.Duration {
	n := units.Duration(times * s.Iterations)
	if iteration > 0 && n > longest/iteration {
		return longest
	}
	return n*iteration + s.Idle()
}

func (s *Spec) validateTimes() error {
	if s.Elements > 0 && s.Times != (worker.Times{}) {
		return errors.New("a benchmark begins at once and goes on without a pause: leave start and repeat out")
	}
	if err := s.Times.Validate(); err != nil {
		return err
	}
	if t := s.Times; t.Every > 0 && t.Off > 0 && units.Duration((s.Iterations-1)/t.Every) > MaxIdle/t.Off {
		return fmt.Errorf("pauses of %v after every %d of %d iterations are more than %v in all: make them shorter or fewer", t.Off, t.Every, s.Iterations, MaxIdle)
	}
	return nil
}

// MaxIdle is the most that the pauses of a job may come to (assumed: a day is longer than any
// run).
const MaxIdle = 24 * 3600 * units.Second
