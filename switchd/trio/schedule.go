package trio

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vtime"
)

// schedule is when threads go on: in order of time and, at one instant, of pushing. A thread
// has one event at most.
//
// Most events come in order on their own, and a list holds those of one kind: threads that issue an
// XTXN with their next instruction, as adds do, are an instruction ahead of the time; pieces
// of tails come one after the other. A queue holds what is in no such order.
//
//	now --> | soon:  + + + + + |         an instruction
//	        | tails:             + + +   an instruction behind a tail
//	        | later:   +             +         +          ... |
type schedule struct {
	soon, tails ring[vtime.Event]
	later       vtime.Queue
	first       vtime.Event    // of later; of an empty one that is Never
	near        units.Duration // what is farther ahead is not soon
	pushed      uint64
	turns       []uint64 // by thread: its number among all that were pushed
}

func newSchedule(near units.Duration) schedule {
	return schedule{first: vtime.Event{At: units.Never}, near: near}
}

// enrol makes room for another thread.
func (s *schedule) enrol() { s.turns = append(s.turns, 0) }

// push adds the event of a thread, and reports whether it is in the list of what is soon.
func (s *schedule) push(now, at units.Time, id int32) bool {
	if at.Sub(now) <= s.near && s.append(&s.soon, at, id) {
		return true
	}
	s.insert(at, id)
	return false
}

// pushTail adds the event of a thread that waits for a piece of a tail.
func (s *schedule) pushTail(at units.Time, id int32) {
	if !s.append(&s.tails, at, id) {
		s.insert(at, id)
	}
}

// append puts an event at the end of a list; false if it does not belong there.
func (s *schedule) append(to *ring[vtime.Event], at units.Time, id int32) bool {
	if n := to.len(); n > 0 && to.at(n-1).At > at {
		return false
	}
	s.turns[id] = s.pushed
	s.pushed++
	to.push(vtime.Event{At: at, Target: id})
	return true
}

func (s *schedule) insert(at units.Time, id int32) {
	s.turns[id] = s.pushed
	s.pushed++
	s.later.Push(at, id)
	if at < s.first.At {
		s.first = vtime.Event{At: at, Target: id}
	}
}

// peek returns the first event; one that is Never: there is none.
func (s *schedule) peek() vtime.Event {
	return s.earlier(&s.soon, s.besides())
}

// besides is peek without what is soon.
func (s *schedule) besides() vtime.Event { return s.earlier(&s.tails, s.first) }

// earlier returns the first of a list, or an event that comes before it.
func (s *schedule) earlier(list *ring[vtime.Event], e vtime.Event) vtime.Event {
	if list.len() == 0 {
		return e
	}
	f := *list.front()
	if f.At < e.At || f.At == e.At && s.turns[f.Target] < s.turns[e.Target] {
		return f
	}
	return e
}

// drop takes the first event out, which peek has returned.
func (s *schedule) drop(e vtime.Event) {
	switch {
	case s.soon.len() > 0 && s.soon.front().Target == e.Target:
		s.soon.pop()
	case s.tails.len() > 0 && s.tails.front().Target == e.Target:
		s.tails.pop()
	default:
		s.later.Pop()
		s.first = vtime.Event{At: units.Never}
		if next, ok := s.later.Peek(); ok {
			s.first = next
		}
	}
}
