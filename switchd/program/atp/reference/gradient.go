package reference

import (
	"fmt"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/program/atp"
)

// fate is what becomes of a packet.
type fate uint8

// The fates.
const (
	untouched fate = iota // goes on byte for byte
	onward                // goes on with its header as it is now, and its own values
	sum                   // goes on with its header as it is now, and the values of its aggregator
	gone                  // goes no further
)

// packet does what §3.5 and §3.7 say with a packet.
func (e *Engine) packet(now units.Time, p *atp.Packet) fate {
	switch e.Judge(now, p) {
	case atp.Untouched:
		return untouched
	case atp.PassOn:
		return onward
	case atp.Refused:
		return refused(p)
	case atp.Aggregate:
		return e.aggregate(now, p)
	case atp.Resent:
		return e.resent(now, p)
	case atp.Parameter:
		e.parameter(now, p)
		return onward
	default:
		return gone
	}
}

// refused has a packet go on to the server, which adds it: a switch on its way does not.
func refused(p *atp.Packet) fate {
	p.Flags |= wire.Resend
	p.Climb(p.Part.Level)
	return onward
}

// aggregate handles a gradient packet that may reserve an aggregator (§3.5).
func (e *Engine) aggregate(now units.Time, p *atp.Packet) fate {
	a, c := &e.table[p.Index], &p.Job.Counts
	switch {
	case a.id == 0:
		e.inUse++
		c[atp.Reserved]++
		a.reserve(now, p)
		e.event(now, trace.BlockOpened, p, a)
	case a.id != p.ID():
		return e.collide(now, p, a)
	case a.bitmap&p.Bit != 0:
		a.touch(now, p)
		e.Dropped(now, p, atp.Duplicate)
		c[atp.Duplicate]++
		return gone
	case !a.alike(p):
		c[atp.Unlike]++
		return refused(p)
	default:
		e.add(p, a)
		a.touch(now, p)
	}
	c[atp.Aggregated]++
	e.event(now, trace.Contribution, p, a)
	if a.count < p.Part.FanIn {
		return gone
	}
	c[atp.Results]++ // the aggregator stays, in case the sum is lost
	a.bear(p)
	e.event(now, trace.BlockSent, p, a)
	return sum
}

// collide has a packet go on whose aggregator is another's. Its flags keep the next switch from
// adding one worker where a rack is due, and ask the server for another index (§3.6).
func (e *Engine) collide(now units.Time, p *atp.Packet, a *aggregator) fate {
	p.Job.Counts[atp.Collisions]++
	if e.Traced() {
		owner := a.show(int(p.Index))
		e.Event(now, trace.Collided, p, trace.Mask{}, fmt.Sprintf("job %d number %d", owner.Job, owner.Sequence))
	}
	p.Flags |= wire.Collision
	return refused(p)
}

// resent handles a gradient packet that was sent again, or that collided below: it frees its
// aggregator and reserves none (§3.7, Fig 17).
func (e *Engine) resent(now units.Time, p *atp.Packet) fate {
	a := &e.table[p.Index]
	out := onward
	if a.id == p.ID() {
		if p.Part.Level == 0 && a.alike(p) {
			out = e.partial(now, p, a)
		}
		e.free(now, int(p.Index), atp.FreedByResend, atp.ByResend)
	}
	if out == onward {
		e.Event(now, trace.PassedOn, p, trace.Mask{}, "")
	}
	p.Climb(p.Part.Level)
	return out
}

// partial has a packet that was sent again bear on what its aggregator has, and itself.
func (e *Engine) partial(now units.Time, p *atp.Packet, a *aggregator) fate {
	c := &p.Job.Counts
	if a.bitmap&p.Bit == 0 {
		e.add(p, a)
		c[atp.Aggregated]++
		e.event(now, trace.Contribution, p, a)
	}
	c[atp.Partials]++
	a.bear(p)
	e.event(now, trace.BlockSent, p, a)
	return sum
}

func (e *Engine) add(p *atp.Packet, a *aggregator) {
	if a.add(p) {
		p.Job.Counts[atp.Saturated]++
	}
}

// parameter handles a parameter packet, which frees the aggregator of its number, and one of any job
// that is abandoned (§3.7): there is no timer.
func (e *Engine) parameter(now units.Time, p *atp.Packet) {
	switch a := &e.table[p.Index]; {
	case a.id == 0:
	case a.id == p.ID():
		e.free(now, int(p.Index), atp.FreedByParameter, atp.ByParameter)
	case now.Sub(a.time) > e.Age():
		e.free(now, int(p.Index), atp.FreedByAge, atp.ByAge)
	}
}

// event tells what happened to an aggregator.
func (e *Engine) event(now units.Time, kind trace.Kind, p *atp.Packet, a *aggregator) {
	if e.Traced() {
		e.Event(now, kind, p, a.part.Mask(a.bitmap), "")
	}
}
