package xaggd

import (
	"cmp"
	"math/bits"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/groups"
	"github.com/inalab/inalab/nodes/xagg/rates"
)

// child is a node below, in the iteration at hand.
type child struct {
	Child
	recv *groups.Receiver
	held *rates.Request // at the root: of the next iteration
}

func (c *child) bit() groups.Host { return groups.Host(bits.TrailingZeros32(c.ID)) }

// gatherer is an agent that takes gradients: a server, or the root.
type gatherer struct {
	agent
	children []*child
	look     lookup
	complete bool       // all gradients of the iteration are there
	since    units.Time // start of the loss period
	asked    bool       // a child began the iteration newest
	newest   uint16
}

// setup finishes a gatherer where it stays.
func (g *gatherer) setup(children []Child) error {
	g.look.agent = &g.agent
	for _, c := range children {
		if c.Since == 0 {
			c.Since = g.cfg.Tree
		}
		if err := g.adopt(c); err != nil {
			return err
		}
	}
	return nil
}

// adopt adds a child to the books of groups. Its packets that are there already count.
func (g *gatherer) adopt(c Child) error {
	n := &child{Child: c}
	if err := g.receive(n); err != nil {
		return err
	}
	g.children = append(g.children, n)
	return nil
}

// receive begins the books of a child anew.
func (g *gatherer) receive(c *child) (err error) {
	c.recv, err = groups.NewReceiver(g.cfg.Gradients, []groups.Host{c.bit()}, g.look.has)
	return err
}

// begin opens an iteration.
func (g *gatherer) begin(iteration uint16) {
	g.move(iteration)
	g.complete, g.polls = false, units.Never
	for _, c := range g.children {
		_ = g.receive(c) // the configuration was good before
	}
}

// request hands a child's request to the negotiator.
func (g *gatherer) request(now units.Time, c *child, r *rates.Request) {
	if r.Phase == rates.Sending && (!g.asked || later(r.Iteration, g.newest)) {
		g.asked, g.newest = true, r.Iteration
	}
	g.node.Request(now, rates.ID(c.ID), r)
	g.wake(now)
}

// wake begins to look for what children send, once one has begun the iteration.
func (g *gatherer) wake(now units.Time) {
	if g.asked && !later(g.iteration, g.newest) && !g.complete && g.polls == units.Never {
		g.polls, g.since = now.Add(g.cfg.Poll), now
	}
}

// find returns a child by its host id, or nil.
func (g *gatherer) find(host uint32) *child {
	for _, c := range g.children {
		if c.ID == host {
			return c
		}
	}
	return nil
}

// done takes a child's word that everything is sent. A child that asks about an iteration that is
// over missed the answer.
func (g *gatherer) done(now units.Time, c *child, m *xaggctl.Message, eff *sansio.Effects) {
	switch {
	case m.Tree != c.Since:
		g.count.Add(DropOldTree, 1)
	case later(m.Iteration, g.iteration):
		g.count.Add(DropEarly, 1)
	case m.Iteration != g.iteration:
		g.send(&c.Peer, &xaggctl.Message{Kind: xaggctl.Complete, Iteration: m.Iteration, Tree: c.Since}, eff)
	default:
		g.look.forget()
		c.recv.Done(now, c.bit())
		g.tell(eff)
	}
}

// poll looks into the check queue, and at the loss of a period that is over.
func (g *gatherer) poll(now units.Time) {
	g.look.forget()
	for _, check := range g.drain() {
		c := g.find(check.Host)
		if c != nil && check.Iteration == g.iteration && !check.Flags.Has(wire.Result) {
			c.recv.Checked(now, c.bit(), check.Gradient)
		}
	}
	if now.Sub(g.since) >= g.cfg.LossPeriod {
		g.losses(now)
	}
	g.polls = now.Add(g.cfg.Poll)
}

// losses tells the negotiator what was lost of each worker. Sums of servers finish out of order, so
// that what their groups lack is not lost.
func (g *gatherer) losses(now units.Time) {
	for _, c := range g.children {
		lost, checked := c.recv.Losses(c.bit())
		if c.Below == 0 && checked > 0 {
			if float64(lost) > cmp.Or(g.cfg.LossShare, rates.DefaultLossShare)*float64(checked) {
				g.count.Add(CountCuts, 1)
			}
			g.node.Loss(now, rates.ID(c.ID), g.since, lost, checked)
		}
	}
	g.since = now
}

// overlook does what is due for children, and tells them.
func (g *gatherer) overlook(now units.Time, eff *sansio.Effects) {
	if g.polls <= now {
		g.poll(now)
	}
	for _, c := range g.children {
		if c.recv.NextDeadline() <= now {
			g.look.forget()
			c.recv.Expire(now)
		}
	}
	g.tell(eff)
}

// tell sends children what their groups say.
func (g *gatherer) tell(eff *sansio.Effects) {
	for _, c := range g.children {
		for _, e := range c.recv.Events() {
			m := xaggctl.Message{Kind: xaggctl.Complete, Iteration: g.iteration, Tree: c.Since}
			if !e.Complete {
				m.Kind, m.Number, m.Lost = xaggctl.Lost, e.Report, e.Lost
				g.count.Add(CountReports, 1)
			}
			g.send(&c.Peer, &m, eff)
		}
	}
}

// whole reports whether the gradients of all children are there.
func (g *gatherer) whole() bool {
	for _, c := range g.children {
		if !c.recv.Complete(c.bit()) {
			return false
		}
	}
	return len(g.children) > 0
}

// deadline returns when something is due for children, or of the negotiator.
func (g *gatherer) deadline() units.Time {
	at := min(g.polls, g.late.next())
	if g.node != nil {
		at = min(at, g.node.NextDeadline())
	}
	for _, c := range g.children {
		at = min(at, c.recv.NextDeadline())
	}
	return at
}

// expireNode lets the negotiator send again.
func (a *agent) expireNode(now units.Time) {
	if a.node != nil && a.node.NextDeadline() <= now {
		a.node.Expire(now)
	}
}
