package vtime

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
)

// check returns an error that names the invariant that a queue breaks.
func (q *Queue) check() error {
	for i := 1; i < q.bottom.len(); i++ {
		if q.bottom.at(uint8(i-1)).At > q.bottom.at(uint8(i)).At {
			return fmt.Errorf("events %d and %d of the bottom are out of order", i-1, i)
		}
	}
	if n := q.bottom.len(); n > 0 && q.bottom.at(uint8(n-1)).At > q.limit {
		return fmt.Errorf("the bottom holds %v, beyond its limit %v", q.bottom.at(uint8(n-1)).At, q.limit)
	}
	return q.ladder.check(q.limit)
}

func (l *ladder) check(limit units.Time) error {
	found, from := 0, limit
	for i := len(l.rungs) - 1; i >= 0; i-- {
		r := &l.rungs[i]
		n, err := l.checkRung(r, from)
		if err != nil {
			return fmt.Errorf("rung %d: %w", i, err)
		}
		found, from = found+n, max(from, r.end)
	}
	if l.topFrom != from && (len(l.rungs) > 0 || l.count > 0) {
		return fmt.Errorf("the top begins at %v, what is below ends at %v", l.topFrom, from)
	}
	n, err := l.checkList(&l.top, max(l.topFrom, l.topMin), l.topMax)
	if err != nil {
		return fmt.Errorf("top: %w", err)
	}
	if found += n; found != l.count {
		return fmt.Errorf("the ladder holds %d events, its count is %d", found, l.count)
	}
	for i := l.pool.free; i != 0; i = l.pool.nodes[i].next {
		found++
	}
	if nodes := max(len(l.pool.nodes)-1, 0); found != nodes {
		return fmt.Errorf("%d nodes are in lists, the pool has %d", found, nodes)
	}
	return nil
}

// checkRung counts the events of a rung, which are for the time from or later.
func (l *ladder) checkRung(r *rung, from units.Time) (int, error) {
	found := 0
	for i := range r.bucket {
		b := &r.bucket[i]
		if used := r.used>>i&1 == 1; used != (b.count > 0) {
			return 0, fmt.Errorf("bucket %d has %d events, its bit is %t", i, b.count, used)
		}
		if b.count == 0 {
			continue
		}
		lo, hi := r.span(i)
		if hi != r.end {
			hi--
		}
		n, err := l.checkList(b, max(lo, from), hi)
		if err != nil {
			return 0, fmt.Errorf("bucket %d: %w", i, err)
		}
		found += n
	}
	return found, nil
}

// checkList counts the events of a list, all from lo to hi.
func (l *ladder) checkList(events *list, lo, hi units.Time) (int, error) {
	last := link(0)
	n := 0
	for i := events.head; n < int(events.count); i = l.pool.nodes[i].next {
		if at := l.pool.nodes[i].at; at < lo || at > hi {
			return 0, fmt.Errorf("an event at %d is not from %d to %d", at, lo, hi)
		}
		last = i
		n++
	}
	if n > 0 && last != events.tail {
		return 0, fmt.Errorf("%d events do not end at the tail", n)
	}
	return n, nil
}
