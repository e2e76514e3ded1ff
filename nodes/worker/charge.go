package worker

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Skipper is a collective whose rounds may be charged: a round in which all
// take part, and nothing is lost or given up, leaves it as it found it but for
// the number of the generation.
type Skipper interface {
	Collective
	// Skip counts the generations up to gen as reduced without a packet: the next, or
	// those that a worker which joins has missed. None of them is begun.
	Skip(gen int)
}

// Generation returns the generation that the worker computes or reduces.
func (l *Loop) Generation() int { return l.gen }

// Ready returns when the worker will begin to reduce, if nothing comes between;
// ok is false where it is not on the way there.
func (l *Loop) Ready() (at units.Time, ok bool) {
	switch l.state {
	case delayed:
		at = l.wake.Add(l.part(l.point))
	case computing:
		at = l.wake
	default:
		return 0, false
	}
	for p := l.point + 1; p < l.cfg.Points; p++ {
		at = at.Add(l.delay(p) + l.part(p))
	}
	return at, true
}

// OwnDeadline returns when the delay, compute or charged round at hand ends,
// whatever the core has to do before.
func (l *Loop) OwnDeadline() units.Time {
	switch l.state {
	case delayed, computing, charged, evaluating, paused:
		return l.wake
	}
	return units.Never
}

// Chargeable reports whether the worker's rounds may be charged: its protocol
// allows it, and nobody needs the values.
func (l *Loop) Chargeable() bool {
	_, skips := l.core.(Skipper)
	_, replay := l.trainer.(*replay)
	return skips && replay
}

// Charge lets the round at hand, which [Loop.Ready] told of, take place without
// packets: it is complete at until. A driver that has simulated the same round
// before uses it.
func (l *Loop) Charge(until units.Time) { l.chargedUntil = until }

// reduce begins the round, or waits for the end of one that is charged.
func (l *Loop) reduce(now units.Time, eff *sansio.Effects) {
	if l.chargedUntil != 0 {
		l.state, l.wake = charged, l.chargedUntil
		return
	}
	l.state = reducing
	if l.lends != units.Never {
		l.lends = max(l.lends, now)
	}
	l.giveBack()
	l.core.Begin(now, l.gen, l.grad, eff)
}

// finishRound takes the results of the generation at hand from the core.
func (l *Loop) finishRound() result.Outcome {
	if l.chargedUntil != 0 {
		l.chargedUntil = 0
		l.core.(Skipper).Skip(l.gen)
		return result.Outcome{Contributed: true}
	}
	out, mean := l.core.Finish(l.gen)
	l.finished++
	l.updates = append(l.updates, mean)
	return out
}
