package sansiotest

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Core is the host core of an all-reduce protocol, as the training loop uses it.
type Core interface {
	sansio.Machine
	Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects)
	Complete(gen int) bool
	Finish(gen int) (result.Outcome, func(mean []float32))
}

// Host reduces one tensor after another with a core and does nothing else. It
// is the training loop without the training: it begins generation g when the
// one before is finished and Ready(g) has come, and sleeps until then, though
// its core takes packets. It takes the mean of a generation as late as it can:
// when the next one is finished too.
type Host struct {
	Core    Core
	Tensors [][]float32            // by generation
	Ready   func(g int) units.Time // nil: at once

	Means    [][]float32 // of the generations that are finished
	Outcomes []result.Outcome
	Began    []units.Time // Never: finished without Begin
	Ended    []units.Time

	take  func() // writes the last of Means
	awake bool   // Ready(generation) has come
	begun bool
	at    units.Time // of Begin
}

// Gen returns the number of generations that are finished.
func (h *Host) Gen() int { return len(h.Means) }

// Done reports whether all generations are finished.
func (h *Host) Done() bool { return h.Gen() == len(h.Tensors) }

func (h *Host) ready() units.Time {
	if h.Ready == nil {
		return 0
	}
	return h.Ready(h.Gen())
}

// NextDeadline returns when to wake up, or the core's own.
func (h *Host) NextDeadline() units.Time {
	d := h.Core.NextDeadline()
	if !h.Done() && !h.awake {
		d = min(d, h.ready())
	}
	return d
}

// Handle passes packets to the core.
func (h *Host) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	h.Core.Handle(now, in, eff)
	h.progress(now, eff)
}

// Expire wakes up.
func (h *Host) Expire(now units.Time, eff *sansio.Effects) {
	h.Core.Expire(now, eff)
	h.progress(now, eff)
}

func (h *Host) progress(now units.Time, eff *sansio.Effects) {
	for !h.Done() && (h.awake || h.ready() <= now) {
		h.awake = true
		g := h.Gen()
		if !h.Core.Complete(g) && !h.begun {
			h.begun, h.at = true, now
			h.Core.Begin(now, g, h.Tensors[g], eff)
		}
		if !h.Core.Complete(g) {
			return
		}
		h.finish(now, g)
	}
}

func (h *Host) finish(now units.Time, g int) {
	began := units.Never
	if h.begun {
		began = h.at
	}
	out, take := h.Core.Finish(g)
	if h.take != nil {
		h.take()
	}
	mean := make([]float32, len(h.Tensors[g]))
	h.take = func() { take(mean) }
	h.Means, h.Outcomes = append(h.Means, mean), append(h.Outcomes, out)
	h.Began, h.Ended = append(h.Began, began), append(h.Ended, now)
	h.awake, h.begun = false, false
	if h.Done() {
		h.take()
	}
}
