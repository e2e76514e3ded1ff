package job

import (
	"errors"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// Idle returns how long the job waits on purpose: for its start, and in its pauses.
func (s *Spec) Idle() units.Duration { return s.Times.Idle(s.Iterations) }

func (s *Spec) validateTimes() error {
	if s.Elements > 0 && s.Times != (worker.Times{}) {
		return errors.New("a benchmark begins at once and goes on without a pause: leave start and repeat out")
	}
	return s.Times.Validate()
}
