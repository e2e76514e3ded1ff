package impair

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// fate is what becomes of one frame.
type fate uint8

const (
	gone  fate = iota // dropped or lost, and counted
	leave             // arrives at once; then nothing is in flight before it
	keep              // in flight; when it is due stands in Link.dues
	mark              // the same, and it says so: congestion was met
)

// accept decides on every frame of t, in order, and moves runs of one fate
// together.
func (l *Link) accept(t *sansio.Train, eff *sansio.Effects) {
	n := t.Frames()
	if l.coming.Marking.On() {
		l.marker.look(t)
	}
	if n == 1 {
		l.move(eff, t, l.decide(t.Bytes()), 0, 1, 1)
		return
	}
	from, run := 0, gone
	full := len(t.Header) + t.Unstored + t.Seg
	for i := range n {
		size := units.Bytes(full)
		if i == n-1 {
			size = units.Bytes(full - t.Seg + len(t.Body) - i*t.Seg)
		}
		f := l.decide(size)
		if f != run {
			l.move(eff, t, run, from, i, n)
			from, run = i, f
		}
	}
	l.move(eff, t, run, from, n, n)
}

// move does with frames i to j-1 of t, which has so many, what their common fate
// asks for.
func (l *Link) move(eff *sansio.Effects, t *sansio.Train, run fate, i, j, of int) {
	switch {
	case i == j:
	case run == leave:
		l.send(eff, t, i, j)
	case run == keep:
		l.keep(t, i, j, of)
	case run == mark:
		setCE(l.keep(t, i, j, of).train.Header)
	}
}

// keep stores frames i to j-1 of t, the latest in dues: their header in the
// parcel, and their body in the store, or where it is if that is kept.
func (l *Link) keep(t *sansio.Train, i, j, of int) *parcel {
	p := l.parcels.add()
	p.frames, p.left, p.chunk = j-i, 0, nil
	if j-i < of {
		p.train = t.Sub(i, j, p.header[:0])
	} else {
		p.train.Set(t)
		p.train.Header = append(p.header[:0], t.Header...)
	}
	if p.train.Memory != nil {
		p.train.Memory.Keep()
		return p
	}
	var mem []byte
	mem, p.chunk = l.store.alloc(len(p.train.Body))
	copy(mem, p.train.Body)
	p.train.Body = mem
	return p
}

// decide takes a frame of n bytes, without framing, through queue, line and
// wire.
func (l *Link) decide(n units.Bytes) fate {
	start := max(l.now, l.line.free)
	if start >= l.sending.next {
		l.changeLine(start)
	}
	marked := keep
	if l.coming.Marking.On() {
		if marked = l.marker.judge(l, n); marked == gone {
			l.stats.EarlyDrop++
			return gone
		}
	}
	if !l.admit(start, n) {
		return gone
	}
	due := l.occupy(start, max(0, n+l.sending.Overhead)).Add(l.sending.Delay)
	if l.sending.Jitter > 0 {
		due = due.Add(units.Duration(l.cfg.JitterStream.IntN(int(l.sending.Jitter))))
	}
	due = max(l.lastDue, due)
	l.lastDue = due
	switch {
	case l.lossy && l.lose():
		return gone
	case due <= l.now:
		return leave
	}
	l.dues.push(due)
	if marked == mark {
		l.stats.Marked++
	}
	return marked
}

// admit reports whether a frame that would start at start may enter; if so, it
// waits until then.
func (l *Link) admit(start units.Time, n units.Bytes) bool {
	if max(l.dues.len(), l.queue.waiting.len()) >= l.cfg.MaxInFlight {
		l.stats.InFlightLimit++
		return false
	}
	if start > l.now && !l.queue.push(l.now, start, n) {
		l.stats.QueueFull++
		return false
	}
	return true
}
