// Package vtime is the event queue of the virtual clock: what is due first
// comes out first, and of two events for one instant the one that was put in
// first.
//
// It is a binary heap of small values without pointers, so that it costs the
// garbage collector nothing.
package vtime

import "github.com/inalab/inalab/internal/units"

// Event is something that is due for a target, which the owner of the queue
// understands: the index of a machine, say.
type Event struct {
	At     units.Time
	seq    uint64
	Target int32
}

// Queue is a priority queue of events. The zero value is empty.
type Queue struct {
	heap []Event
	seq  uint64
}

// Len returns the number of events.
func (q *Queue) Len() int { return len(q.heap) }

// Push adds an event.
func (q *Queue) Push(at units.Time, target int32) {
	q.seq++
	q.heap = append(q.heap, Event{At: at, seq: q.seq, Target: target})
	q.up(len(q.heap) - 1)
}

// Pop takes the first event out. It panics when there is none.
func (q *Queue) Pop() Event {
	first := q.heap[0]
	last := len(q.heap) - 1
	q.heap[0] = q.heap[last]
	q.heap = q.heap[:last]
	q.down(0)
	return first
}

func (e Event) before(o Event) bool {
	return e.At < o.At || e.At == o.At && e.seq < o.seq
}

func (q *Queue) up(i int) {
	e := q.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(q.heap[parent]) {
			break
		}
		q.heap[i] = q.heap[parent]
		i = parent
	}
	q.heap[i] = e
}

func (q *Queue) down(i int) {
	n := len(q.heap)
	if n == 0 {
		return
	}
	e := q.heap[i]
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if r := child + 1; r < n && q.heap[r].before(q.heap[child]) {
			child = r
		}
		if !q.heap[child].before(e) {
			break
		}
		q.heap[i] = q.heap[child]
		i = child
	}
	q.heap[i] = e
}
