package xaggd

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/rates"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// Move gives the worker another parent. Where the former one failed in mid-iteration, the gradient is
// sent again from index 1 on.
func (w *Worker) Move(now units.Time, p Place, eff *sansio.Effects) error {
	if err := p.Parent.validate("parent"); err != nil {
		return fmt.Errorf("moving worker %s: %w", w.cfg.Node, err)
	}
	if p.Parent.ID == w.parent.ID && p.Since == w.since {
		w.parent = p.Parent
		return nil
	}
	if err := w.node.Move(now, rates.ID(p.Parent.ID), p.Since); err != nil {
		return fmt.Errorf("moving worker %s: %w", w.cfg.Node, err)
	}
	w.parent, w.since = p.Parent, p.Since
	w.count.Add(CountMoves, 1)
	if p.Again && w.begun && !w.complete && w.iteration == p.Iteration {
		w.restart(now)
		w.node.Begin(now, w.iteration)
	}
	w.progress(now, eff)
	return nil
}

// ordered takes an order of the management plane.
func (w *Worker) ordered(now units.Time, m *xaggctl.Message, eff *sansio.Effects) {
	done := w.orders.take(m, func(p Place) bool { return len(p.Children) == 0 && w.Move(now, p, eff) == nil })
	w.answer(&w.cfg.Root, m, done, eff)
}

// answer acknowledges an order that was carried out, now or before.
func (a *agent) answer(root *Peer, m *xaggctl.Message, done bool, eff *sansio.Effects) {
	if !done {
		a.count.Add(DropOrder, 1)
		return
	}
	a.send(root, &xaggctl.Message{Kind: xaggctl.TreeAck, Iteration: m.Iteration, Tree: m.Tree, Number: m.Number}, eff)
}

// Place gives the server its place in the tree: another parent, other children, or none of both.
// Children that stay keep what is known of them. Where the former parent failed in mid-iteration, all
// finished sums are sent again.
func (s *Server) Place(now units.Time, p Place, eff *sansio.Effects) error {
	if p.Parent.ID == 0 {
		s.leave()
		return nil
	}
	if err := p.Parent.validate("parent"); err != nil {
		return fmt.Errorf("placing server %s: %w", s.cfg.Node, err)
	}
	if err := s.admissible(p.Children, p.Parent.next()); err != nil {
		return fmt.Errorf("placing server %s: %w", s.cfg.Node, err)
	}
	if s.node == nil {
		return s.enter(now, p)
	}
	if err := s.reparent(now, p); err != nil {
		return err
	}
	if err := s.reshape(now, p.Children, p.Parent.next()); err != nil {
		return fmt.Errorf("placing server %s: %w", s.cfg.Node, err)
	}
	s.reopen()
	s.progress(now, eff)
	return nil
}

// reparent gives the server another parent, if it is another.
func (s *Server) reparent(now units.Time, p Place) error {
	if p.Parent.ID == s.parent.ID && p.Since == s.since {
		s.parent = p.Parent
		return nil
	}
	if err := s.node.Move(now, rates.ID(p.Parent.ID), p.Since); err != nil {
		return fmt.Errorf("moving server %s: %w", s.cfg.Node, err)
	}
	s.parent, s.since = p.Parent, p.Since
	s.count.Add(CountMoves, 1)
	s.sums.clear()
	if s.taken = s.iteration != p.Iteration; s.taken {
		s.ending = units.Never // the iteration is over, whether the former parent said so or not
		return nil
	}
	if !p.Again {
		return nil // the iteration has not begun: it is the first of the job
	}
	for i := uint32(1); i <= s.cfg.Fragments; i++ {
		s.sums.add(resend{s.parent.ID, i}, 0)
	}
	if s.complete {
		s.ending = now
	}
	return nil
}

