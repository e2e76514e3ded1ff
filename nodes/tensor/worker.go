package tensor

import (
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Worker is what workers of all collectives share: tensors that are reduced one after
// another. A collective embeds it.
type Worker struct {
	sansio.Untimed // the streams keep the timers

	Buf    Buffer
	Gen    int  // the generation that was begun last; -1: none was
	Active bool // it was begun, and neither finished nor given up
	Count  sansio.Tally

	saturated string // name of a counter
	start     func(eff *sansio.Effects)
}

// NewWorker returns a worker that has begun nothing. Start begins the collective's part
// of generation Gen, whose tensor is in Buf. Saturated values are counted by that name.
func NewWorker(buf Buffer, saturated string, start func(eff *sansio.Effects)) Worker {
	return Worker{Buf: buf, Gen: -1, saturated: saturated, start: start}
}

// Begin starts the all-reduce of generation gen; the one before is complete.
func (w *Worker) Begin(_ units.Time, gen int, grad []float32, eff *sansio.Effects) {
	w.Count.Add(w.saturated, uint64(w.Buf.Quantise(grad)))
	w.begin(gen, eff)
}

// BeginInts is Begin for a tensor that is int32 already.
func (w *Worker) BeginInts(_ units.Time, gen int, q []int32, eff *sansio.Effects) {
	w.Buf.Load(q)
	w.begin(gen, eff)
}

func (w *Worker) begin(gen int, eff *sansio.Effects) {
	w.Gen, w.Active = gen, true
	w.start(eff)
}

// Sums returns the integer sums of the complete generation, valid until the
// next begins.
func (w *Worker) Sums() []int32 { return w.Buf.Sums() }

// Finish ends the complete generation gen.
func (w *Worker) Finish(gen int) (result.Outcome, func(mean []float32)) {
	w.Active = false
	return w.Buf.Finish(gen)
}

// Returned takes the memory of n generations back.
func (w *Worker) Returned(n int) { w.Buf.Returned(n) }

// Counters returns messages sent and faults by reason.
func (w *Worker) Counters() []sansio.Count { return w.Count.List() }
