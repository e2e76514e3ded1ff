package xaggd

import (
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/conductor"
)

// conducting is the management plane at the root; without a configuration the tree stays.
type conducting struct {
	cfg    *conductor.Config
	plane  *conductor.Conductor // nil: the first call is to come, or there is no configuration
	orders orders
}

// hosts returns all hosts that the root may have as neighbours.
func (c *RootConfig) hosts() []Peer {
	list := slices.Clone(c.Hosts)
	if c.Conductor == nil {
		return list
	}
	add := func(h conductor.Host) {
		if !slices.ContainsFunc(list, func(p Peer) bool { return p.ID == h.ID }) {
			list = append(list, Peer{Node: h.Name, ID: h.ID, MAC: h.MAC, Addr: h.Addr})
		}
	}
	for _, w := range c.Conductor.Workers {
		add(w)
	}
	for _, s := range c.Conductor.Servers {
		add(s.Host)
	}
	return list
}

// start makes the management plane, whose clock begins with the first call.
func (r *Root) start(now units.Time) {
	if c := &r.conduct; c.cfg != nil && c.plane == nil {
		c.plane, _ = conductor.New(now, *c.cfg) // it was made before, to see whether it can be
	}
}

// next returns when something is due; at first at once, since the plane is to be made.
func (c *conducting) next() units.Time {
	switch {
	case c.cfg == nil:
		return units.Never
	case c.plane == nil:
		return 0
	}
	return c.plane.NextDeadline()
}

// close says that all workers have the results of an iteration.
func (c *conducting) close(now units.Time, iteration uint16) {
	if c.plane != nil {
		c.plane.Close(now, iteration)
	}
}

// opens reports whether the next iteration begins.
func (c *conducting) opens(now units.Time, iteration uint16) bool {
	if c.plane == nil {
		return c.cfg == nil
	}
	return c.plane.MayOpen(iteration) && c.plane.Open(now, iteration)
}

// managed takes a message for the management plane.
func (r *Root) managed(now units.Time, src netip.Addr, m *xaggctl.Message) {
	from := r.conduct.orders.host(m.Host)
	switch {
	case r.Finished() && m.Kind >= xaggctl.TreeAck: // the management plane rests
	case r.conduct.plane == nil || m.Kind < xaggctl.TreeAck:
		r.count.Add(DropKind, 1)
	case from == nil:
		r.count.Add(DropStranger, 1)
	case !r.from(from, src):
	case m.Kind == xaggctl.TreeAck:
		r.conduct.plane.Acknowledge(now, m.Host, m.Number)
	case m.Kind == xaggctl.Report:
		r.conduct.plane.Report(now, m)
	case m.Kind == xaggctl.Round:
		r.conduct.plane.Round(now, m)
	}
}

// expirePlane lets the management plane do what is due.
func (r *Root) expirePlane(now units.Time) {
	if p := r.conduct.plane; p != nil && !r.Finished() && p.NextDeadline() <= now {
		p.Expire(now)
	}
}

// orders sends what the management plane says, and carries out what it says to the root itself, from
// which more orders may follow.
func (r *Root) orders(now units.Time, eff *sansio.Effects) {
	p := r.conduct.plane
	if p == nil || r.Finished() {
		return
	}
	for list := p.Orders(); len(list) > 0; list = p.Orders() {
		for i := range list {
			m := &list[i].Message
			if m.Iteration = r.iteration; r.closed {
				m.Iteration++
			}
			if list[i].To.ID == r.agent.cfg.ID {
				r.obey(now, m)
			} else if to := r.conduct.orders.host(list[i].To.ID); to != nil {
				r.send(to, m, eff)
			}
		}
	}
}

// obey carries out an order to the root.
func (r *Root) obey(now units.Time, m *xaggctl.Message) {
	place, ok := r.conduct.orders.read(m)
	if ok = ok && r.Place(now, place) == nil; !ok {
		r.count.Add(DropOrder, 1)
		return
	}
	r.conduct.plane.Acknowledge(now, m.Host, m.Number)
}

// Notes returns what the management plane decided since the last call, for users.
func (r *Root) Notes() []conductor.Note {
	if r.conduct.plane == nil {
		return nil
	}
	return r.conduct.plane.Notes()
}

// Tree returns the tree that the management plane has made, or "" without one.
func (r *Root) Tree() string {
	if r.conduct.plane == nil {
		return ""
	}
	return r.conduct.plane.Tree()
}

// Stall says what the management plane waits for before the next iteration; empty: for nothing.
func (r *Root) Stall(now units.Time) string {
	if r.conduct.plane == nil || !r.closed {
		return ""
	}
	return r.conduct.plane.Stall(now)
}