// enter takes a server into the tree, which waits for the notice that opens its first iteration.
func (s *Server) enter(now units.Time, p Place) error {
	s.parent, s.since, s.children = p.Parent, p.Since, nil
	for _, c := range p.Children {
		if err := s.adopt(c); err != nil {
			return fmt.Errorf("placing server %s: %w", s.cfg.Node, err)
		}
	}
	s.state.Children, s.state.Up = storeChildren(p.Children), p.Parent.next()
	s.begin(p.Iteration - 1)
	s.taken, s.own, s.ending = false, 0, units.Never
	return s.join(now)
}

// leave takes the server out of the tree.
func (s *Server) leave() {
	s.count.Merge(s.nodeDrops())
	s.node, s.children, s.parent, s.since = nil, nil, Peer{}, 0
	s.complete, s.taken, s.polls, s.ending, s.late = false, false, units.Never, units.Never, nil
	s.sums.clear()
	s.state.Children, s.state.Up = storeChildren([]Child{{Peer: s.cfg.Root}}), xagg.Next{}
	s.reconfigure()
}

// ordered takes an order of the management plane.
func (s *Server) ordered(now units.Time, src netip.Addr, m *xaggctl.Message, eff *sansio.Effects) {
	if m.Host != s.cfg.Root.ID {
		s.count.Add(DropStranger, 1)
		return
	}
	if !s.from(&s.cfg.Root, src) {
		return
	}
	done := s.orders.take(m, func(p Place) bool {
		if s.forgot(m) || s.Place(now, p, eff) != nil {
			return false
		}
		if s.report.tree = m.Tree; s.node == nil {
			s.report.tree = 0
		}
		return true
	})
	s.answer(&s.cfg.Root, m, done, eff)
}

// forgot reports whether an order is for a server that had a place before: the server is in no tree, and
// the order has edges of earlier versions. It has lost their state, as by a restart. An order that is not
// carried out tells the root.
func (s *Server) forgot(m *xaggctl.Message) bool {
	if s.node != nil || m.Place.Parent.Host == 0 {
		return false
	}
	return m.Place.Parent.Since != m.Tree || slices.ContainsFunc(m.Place.Children, func(c xaggctl.Child) bool { return c.Since != m.Tree })
}

// Place gives the root other children.
func (r *Root) Place(now units.Time, p Place) error {
	err := r.admissible(p.Children, r.state.Up)
	if err == nil {
		err = r.reshape(now, p.Children, r.state.Up)
	}
	if err != nil {
		return fmt.Errorf("placing parameter server %s: %w", r.cfg.Node, err)
	}
	return nil
}

// admissible reports what is wrong with some children, before anything is changed.
func (g *gatherer) admissible(list []Child, up xagg.Next) error {
	if err := validateChildren(list); err != nil {
		return err
	}
	state := g.state
	state.Children, state.Up = storeChildren(list), up
	return state.Validate()
}

// reshape makes the children those of a list. An edge of the same version is the same edge.
func (g *gatherer) reshape(now units.Time, list []Child, up xagg.Next) error {
	before := g.children
	g.children = nil
	g.state.Children, g.state.Up = storeChildren(list), up
	g.reconfigure()
	kept := map[uint32]*child{} // looked up, never ranged
	for _, c := range before {
		if same(list, c) {
			kept[c.ID] = c
		} else {
			g.node.Drop(now, rates.ID(c.ID))
		}
	}
	for _, c := range list {
		if old := kept[c.ID]; old != nil {
			old.Child = c
			g.children = append(g.children, old)
			continue
		}
		if err := g.adopt(c); err != nil {
			return err
		}
		if err := g.node.Adopt(rates.ID(c.ID), c.Since); err != nil {
			return err
		}
	}
	return nil
}

// same reports whether the edge to a child is in a list.
func same(list []Child, c *child) bool {
	for i := range list {
		if list[i].ID == c.ID && list[i].Since == c.Since {
			return true
		}
	}
	return false
}

// reopen takes back that everything is there, where a new child has to send first.
func (s *Server) reopen() {
	if s.complete && !s.taken && !s.whole() {
		s.complete, s.ending = false, units.Never
	}
}
