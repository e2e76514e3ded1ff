package vtime

import "github.com/inalab/inalab/internal/units"

// rungsKeep is the number of rungs (0.8 KiB each) that a ladder keeps although
// they are not in use. All of time divides into 64ths 11 times at most, so that
// more are in use only when pushes come in falling order.
const rungsKeep = 16

// ladder holds the events that are too late for the bottom: those before
// topFrom in the buckets of its rungs, the others in the order they came.
//
// The rungs cover the time from the limit of the queue to topFrom without gaps,
// the last rung the earliest stretch. Without rungs, topFrom is that limit.
type ladder struct {
	pool  pool
	rungs []rung
	count int

	top            list
	topFrom        units.Time // what is pushed for this time or later goes to the top
	topMin, topMax units.Time // of the events in the top, when there are any
}

func (l *ladder) push(e Event) {
	l.count++
	i := l.pool.put(e)
	if e.At < l.topFrom {
		l.pool.pushBack(l.rungFor(e.At).bucketFor(e.At), i)
		return
	}
	l.widenTop(e.At)
	l.pool.pushBack(&l.top, i)
}

func (l *ladder) widenTop(at units.Time) {
	if l.top.count == 0 {
		l.topMin, l.topMax = at, at
		return
	}
	l.topMin, l.topMax = min(l.topMin, at), max(l.topMax, at)
}

// rungFor returns the lowest rung that ends after a time before topFrom. It is
// mostly the last one, and there are few; but when pushes come in falling order
// there can be many, hence the search by halves.
func (l *ladder) rungFor(at units.Time) *rung {
	last := len(l.rungs) - 1
	if at < l.rungs[last].end {
		return &l.rungs[last]
	}
	yes, no := 0, last // whether they end after it
	for no-yes > 1 {
		if mid := (yes + no) / 2; at < l.rungs[mid].end {
			yes = mid
		} else {
			no = mid
		}
	}
	return &l.rungs[yes]
}

// take moves the first events to the bottom, which is empty, and returns the
// limit between the two.
func (l *ladder) take(b *bottom) (limit units.Time) {
	first, limit := l.first()
	n := min(first.count, bottomFill)
	for range n {
		b.insert(l.pool.takeFront(first))
	}
	if l.count -= int(n); l.count == 0 {
		l.rungs = l.rungs[:0]
		l.pool.clear()
		limit, l.topFrom = units.Never, units.Never
	}
	l.trim()
	return limit
}

// first returns the list of the first events, bottomFill at most or all for one
// instant, and the limit when bottomFill of them have been taken. It makes finer
// rungs until there is such a list.
func (l *ladder) first() (*list, units.Time) {
	for {
		if len(l.rungs) == 0 {
			if l.top.count <= bottomFill {
				return &l.top, units.Never
			}
			l.divideTop()
		}
		r := &l.rungs[len(l.rungs)-1]
		i := r.next()
		if i == buckets {
			l.rungs = l.rungs[:len(l.rungs)-1]
			continue
		}
		first := &r.bucket[i]
		from, to := r.span(i)
		switch {
		case first.count <= bottomFill:
			r.used &^= 1 << i
			return first, to
		case r.shift == 0:
			return first, from
		}
		r.used &^= 1 << i
		all := *first
		*first = list{}
		l.addRung(r.divide(i), all)
	}
}

// divideTop makes the top the first rung.
func (l *ladder) divideTop() {
	all := l.top
	l.top = list{}
	l.topFrom = l.topMax
	l.addRung(newRung(l.topMin, l.topMax, l.topMax), all)
}

// addRung adds the lowest rung and deals events out to its buckets.
func (l *ladder) addRung(r rung, all list) {
	l.rungs = append(l.rungs, r)
	lowest := &l.rungs[len(l.rungs)-1]
	for i := all.head; i != 0; {
		next := l.pool.nodes[i].next
		l.pool.pushBack(lowest.bucketFor(l.pool.nodes[i].at), i)
		i = next
	}
}

// takeBack takes the events of the bottom from its middle on, where from is due.
// They come before all that the ladder holds for their times. The limit was to
// and is from.
func (l *ladder) takeBack(b *bottom, from, to units.Time) {
	for n := len(l.rungs); n > 0 && l.rungs[n-1].used == 0; n-- {
		to = l.rungs[n-1].end // the rung above may begin as late as that
		l.rungs = l.rungs[:n-1]
	}
	if len(l.rungs) == 0 {
		l.topFrom = from
	} else {
		l.rungs = append(l.rungs, newRung(from, to, to))
	}
	for b.len() > bottomMax/2 {
		l.pushFront(b.popLast())
	}
}

// pushFront adds an event to the lowest rung, before all for the same time.
func (l *ladder) pushFront(e Event) {
	l.count++
	i := l.pool.put(e)
	if n := len(l.rungs); n > 0 {
		l.pool.pushFront(l.rungs[n-1].bucketFor(e.At), i)
		return
	}
	l.widenTop(e.At)
	l.pool.pushFront(&l.top, i)
}

// trim gives memory back after a burst. It halves what is held when less than a
// quarter is in use: that many events have gone since, so that each bears a
// constant part of the cost.
func (l *ladder) trim() {
	if held := cap(l.pool.nodes); held > poolKeep && l.count < held/4 {
		l.movePool(held / 2)
	}
	if held := cap(l.rungs); held > rungsKeep && len(l.rungs) < held/4 {
		l.rungs = append(make([]rung, 0, held/2), l.rungs...)
	}
}

// movePool moves all nodes to a pool of another size.
func (l *ladder) movePool(capacity int) {
	var to pool
	to.resize(capacity)
	l.pool.moveTo(&to, &l.top)
	for i := range l.rungs {
		for j := range l.rungs[i].bucket {
			l.pool.moveTo(&to, &l.rungs[i].bucket[j])
		}
	}
	l.pool = to
}
