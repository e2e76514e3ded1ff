package impair

import (
	"cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Link is one direction of a link. It is a [sansio.Machine].
//
// Frames in flight lie in two rings of one order: parcels, the runs of frames
// that were kept together, and dues, the time of each frame of these runs.
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
	lastDue units.Time // when the latest frame of all arrives, or would have
	nth     int        // frames since the last one that LossEvery lost
	lossy   bool       // frames may be lost
	perfect bool       // every frame leaves as and when it comes, now and after every change
	bad     bool       // the state of Bursts
	marker  marker

	parcels ring[parcel]
	dues    ring[units.Time]
	store   store

	stats Stats
}

// parcel is a run of frames of one input train, kept until all have left.
type parcel struct {
	train  sansio.Train
	frames int              // of the train
	left   int              // frames that have left
	chunk  *chunk           // of the store, that the body is in; nil where it has a memory of its own
	header [headerHere]byte // memory of the train's header, where there is room
}

// headerHere is the length of the headers that a parcel has room for: Ethernet,
// IPv4, and TCP with a time stamp (RFC 7323), rounded up. Longer ones are seldom.
const headerHere = 72

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
	l.store.recycle()
	l.queue.drain(now)
	for l.parcels.len() > 0 {
		p := l.parcels.front()
		from := p.left
		for p.left < p.frames && *l.dues.front() <= now {
			l.dues.drop()
			p.left++
		}
		if p.left > from {
			l.send(eff, &p.train, from, p.left)
		}
		if p.left < p.frames {
			return
		}
		if m := p.train.Memory; m != nil {
			eff.Drop(m)
		} else {
			p.chunk.live--
		}
		l.parcels.drop()
	}
}

// NextDeadline returns when the first frame in flight arrives, rounded up to
// the quantum, or [units.Never].
func (l *Link) NextDeadline() units.Time {
	if l.dues.len() == 0 {
		return units.Never
	}
	due, quantum := *l.dues.front(), units.Time(l.cfg.Quantum)
	if quantum == 0 || due%quantum == 0 {
		return due
	}
	return due.Add(units.Duration(quantum - due%quantum))
}

// send sends frames i to j-1 of t.
func (l *Link) send(eff *sansio.Effects, t *sansio.Train, i, j int) {
	eff.SendFrames(l.out[:], t, i, j)
	l.stats.Out.add(&eff.Sends[len(eff.Sends)-1].Train)
}
