package impair

import (
	"cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Link is one direction of a link. It is a [sansio.Machine].
//
// Frames in flight are in two lanes: those that meet the delay of the wire, and those that overtake
// them. In each, frames arrive in the order in which they were sent.
type Link struct {
	cfg Config
	out [1]sansio.Port
	now units.Time // of the latest call

	coming  period           // what a frame meets that comes: the queue, and its marks
	sending period           // what it meets when its first bit is sent: the line and the wire
	changes []Change         // by the link's clock; none before Begin
	busy    []units.Duration // of the line before each of the changes, as far as frames met them

	queue   queue
	line    *line
	serial  units.Serializer
	lastDue units.Time // when the latest frame of all that do not overtake arrives, or would have
	nth     int        // frames since the last one that LossEvery lost
	lossy   bool       // frames may be lost
	perfect bool       // every frame leaves as and when it comes, now and after every change
	bad     bool       // the state of Bursts
	behind  int        // frames since the last one that overtook
	script  script     // empty: nothing is lost by name

	labelled bool // packets may be lost by name, now or after a change
	marker   marker

	wire lane
	fast lane

	stats Stats
}

// New returns an idle link.
func New(cfg Config) (*Link, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg.MaxInFlight = cmp.Or(cfg.MaxInFlight, DefaultMaxInFlight)
	cfg.Params = cfg.withDefaults()
	l := &Link{cfg: cfg, out: [1]sansio.Port{cfg.Out}, line: &line{}, serial: units.Serializer{Rate: cfg.Rate}, lossy: cfg.loses()}
	l.perfect = cfg.alwaysPerfect()
	l.coming, l.sending = newPeriod(&l.cfg.Params, nil), newPeriod(&l.cfg.Params, nil)
	l.queue.limit = cfg.Queue
	l.script, l.labelled = newScript(cfg.Script), cfg.scripted()
	if cfg.With != nil {
		l.line = cfg.With.line
	}
	return l, nil
}

// withDefaults returns p with what it leaves out.
func (p Params) withDefaults() Params {
	p.Overhead = cmp.Or(p.Overhead, units.EthernetFraming)
	p.Queue = cmp.Or(p.Queue, DefaultQueue(p.Rate))
	return p
}

// Name returns the name of the link.
func (l *Link) Name() string { return l.cfg.Name }

// Transparent reports whether every train handed to Handle leaves at once and
// untouched, so that a driver may pass it on itself. What it passes on is not
// counted here. A link that a change makes imperfect never is.
func (l *Link) Transparent() bool { return l.perfect }

// Handle takes what arrived at now; what stays is copied, but for bodies in memory
// that can be kept. Trains that leave are valid until the next Handle or Expire.
func (l *Link) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	l.Expire(now, eff)
	for i := range in {
		t := &in[i].Train
		l.stats.In.add(t)
		if l.perfect {
			l.stats.Out.add(t)
			eff.Send(l.out[:], *t)
		} else {
			l.accept(t, eff)
		}
	}
}

// Expire sends what has arrived at the far end by now.
func (l *Link) Expire(now units.Time, eff *sansio.Effects) {
	l.now = now
	if now >= l.coming.next {
		l.changeQueue()
	}
	l.wire.store.recycle()
	l.fast.store.recycle()
	l.queue.drain(now)
	for {
		wire, fast := l.wire.due(), l.fast.due()
		switch {
		case wire > now && fast > now || l.InFlight() == 0:
			return
		case wire <= fast: // the frame on the wire was sent first
			l.deliver(&l.wire, min(now, fast), eff)
		default:
			l.deliver(&l.fast, min(now, wire-1), eff)
		}
	}
}

// deliver sends the frames of the front of a lane, one of which is due, that are due until then.
func (l *Link) deliver(n *lane, until units.Time, eff *sansio.Effects) {
	p := n.parcels.front()
	from := p.left
	for p.left < p.frames && *n.dues.front() <= until {
		n.dues.drop()
		p.left++
	}
	l.send(eff, &p.train, from, p.left)
	if p.left < p.frames {
		return
	}
	if m := p.train.Memory; m != nil {
		eff.Drop(m)
	} else {
		p.chunk.live--
	}
	n.parcels.drop()
}

// NextDeadline returns when the first frame in flight arrives, rounded up to
// the quantum, or [units.Never].
func (l *Link) NextDeadline() units.Time {
	due, quantum := min(l.wire.due(), l.fast.due()), units.Time(l.cfg.Quantum)
	if quantum == 0 || due == units.Never || due%quantum == 0 {
		return due
	}
	return due.Add(units.Duration(quantum - due%quantum))
}

// send sends frames i to j-1 of t.
func (l *Link) send(eff *sansio.Effects, t *sansio.Train, i, j int) {
	eff.SendFrames(l.out[:], t, i, j)
	l.stats.Out.add(&eff.Sends[len(eff.Sends)-1].Train)
}
