package impair

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Names of the counters: frames that did not arrive, by reason, and traffic.
const (
	DropQueueFull = "queue-full"     // no room before the line
	DropInFlight  = "inflight-limit" // more than MaxInFlight frames inside
	DropBernoulli = "loss-bernoulli" // lost on the wire by chance
	DropLossEvery = "loss-every-nth" // lost on the wire by turn

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

// Stats are the counts of a link since it was made. Frames in are frames out,
// the four kinds of drops, and those in flight; a lost frame counts as such
// from its arrival at the link on.
type Stats struct {
	In, Out       Volume
	QueueFull     uint64
	InFlightLimit uint64
	LossBernoulli uint64
	LossEvery     uint64
}

// Stats returns what the link counted so far.
func (l *Link) Stats() Stats { return l.stats }

// InFlight returns the number of frames inside the link that will arrive.
func (l *Link) InFlight() int { return l.dues.len() }

// Counters returns the counts by name, sorted; all of them, zero or not.
func (l *Link) Counters() []sansio.Count {
	var t sansio.Tally
	s := &l.stats
	t.Add(DropQueueFull, s.QueueFull)
	t.Add(DropInFlight, s.InFlightLimit)
	t.Add(DropBernoulli, s.LossBernoulli)
	t.Add(DropLossEvery, s.LossEvery)
	t.Add(CountFramesIn, s.In.Frames)
	t.Add(CountBytesIn, uint64(s.In.Bytes))
	t.Add(CountFramesOut, s.Out.Frames)
	t.Add(CountBytesOut, uint64(s.Out.Bytes))
	return t.List()
}
