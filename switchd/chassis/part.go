package chassis

import (
	"slices"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// stage is the turn of a part within one pass.
type stage int8

const (
	before stage = iota - 1 // arrivals are being sorted
	ingress
	leafTransitServer // of an engine that frames pass on their way
	leafTransit
	leafServer
	leafEngine
	leafFabric
	topTransitServer
	topTransit
	topServer
	topEngine
	topFabric
	leavingServer // of an engine that frames pass only when they leave
	leaving
	egress
	stages
)

// part is one link or engine. What every frame needs comes first: it is one line
// of a processor's cache.
type part struct {
	id      partID
	port    sansio.Port // ingress and egress: the front-panel port
	stage   stage
	active  bool             // listed for its turn
	owed    bool             // engine: was due at its last turn, and took arrivals instead
	link    *impair.Link     // nil: it is an engine
	pending []sansio.Arrival // for its turn in this pass; borrowed

	engine *engine    // engine: itself; server: the engine behind it; else nil
	next   units.Time // engine: its deadline after its last turn
	src    int        // fabric: the PFE it comes from
	pfe    int        // fabric: the PFE it goes to
	labels labels     // fabric, server: where the trains inside go
}

// held is an arrival for a part whose turn was over, copied or kept.
type held struct {
	to *part
	in sansio.Arrival
}

func (c *Chassis) newPart(p part) *part {
	p.id, p.next = partID(len(c.parts)), units.Never
	c.parts = append(c.parts, &p)
	c.links.add()
	return &p
}

// offer gives a part a train to handle: in its turn, or in the next pass.
func (c *Chassis) offer(p *part, port sansio.Port, t *sansio.Train) {
	if p.stage <= c.stage {
		c.hold(p, sansio.Arrival{Port: port, Train: *t})
		return
	}
	n := len(p.pending)
	if n == cap(p.pending) {
		p.pending = append(p.pending, sansio.Arrival{})
	}
	p.pending = p.pending[:n+1]
	p.pending[n].Port = port
	p.pending[n].Train.Set(t)
	c.activate(p)
}

func (c *Chassis) hold(p *part, in sansio.Arrival) {
	in.Train.Header = append(c.copies.Header(len(in.Train.Header))[:0], in.Train.Header...)
	if m := in.Train.Memory; m != nil {
		m.Keep()
	} else {
		in.Train.Body = append(c.copies.Body(len(in.Train.Body))[:0], in.Train.Body...)
	}
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
	if !slices.IsSorted(turns) {
		slices.Sort(turns)
	}
	for _, id := range turns {
		p := c.parts[id]
		p.active = false
		if s == egress {
			c.finish(p, eff)
			continue
		}
		out := eff.Sends
		eff.Sends = c.list[:0]
		c.call(p, eff)
		c.list, eff.Sends = eff.Sends, out
		c.passOn(p, eff)
	}
	c.turns[s] = turns[:0]
}

// finish calls a link whose frames leave the switch.
func (c *Chassis) finish(p *part, eff *sansio.Effects) {
	lo := len(eff.Sends)
	c.call(p, eff)
	out := &c.ports[p.port].stat.Out
	for i := lo; i < len(eff.Sends); i++ {
		out.add(&eff.Sends[i].Train)
	}
}

// call calls a part once: a link at the time of the pass, an engine at that of
// the call.
func (c *Chassis) call(p *part, eff *sansio.Effects) {
	if p.link == nil {
		c.callEngine(p, eff)
	} else {
		if len(p.pending) == 0 {
			p.link.Expire(c.at, eff)
		} else {
			p.link.Handle(c.at, p.pending, eff)
		}
		c.links.set(p.id, p.link.NextDeadline())
	}
	p.pending = p.pending[:0]
}

// callEngine gives one that is due and has arrivals, too, these first, since many
// engines do on the way what is due; if it is still due the next time, that
// comes first.
func (c *Chassis) callEngine(p *part, eff *sansio.Effects) {
	first := p.engine.part // of its turns
	if len(p.pending) == 0 || first.owed && first.next <= c.now {
		p.engine.Expire(c.now, eff)
		first.owed, first.next = false, p.engine.NextDeadline()
		for _, in := range p.pending {
			c.hold(p, in)
		}
		return
	}
	p.engine.Handle(c.now, p.pending, eff)
	first.next = p.engine.NextDeadline()
	first.owed = first.next <= c.now
}
