package impair

import "github.com/inalab/inalab/internal/units"

// line is the serial line: one frame at a time, of one link or of several that
// share it.
type line struct {
	free units.Time // when the last bit of the last frame is sent
	user *Link      // whose frame that was
}

// occupy charges a frame of size bytes to the line from start on, which is free or
// later, and returns when the last bit is sent.
func (l *Link) occupy(start units.Time, size units.Bytes) units.Time {
	n := l.line
	if start > n.free || n.user != l {
		l.serial = units.Serializer{Rate: l.serial.Rate} // the line was idle, or another's: start is exact
		n.user = l
	}
	n.free = start.Add(l.serial.Advance(size) + l.sending.PerFrame)
	l.stats.Busy += n.free.Sub(start)
	return n.free
}

// queue is the waiting room before the line. It holds sizes, not frames.
type queue struct {
	limit   units.Bytes
	bytes   units.Bytes // sum over waiting
	waiting ring[waiter]
	depth   depth
}

type waiter struct {
	start units.Time // when its first bit is sent
	bytes units.Bytes
}

// drain takes out what has started by now.
func (q *queue) drain(now units.Time) {
	for q.waiting.len() > 0 && q.waiting.front().start <= now {
		q.depth.until(q.waiting.front().start, q.bytes)
		q.bytes -= q.waiting.front().bytes
		q.waiting.drop()
	}
}

// push adds a frame of n bytes that comes now and reports whether there was room.
func (q *queue) push(now, start units.Time, n units.Bytes) bool {
	if q.bytes+n > q.limit {
		return false
	}
	if q.bytes > 0 {
		q.depth.until(now, q.bytes)
	} else {
		q.depth.since = now
	}
	q.bytes += n
	q.waiting.push(waiter{start, n})
	return true
}
