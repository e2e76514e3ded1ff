package worker

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// update applies generation gen and starts the next.
func (l *Loop) update(now units.Time, eff *sansio.Effects) {
	if l.gen == l.entered {
		l.await(now)
		return
	}
	out := l.finishRound()
	s := result.Sample{
		System: l.cfg.System, StraggleP: l.cfg.StraggleP, Job: l.cfg.Job, Worker: l.cfg.Worker, Iteration: l.gen,
		Start: l.begun, End: now, Delay: l.served,
		Degraded: out.Degraded, Retransmits: out.Retransmits, Contributed: out.Contributed,
	}
	if l.state == reducing || l.state == charged {
		s.Loss = l.loss
		l.event(now, trace.Reduced)
	} else {
		l.event(now, trace.Skipped)
	}
	l.gen++
	l.begun, l.served = now, 0
	l.state = computing // of nothing yet; the next generation may be complete too
	if l.gen == l.cfg.Iterations {
		l.finish(now, &s, eff)
		return
	}
	eff.Samples = append(eff.Samples, s)
	if !l.pause(now, eff) && !l.core.Complete(l.gen) {
		l.start(now, eff)
	}
}

// finish evaluates the model where asked; the last sample, if any, waits for it.
func (l *Loop) finish(now units.Time, s *result.Sample, eff *sansio.Effects) {
	update, handOver, accuracy := l.takeUpdates(), l.handOver(), new(float64)
	l.last = s
	evaluate := l.cfg.Evaluate && s != nil
	if evaluate {
		l.last.Accuracy = accuracy
	}
	l.state, l.wake = evaluating, now
	eff.Computes = append(eff.Computes, sansio.Compute{Start: now, Until: now, Run: func() {
		update()
		handOver()
		if evaluate {
			*accuracy = l.trainer.Accuracy()
		}
	}})
}

// takeUpdates returns the work of applying what was reduced since the last
// Compute, for the next one, to a model that was given before that.
func (l *Loop) takeUpdates() func() {
	updates, takeModel := l.updates, l.takeModel()
	l.updates = nil
	return func() {
		takeModel()
		for _, mean := range updates {
			mean(l.mean)
			l.trainer.Apply(l.mean)
		}
	}
}

// giveBack returns to the collective what Computes have used, at the end of the one that was
// started last: all before it are over, too.
func (l *Loop) giveBack() {
	if lender, ok := l.core.(Lender); ok && l.lent > 0 {
		lender.Returned(l.lent)
	}
	l.lent = 0
}
