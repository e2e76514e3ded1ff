package chassistest

import (
	"bytes"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Transit is an engine that frames pass on their way. A test says what it does with each.
// The zero value wants nothing.
type Transit struct {
	Want  dataplane.Wants
	Claim func(dataplane.Frame) dataplane.Claim         // nil: all that is offered is in transit
	Do    func(at sansio.Port, t *sansio.Train) Verdict // of each frame by itself; nil: trains go on as they came
	Names []sansio.Port

	lists map[sansio.Port][]sansio.Port
	now   units.Time
	held  []held // in the order in which they came
	count sansio.Tally
}

// Verdict is what becomes of a frame. The zero value lets it pass.
type Verdict struct {
	Drop   bool
	Hold   units.Duration      // how long it is kept first
	Change func(*sansio.Train) // changes a copy of the frame that goes on
	By     sansio.Port         // that it goes on by; zero: that by which it came
	Send   *sansio.Train       // sent as well, and first
	To     sansio.Port         // that Send leaves by
}

type held struct {
	until units.Time
	port  []sansio.Port
	train sansio.Train
}

var _ dataplane.Engine = (*Transit)(nil)

// Wants is as the test says.
func (e *Transit) Wants() dataplane.Wants { return e.Want }

// Claims says what a frame is to the engine.
func (e *Transit) Claims(f dataplane.Frame) dataplane.Claim {
	if e.Claim == nil {
		return dataplane.InTransit
	}
	return e.Claim(f)
}

// Ports returns Names.
func (e *Transit) Ports() []sansio.Port { return e.Names }

// Counters returns the frames that came, and what became of them.
func (e *Transit) Counters() []sansio.Count { return e.count.List() }

// PhaseMattered is false: there is no timer with a period.
func (e *Transit) PhaseMattered() bool { return false }

// Remembers reports whether a frame is held.
func (e *Transit) Remembers() bool { return len(e.held) > 0 }

// NextDeadline returns when the first frame that is held goes on.
func (e *Transit) NextDeadline() units.Time {
	next := units.Never
	for i := range e.held {
		next = min(next, e.held[i].until)
	}
	return next
}

// Handle does with each frame what the test says.
func (e *Transit) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	e.Expire(now, eff)
	for i := range in {
		t := &in[i].Train
		e.count.Add("transit-frames", uint64(t.Frames()))
		to := e.alone(in[i].Port)
		if e.Do == nil {
			eff.Send(to, *t)
			continue
		}
		for f := range t.Frames() {
			one := t.Frame(f, nil)
			e.carryOut(to, &one, e.Do(in[i].Port, &one), eff)
		}
	}
}

// alone returns a port as a list, which is not made for every frame.
func (e *Transit) alone(p sansio.Port) []sansio.Port {
	if e.lists == nil {
		e.lists = map[sansio.Port][]sansio.Port{}
	}
	if e.lists[p] == nil {
		e.lists[p] = []sansio.Port{p}
	}
	return e.lists[p]
}

func (e *Transit) carryOut(to []sansio.Port, t *sansio.Train, v Verdict, eff *sansio.Effects) {
	if v.Send != nil {
		e.count.Add("transit-made", 1)
		eff.Send([]sansio.Port{v.To}, *v.Send)
	}
	if v.Change != nil {
		e.count.Add("transit-changed", 1)
		t.Header, t.Body, t.Memory = bytes.Clone(t.Header), bytes.Clone(t.Body), nil
		v.Change(t)
	}
	if v.By != 0 {
		to = e.alone(v.By)
	}
	switch {
	case v.Drop:
		e.count.Add("transit-dropped", 1)
	case v.Hold > 0:
		e.count.Add("transit-held", 1)
		e.hold(e.now.Add(v.Hold), to, t)
	default:
		eff.Send(to, *t)
	}
}

// hold keeps a frame: its memory is lent for the call.
func (e *Transit) hold(until units.Time, to []sansio.Port, t *sansio.Train) {
	kept := *t
	kept.Header = bytes.Clone(t.Header)
	if t.Memory != nil {
		t.Memory.Keep()
	} else {
		kept.Body = bytes.Clone(t.Body)
	}
	e.held = append(e.held, held{until, to, kept})
}

// Expire sends what has been held long enough.
func (e *Transit) Expire(now units.Time, eff *sansio.Effects) {
	e.now = now
	e.held = slices.DeleteFunc(e.held, func(h held) bool {
		if h.until > now {
			return false
		}
		eff.Send(h.port, h.train)
		if m := h.train.Memory; m != nil {
			eff.Drop(m)
		}
		return true
	})
}
