package parity

import (
	"slices"

	"github.com/inalab/inalab/nodes/gradient"
)

// Recording keeps the tensors of all workers of a run in memory. It meets
// check.Tensors; what it hands out may be kept.
type Recording struct{ workers []recorder }

// recorder is what one worker sent and was given, by generation.
type recorder struct {
	sent, delivered             map[int][]int32
	sentFloats, deliveredFloats map[int][]gradient.Floats
}

// NewRecording returns the empty recording of a run of so many workers.
func NewRecording(workers int) *Recording {
	r := &Recording{workers: make([]recorder, workers)}
	for i := range r.workers {
		r.workers[i] = recorder{map[int][]int32{}, map[int][]int32{}, map[int][]gradient.Floats{}, map[int][]gradient.Floats{}}
	}
	return r
}

// Recorder returns the end of one worker. It is a gradient.FloatRecorder.
func (r *Recording) Recorder(worker int) gradient.Recorder { return r.workers[worker] }

// Sent returns what a worker sent; nil where it sent nothing.
func (r *Recording) Sent(worker, gen int) ([]int32, error) { return r.workers[worker].sent[gen], nil }

// Delivered returns what a worker was given; nil where it was given nothing.
func (r *Recording) Delivered(worker, gen int) ([]int32, error) {
	return r.workers[worker].delivered[gen], nil
}

// Sent keeps a copy of q.
func (r recorder) Sent(gen int, q []int32) { r.sent[gen] = slices.Clone(q) }

// Delivered keeps a copy of sums.
func (r recorder) Delivered(gen int, sums []int32) { r.delivered[gen] = slices.Clone(sums) }

// SentFloats returns what a worker sent as float32.
func (r *Recording) SentFloats(worker, gen int) ([]gradient.Floats, error) {
	return r.workers[worker].sentFloats[gen], nil
}

// DeliveredFloats returns what a worker was given as float32.
func (r *Recording) DeliveredFloats(worker, gen int) ([]gradient.Floats, error) {
	return r.workers[worker].deliveredFloats[gen], nil
}

// SentFloats keeps a copy of g.
func (r recorder) SentFloats(gen, lo int, g []float32) { keep(r.sentFloats, gen, lo, g) }

// DeliveredFloats keeps a copy of sums.
func (r recorder) DeliveredFloats(gen, lo int, sums []float32) {
	keep(r.deliveredFloats, gen, lo, sums)
}

func keep(list map[int][]gradient.Floats, gen, lo int, v []float32) {
	list[gen] = append(list[gen], gradient.Floats{Lo: lo, Values: slices.Clone(v)})
}
