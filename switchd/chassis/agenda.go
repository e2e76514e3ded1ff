package chassis

import "github.com/inalab/inalab/internal/units"

// partID is the index of a part of the chassis.
type partID int32

// agenda knows the next deadline of every link, so that a switch of a thousand
// ports does not look through all of them at every frame: a binary heap of
// instants, each with the links that are due then. Links in step share one.
//
// A deadline that is moved leaves its old place as it is: a place counts only
// as long as it agrees with the deadline of the link. Two instants of the heap
// may be the same.
type agenda struct {
	heap   []instant
	of     []units.Time // deadline by part, or never
	latest int          // index into heap of the instant that was added last, or -1
	spare  [][]partID   // lists, for reuse
}

type instant struct {
	at    units.Time
	parts []partID
}

// add makes room for one more part, without a deadline.
func (a *agenda) add() {
	a.of = append(a.of, units.Never)
	a.latest = -1
}

// next returns the earliest deadline, or [units.Never].
func (a *agenda) next() units.Time {
	for len(a.heap) > 0 {
		top := &a.heap[0]
		for _, part := range top.parts {
			if a.of[part] == top.at {
				return top.at
			}
		}
		a.pop() // all have moved
	}
	return units.Never
}

// set changes the deadline of a part.
func (a *agenda) set(part partID, at units.Time) {
	if a.of[part] == at {
		return
	}
	a.of[part] = at
	if at == units.Never {
		return
	}
	if a.latest < 0 || a.heap[a.latest].at != at {
		a.push(at)
	}
	in := &a.heap[a.latest]
	in.parts = append(in.parts, part)
}

// take appends the parts whose deadline is now or past, maybe some of them
// twice, and forgets these deadlines.
func (a *agenda) take(now units.Time, out []partID) []partID {
	for len(a.heap) > 0 && a.heap[0].at <= now {
		top := &a.heap[0]
		for _, part := range top.parts {
			if a.of[part] == top.at {
				out = append(out, part)
			}
		}
		a.pop()
	}
	for _, part := range out {
		a.of[part] = units.Never
	}
	return out
}

// push adds an instant and makes it the latest.
func (a *agenda) push(at units.Time) {
	e := instant{at: at}
	if last := len(a.spare) - 1; last >= 0 {
		e.parts, a.spare = a.spare[last], a.spare[:last]
	}
	i := len(a.heap)
	a.heap = append(a.heap, e)
	for i > 0 {
		parent := (i - 1) / 2
		if a.heap[parent].at <= at {
			break
		}
		a.heap[i] = a.heap[parent]
		i = parent
	}
	a.heap[i] = e
	a.latest = i
}

// pop takes the earliest instant out.
func (a *agenda) pop() {
	a.spare = append(a.spare, a.heap[0].parts[:0])
	a.latest = -1
	last := len(a.heap) - 1
	e := a.heap[last]
	a.heap[last] = instant{}
	a.heap = a.heap[:last]
	if last == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= last {
			break
		}
		if r := child + 1; r < last && a.heap[r].at < a.heap[child].at {
			child = r
		}
		if a.heap[child].at >= e.at {
			break
		}
		a.heap[i] = a.heap[child]
		i = child
	}
	a.heap[i] = e
}
