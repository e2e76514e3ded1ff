package impair

import (
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Names of the counters: frames that did not arrive, by reason ([result.LinkDrops]), and traffic.
const (
	DropQueueFull = result.DropQueueFull
	DropInFlight  = result.DropInFlight
	DropBernoulli = result.DropBernoulli
	DropLossEvery = result.DropLossEvery
	DropBurst     = result.DropBurst
	DropEarly     = result.DropEarly
	DropFCS       = result.DropFCS
	DropScript    = result.DropScript

	CountMarked     = "ecn-marked" // left with a mark of congestion
	CountOvertook   = "reordered"  // passed the wire without delay
	CountDuplicated = "duplicated" // were delivered twice

	CountFramesIn  = "frames-in"
	CountBytesIn   = "bytes-in"
	CountFramesOut = "frames-out"
	CountBytesOut  = "bytes-out"
)

// Volume is an amount of traffic.
type Volume struct {
	Frames uint64
	Bytes  units.Bytes // headers included, framing not
}

func (v *Volume) add(t *sansio.Train) {
	n := t.Frames()
	v.Frames += uint64(n)
	v.Bytes += units.Bytes(n*(len(t.Header)+t.Unstored) + len(t.Body))
}

// Stats are the counts of a link since it was made. Frames in and their duplicates are
// frames out, the drops of all kinds, and those in flight; a lost frame counts as such
// from its arrival at the link on.
type Stats struct {
	In, Out       Volume
	QueueFull     uint64
	InFlightLimit uint64
	LossBernoulli uint64
	LossEvery     uint64
	LossBurst     uint64
	LossFCS       uint64
	LossScript    uint64
	EarlyDrop     uint64
	Marked        uint64
	Overtook      uint64
	Duplicated    uint64
	Busy          units.Duration // of the line
}

// Stats returns what the link counted so far.
func (l *Link) Stats() Stats { return l.stats }

// Depth returns how many bytes waited from one instant to another, the time of the latest
// call or later. Nothing may have waited before.
func (l *Link) Depth(from, until units.Time) Depth {
	q := l.queue // what starts by now has waited until it did
	q.waiting.buf = slices.Clone(q.waiting.buf)
	if q.depth.times != nil {
		times := *q.depth.times
		q.depth.times = &times
	}
	q.drain(until)
	if q.bytes > 0 {
		q.depth.until(until, q.bytes)
	}
	return q.depth.sum(until.Sub(from))
}

// InFlight returns the number of frames inside the link that will arrive, duplicates included.
func (l *Link) InFlight() int { return l.wire.dues.len() + l.fast.dues.len() }

// Drops returns the frames that did not arrive by reason, those reasons that there were.
func (s *Stats) Drops() (out []sansio.Count) {
	for _, d := range s.drops() {
		if d.N > 0 {
			out = append(out, d)
		}
	}
	return out
}

func (s *Stats) drops() []sansio.Count {
	return []sansio.Count{
		{Name: DropBernoulli, N: s.LossBernoulli},
		{Name: DropLossEvery, N: s.LossEvery},
		{Name: DropBurst, N: s.LossBurst},
		{Name: DropFCS, N: s.LossFCS},
		{Name: DropScript, N: s.LossScript},
		{Name: DropEarly, N: s.EarlyDrop},
		{Name: DropQueueFull, N: s.QueueFull},
		{Name: DropInFlight, N: s.InFlightLimit},
	}
}

// Counters returns the counts by name, sorted; all of them, zero or not.
func (l *Link) Counters() []sansio.Count {
	var t sansio.Tally
	s := &l.stats
	t.Merge(s.drops())
	t.Add(CountMarked, s.Marked)
	t.Add(CountOvertook, s.Overtook)
	t.Add(CountDuplicated, s.Duplicated)
	t.Add(CountFramesIn, s.In.Frames)
	t.Add(CountBytesIn, uint64(s.In.Bytes))
	t.Add(CountFramesOut, s.Out.Frames)
	t.Add(CountBytesOut, uint64(s.Out.Bytes))
	return t.List()
}
