package worker_test

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// toldCore is a fakeCore that has been told who is out of service, by generation.
type toldCore struct {
	*fakeCore
	absent [][]uint8
}

func (c *toldCore) Absent(gen int) (m trace.Mask) {
	for _, w := range c.absent[gen] {
		m.Set(w)
	}
	return m
}

// sharer is a fakeTrainer that takes shares.
type sharer struct{ *fakeTrainer }

func (s sharer) Share(gen int, absent trace.Mask) {
	s.s.say("  share of %d without %d", gen, absent.Len())
}

// newToldStage is a stage whose core has been told, and whose trainer takes shares.
func newToldStage(t *testing.T, cfg worker.LoopConfig, absent ...[]uint8) *stage {
	t.Helper()
	s := newStage(t, cfg, units.Millisecond)
	var err error
	if s.loop, err = worker.New(cfg, &toldCore{s.core, absent}, sharer{s.trainer}); err != nil {
		t.Fatal(err)
	}
	return s
}

// Where workers are out of service the others compute longer, in proportion; one of
// them that is back already keeps their pace. The trainer knows before it computes.
func TestSharesAreDivided(t *testing.T) {
	s := newToldStage(t, worker.LoopConfig{
		Worker: 3, Iterations: 4, Compute: 30 * units.Millisecond, Points: 3, Reshard: 4,
		Delays: delays(0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0),
	}, nil, []uint8{0}, []uint8{1, 3}, []uint8{0, 1, 2, 3})
	s.run()
	want := []units.Duration{31, 48, 61, 31}
	for i, x := range s.samples {
		if got := x.End.Sub(x.Start); got != want[i]*units.Millisecond {
			t.Errorf("iteration %d takes %v, want %vms", i, got, int(want[i]))
		}
	}
	log := s.log.String()
	for i, line := range []string{"share of 0 without 0", "share of 1 without 1", "share of 2 without 2", "share of 3 without 4"} {
		told, computed := strings.Index(log, line), strings.Index(log, "gradient "+string(rune('1'+i))+"\n")
		if told < 0 || computed < told {
			t.Errorf("%q stands at %d, the gradient at %d of\n%s", line, told, computed, log)
		}
	}
}

// Who does not divide shares asks nobody.
func TestSharesAreLeftAlone(t *testing.T) {
	s := newToldStage(t, worker.LoopConfig{Iterations: 1, Compute: 30 * units.Millisecond, Points: 3}, []uint8{0})
	if s.run(); s.samples[0].End != 31*ms || strings.Contains(s.log.String(), "share of") {
		t.Errorf("shares are divided:\n%s", &s.log)
	}
}
