package impair

import "github.com/inalab/inalab/internal/units"

// line is the serial line: one frame at a time.
type line struct {
	free   units.Time // when the last bit of the last frame is sent
	serial units.Serializer
	busy   units.Duration // sum of all sending so far, that still to come included
}

// setRate lets the frames from the next on be sent at r.
func (n *line) setRate(r units.Rate) {
	if r != n.serial.Rate {
		n.serial = units.Serializer{Rate: r} // a remainder means nothing at another rate
	}
}

// send charges size bytes and a time of their own from start on, which is free or
// later, and returns when the last bit is sent.
func (n *line) send(start units.Time, size units.Bytes, extra units.Duration) units.Time {
	if start > n.free {
		n.serial = units.Serializer{Rate: n.serial.Rate} // the line was idle: start is exact
	}
	n.free = start.Add(n.serial.Advance(size) + extra)
	n.busy += n.free.Sub(start)
	return n.free
}

// queue is the waiting room before the line. It holds sizes, not frames.
type queue struct {
	limit   units.Bytes
	bytes   units.Bytes // sum over waiting
	waiting ring[waiter]
}

type waiter struct {
	start units.Time // when its first bit is sent
	bytes units.Bytes
}

// drain takes out what has started by now.
func (q *queue) drain(now units.Time) {
	for q.waiting.len() > 0 && q.waiting.front().start <= now {
		q.bytes -= q.waiting.pop().bytes
	}
}

// push adds a frame of n bytes and reports whether there was room.
func (q *queue) push(start units.Time, n units.Bytes) bool {
	if q.bytes+n > q.limit {
		return false
	}
	q.bytes += n
	q.waiting.push(waiter{start, n})
	return true
}
