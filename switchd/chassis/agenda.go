package chassis

import "github.com/inalab/inalab/internal/units"

// partID is the index of a part of the chassis.
type partID int32

// agenda knows the next deadline of every link: a binary heap of those that
// have one, with the place of each, so that a switch of a thousand ports does
// not look through all of them at every frame.
type agenda struct {
	heap  []entry
	place []int // by part: index into heap, or -1
}

type entry struct {
	at   units.Time
	part partID
}

// add makes room for one more part, without a deadline.
func (a *agenda) add() { a.place = append(a.place, -1) }

// next returns the earliest deadline, or [units.Never].
func (a *agenda) next() units.Time {
	if len(a.heap) == 0 {
		return units.Never
	}
	return a.heap[0].at
}

// set changes the deadline of a part.
func (a *agenda) set(part partID, at units.Time) {
	i := a.place[part]
	switch {
	case i < 0 && at == units.Never:
		return
	case i < 0:
		i = len(a.heap)
		a.heap = append(a.heap, entry{})
		a.put(i, entry{at, part})
	case at == units.Never:
		a.place[part] = -1
		last := len(a.heap) - 1
		moved := a.heap[last]
		a.heap = a.heap[:last]
		if i == last {
			return
		}
		a.put(i, moved)
	default:
		a.heap[i].at = at
	}
	a.down(a.up(i))
}

func (a *agenda) put(i int, e entry) {
	a.heap[i] = e
	a.place[e.part] = i
}

func (a *agenda) up(i int) int {
	e := a.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if a.heap[parent].at <= e.at {
			break
		}
		a.put(i, a.heap[parent])
		i = parent
	}
	a.put(i, e)
	return i
}

func (a *agenda) down(i int) {
	e := a.heap[i]
	for {
		child := 2*i + 1
		if child >= len(a.heap) {
			break
		}
		if r := child + 1; r < len(a.heap) && a.heap[r].at < a.heap[child].at {
			child = r
		}
		if a.heap[child].at >= e.at {
			break
		}
		a.put(i, a.heap[child])
		i = child
	}
	a.put(i, e)
}

// due appends the parts whose deadline is now or past, in no useful order.
func (a *agenda) due(now units.Time, out []partID) []partID { return a.dueBelow(0, now, out) }

func (a *agenda) dueBelow(i int, now units.Time, out []partID) []partID {
	if i >= len(a.heap) || a.heap[i].at > now {
		return out
	}
	out = append(out, a.heap[i].part)
	return a.dueBelow(2*i+2, now, a.dueBelow(2*i+1, now, out))
}
