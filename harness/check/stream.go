package check

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/nodes/gradient"
)

// Stream checks generation after generation while a run goes on, for workers
// that share this process: as soon as the last worker has recorded what it was
// given, the generation is compared and forgotten, so that memory does not grow
// with the length of the run.
type Stream struct {
	checker checker
	open    map[int]*generation
	next    []int // by worker: the generation that it records next
	newest  int   // all that are checked or left out are below
	done    int
	ended   bool // the job was, before its last generation
	err     error
}

// generation holds what was recorded of one generation so far.
type generation struct {
	sent, delivered [][]int32

	sentFloats, deliveredFloats [][]gradient.Floats

	missing int // workers that are there and have recorded nothing delivered
}

// NewStream returns the check of one run.
func NewStream(job Job, who Contributors) *Stream {
	s := &Stream{open: map[int]*generation{}, next: make([]int, job.Workers)}
	s.checker = checker{job: job, tensors: s, who: who}
	return s
}

// Recorder returns the gradient.Recorder of one worker.
func (s *Stream) Recorder(worker int) *StreamRecorder { return &StreamRecorder{s, worker} }

// StreamRecorder records one worker's tensors in a Stream.
type StreamRecorder struct {
	s      *Stream
	worker int
}

// Sent keeps a copy of q.
func (r *StreamRecorder) Sent(gen int, q []int32) {
	if !r.s.late(gen) {
		r.s.generation(gen).sent[r.worker] = append([]int32(nil), q...)
	}
}

// Delivered keeps a copy of sums. A worker records what it sent before.
func (r *StreamRecorder) Delivered(gen int, sums []int32) {
	if r.s.late(gen) {
		r.s.checker.result.Unchecked += uint64(len(sums))
		return
	}
	g := r.s.generation(gen)
	first := g.delivered[r.worker] == nil
	g.delivered[r.worker] = append([]int32(nil), sums...)
	r.s.next[r.worker] = gen + 1
	if first && !r.s.checker.job.Away(r.worker, gen) {
		r.s.recorded(gen, g)
	}
}

// SentFloats keeps a copy of g.
func (r *StreamRecorder) SentFloats(gen, lo int, g []float32) {
	if !r.s.late(gen) {
		r.s.generation(gen).sentFloats[r.worker] = keep(r.s.generation(gen).sentFloats[r.worker], lo, g)
	}
}

// DeliveredFloats keeps a copy of sums. It comes before Delivered.
func (r *StreamRecorder) DeliveredFloats(gen, lo int, sums []float32) {
	if !r.s.late(gen) {
		r.s.generation(gen).deliveredFloats[r.worker] = keep(r.s.generation(gen).deliveredFloats[r.worker], lo, sums)
	}
}

func keep(list []gradient.Floats, lo int, v []float32) []gradient.Floats {
	return append(list, gradient.Floats{Lo: lo, Values: slices.Clone(v)})
}

// late reports whether a generation was checked already: without this worker.
func (s *Stream) late(gen int) bool { return gen < s.newest && s.open[gen] == nil }

// recorded counts a worker that has recorded a generation, or never will.
func (s *Stream) recorded(gen int, g *generation) {
	if g.missing--; g.missing == 0 {
		s.check(gen)
	}
}

func (s *Stream) generation(gen int) *generation {
	g := s.open[gen]
	if g == nil {
		n := s.checker.job.Workers
		g = &generation{
			sent: make([][]int32, n), delivered: make([][]int32, n),
			sentFloats: make([][]gradient.Floats, n), deliveredFloats: make([][]gradient.Floats, n),
		}
		for w := range n {
			if !s.checker.job.Away(w, gen) {
				g.missing++
			}
		}
		s.open[gen] = g
	}
	return g
}

func (s *Stream) check(gen int) {
	if err := s.checker.generation(gen); err != nil && s.err == nil {
		s.err = err
	}
	delete(s.open, gen)
	if m, ok := s.checker.who.(*Masks); ok {
		m.Forget(gen)
	}
	s.count(gen)
}

func (s *Stream) count(gen int) {
	s.done++
	s.newest = max(s.newest, gen+1)
}

// Skip says that a generation, the next one, is not going to be recorded.
func (s *Stream) Skip() { s.count(s.done) }

// Sent returns what a worker sent.
func (s *Stream) Sent(worker, gen int) ([]int32, error) { return s.generation(gen).sent[worker], nil }

// Delivered returns what a worker was given.
func (s *Stream) Delivered(worker, gen int) ([]int32, error) {
	return s.generation(gen).delivered[worker], nil
}

// SentFloats returns what a worker sent as float32.
func (s *Stream) SentFloats(worker, gen int) ([]gradient.Floats, error) {
	return s.generation(gen).sentFloats[worker], nil
}

// DeliveredFloats returns what a worker was given as float32.
func (s *Stream) DeliveredFloats(worker, gen int) ([]gradient.Floats, error) {
	return s.generation(gen).deliveredFloats[worker], nil
}

// Result returns the verdict once the run is over. Generations that some worker
// never finished are an error, unless the worker was away or the job was ended: then
// those behind the last one that all have finished are not.
func (s *Stream) Result() (Result, error) {
	want := s.checker.job.Generations
	if s.ended {
		want = s.newest
	}
	if s.err == nil && s.done != want {
		return s.checker.result, fmt.Errorf("checking sums: %d of %d generations were recorded by every worker", s.done, want)
	}
	return s.checker.result, s.err
}
