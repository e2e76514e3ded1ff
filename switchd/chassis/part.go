package chassis

import (
	"bytes"
	"slices"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/sansio"
)

// stage is the turn of a part within one call.
type stage int8

const (
	before stage = iota - 1 // arrivals are being sorted
	ingress
	leafEngine
	leafFabric
	topEngine
	topFabric
	egress
	stages
)

// part is one link or engine.
type part struct {
	id      partID
	stage   stage
	machine sansio.Machine
	link    *impair.Link // the machine, where it is a link

	port sansio.Port // ingress and egress: the front-panel port
	src  int         // fabric: the PFE it comes from
	pfe  int         // engine: its PFE; fabric: the PFE it goes to

	labels labels // fabric: where the trains inside go

	pending []sansio.Arrival // for its turn in this call; borrowed
	active  bool             // listed for its turn
	owed    bool             // was due at its last turn, and took arrivals instead
}

// held is an arrival for a part whose turn was over, copied.
type held struct {
	to *part
	in sansio.Arrival
}

func (c *Chassis) newPart(p part) *part {
	p.id = partID(len(c.parts))
	c.parts = append(c.parts, &p)
	c.agenda.add()
	return &p
}

// offer gives a part something to handle: in its turn, or in the next call.
func (c *Chassis) offer(p *part, in sansio.Arrival) {
	if p.stage <= c.stage {
		c.hold(p, in)
		return
	}
	p.pending = append(p.pending, in)
	c.activate(p)
}

func (c *Chassis) hold(p *part, in sansio.Arrival) {
	in.Train.Header = bytes.Clone(in.Train.Header)
	in.Train.Body = bytes.Clone(in.Train.Body)
	c.held = append(c.held, held{p, in})
}

func (c *Chassis) activate(p *part) {
	if !p.active {
		p.active = true
		c.turns[p.stage] = append(c.turns[p.stage], p.id)
	}
}

// takeTurns runs the parts of one stage that have something to do.
func (c *Chassis) takeTurns(s stage, eff *sansio.Effects) {
	c.stage = s
	turns := c.turns[s]
	slices.Sort(turns)
	for _, id := range turns {
		p := c.parts[id]
		p.active = false
		lo := len(eff.Sends)
		c.call(p, eff)
		c.agenda.set(id, p.machine.NextDeadline())
		c.passOn(p, lo, eff)
	}
	c.turns[s] = turns[:0]
}

// call calls a part once. One that is due and has arrivals, too, gets these
// first, since many machines do on the way what is due; if it is still due the
// next time, that comes first.
func (c *Chassis) call(p *part, eff *sansio.Effects) {
	due := p.machine.NextDeadline() <= c.now
	if len(p.pending) == 0 || due && p.owed {
		p.owed = false
		p.machine.Expire(c.now, eff)
		for _, in := range p.pending {
			c.hold(p, in)
		}
	} else {
		p.machine.Handle(c.now, p.pending, eff)
		p.owed = p.machine.NextDeadline() <= c.now
	}
	p.pending = p.pending[:0]
}
