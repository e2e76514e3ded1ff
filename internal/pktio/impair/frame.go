package impair

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// fate is what becomes of one frame: it is gone, or arrives, in one way or several.
type fate uint8

const (
	gone  fate = 0         // dropped or lost, and counted
	leave fate = 1 << iota // arrives at once; then nothing is before it in its lane
	keep                   // in flight; when it is due stands in the dues of its lane
	mark                   // it says so: congestion was met
	fast                   // it overtakes
	twice                  // it arrives twice, one behind the other
)

// accept decides on every frame of t, in order, and moves runs of one fate
// together.
func (l *Link) accept(t *sansio.Train, eff *sansio.Effects) {
	n := t.Frames()
	if l.coming.Marking.On() {
		l.marker.look(t)
	}
	var label *Label
	var at inet.Layout
	if l.labelled {
		label, at = labelOf(l.cfg.Labels, t)
	}
	nameOf := func(i int) (of name) {
		if label != nil {
			of = label.nameOf(t, at, i)
		}
		return of
	}
	if n == 1 {
		l.move(eff, t, l.decide(t.Bytes(), nameOf(0)), 0, 1, 1)
		return
	}
	from, run := 0, gone
	full := len(t.Header) + t.Unstored + t.Seg
	for i := range n {
		size := units.Bytes(full)
		if i == n-1 {
			size = units.Bytes(full - t.Seg + len(t.Body) - i*t.Seg)
		}
		f := l.decide(size, nameOf(i))
		if f != run || f&twice != 0 {
			l.move(eff, t, run, from, i, n)
			from, run = i, f
		}
	}
	l.move(eff, t, run, from, n, n)
}

// move does with frames i to j-1 of t, which has so many, what their common fate
// asks for.
func (l *Link) move(eff *sansio.Effects, t *sansio.Train, run fate, i, j, of int) {
	if i == j || run == gone {
		return
	}
	times := 1
	if run&twice != 0 {
		times = 2
	}
	for range times {
		if run&leave != 0 {
			l.send(eff, t, i, j)
			continue
		}
		n := &l.wire
		if run&fast != 0 {
			n = &l.fast
		}
		if p := n.keep(t, i, j, of); run&mark != 0 {
			setCE(p.train.Header)
		}
	}
}

// decide takes a frame of n bytes, without framing, through queue, line and
// wire.
func (l *Link) decide(n units.Bytes, of name) fate {
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
	f, due := l.cross(l.occupy(start, max(0, n+l.sending.Overhead)))
	switch {
	case l.lossy && l.lose(of):
		return gone
	case due > l.now:
		f |= marked
		l.fly(f, due)
	default:
		f |= leave
	}
	l.count(f)
	return f
}

// cross has a frame whose last bit is sent pass the wire. All that is by chance draws for every frame.
func (l *Link) cross(sent units.Time) (f fate, due units.Time) {
	if l.twice() {
		f = twice
	}
	delay := l.delay()
	if l.overtakes() {
		return f | fast, sent
	}
	l.lastDue = max(l.lastDue, sent.Add(delay))
	return f, l.lastDue
}

// fly notes when a frame arrives.
func (l *Link) fly(f fate, due units.Time) {
	n := &l.wire
	if f&fast != 0 {
		n = &l.fast
	}
	n.dues.push(due)
	if f&twice != 0 {
		n.dues.push(due)
	}
}

func (l *Link) count(f fate) {
	if f&mark != 0 {
		l.stats.Marked++
	}
	if f&fast != 0 {
		l.stats.Overtook++
	}
	if f&twice != 0 {
		l.stats.Duplicated++
	}
}

// admit reports whether a frame that would start at start may enter; if so, it
// waits until then.
func (l *Link) admit(start units.Time, n units.Bytes) bool {
	if max(l.InFlight(), l.queue.waiting.len()) >= l.cfg.MaxInFlight {
		l.stats.InFlightLimit++
		return false
	}
	if start > l.now && !l.queue.push(l.now, start, n) {
		l.stats.QueueFull++
		return false
	}
	return true
}
