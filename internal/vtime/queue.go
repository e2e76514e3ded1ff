package vtime

import "github.com/inalab/inalab/internal/units"

// Event is something that is due for a target, which the owner of the queue
// understands: the index of a machine, say.
type Event struct {
	At     units.Time
	Target int32
}

// Queue is a priority queue of events. The zero value is empty.
//
// Any time may be pushed, also one before the last that was popped. A queue
// holds fewer than 2^31 events.
type Queue struct {
	bottom bottom
	ladder ladder
	limit  units.Time // what is pushed for this time or later goes to the ladder
}

// Len returns the number of events.
func (q *Queue) Len() int { return q.bottom.len() + q.ladder.count }

// Push adds an event.
func (q *Queue) Push(at units.Time, target int32) {
	if at < q.limit && q.bottom.len() == bottomMax {
		q.spill()
	}
	if at < q.limit {
		q.bottom.insert(Event{at, target})
	} else {
		q.ladder.push(Event{at, target})
	}
}

// Peek returns the first event and leaves it where it is. It returns false
// when there is none.
func (q *Queue) Peek() (Event, bool) {
	if q.bottom.len() == 0 {
		if q.ladder.count == 0 {
			return Event{}, false
		}
		q.refill()
	}
	return q.bottom.first(), true
}

// Pop takes the first event out. It panics when there is none.
func (q *Queue) Pop() Event {
	if q.bottom.len() == 0 {
		if q.ladder.count == 0 {
			panic("vtime: Pop from an empty queue")
		}
		q.refill()
	}
	return q.bottom.pop()
}

// refill moves the first events of the ladder, which has some, to the bottom,
// which has none.
func (q *Queue) refill() {
	q.limit = q.ladder.take(&q.bottom)
}

// spill moves the later half of a full bottom to the ladder. Events for one
// instant may end up on both sides: those that go are the later ones, and so
// will be all that are pushed for that instant.
func (q *Queue) spill() {
	from := q.bottom.at(bottomMax / 2).At
	q.ladder.takeBack(&q.bottom, from, q.limit)
	q.limit = from
}
