package xaggd

import (
	"cmp"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/groups"
	"github.com/inalab/inalab/nodes/xagg/rates"
)

// Server is the agent of an aggregating server.
type Server struct {
	gatherer
	parent Peer
	since  uint16 // version of the edge to the parent
	own    units.Rate
	every  units.Duration // between reports of load; 0: none
	sums   resender
	pace   pacer
	ending units.Time // when to say next that all sums are sent; Never: not at all
	taken  bool       // the parent has all sums of the iteration
	orders orders
	report reports
}

var _ sansio.Machine = (*Server)(nil)

// NewServer returns the agent of a server beside its store.
func NewServer(cfg ServerConfig, store Store) (*Server, error) {
	cfg.resolve()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring XAgg server %s: %w", cfg.Node, err)
	}
	s := &Server{parent: cfg.Parent, since: cfg.Tree, pace: newPacer(&cfg.Common), ending: units.Never, orders: orders{hosts: cfg.Hosts}, every: cfg.Reports}
	s.report.load = cfg.Load
	s.agent = newAgent(&cfg.Common, serverRole, store, cfg.Store())
	if err := s.setup(cfg.Children); err != nil {
		return nil, fmt.Errorf("configuring XAgg server %s: %w", cfg.Node, err)
	}
	if cfg.Spare {
		return s, nil
	}
	return s, s.join(0)
}

// join makes the negotiator of a server that is in the tree from now on.
func (s *Server) join(now units.Time) (err error) {
	c := s.negotiator()
	c.Parent, c.Tree = rates.ID(s.parent.ID), s.since
	if s.node, err = rates.New(c); err != nil {
		return fmt.Errorf("configuring XAgg server %s: %w", s.cfg.Node, err)
	}
	for _, c := range s.children {
		if err := s.node.Adopt(rates.ID(c.ID), c.Since); err != nil {
			return fmt.Errorf("configuring XAgg server %s: %w", s.cfg.Node, err)
		}
	}
	s.node.Linger(now, 0)
	return nil
}

// Handle takes control messages.
func (s *Server) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	s.each(in, func(src netip.Addr, m *xaggctl.Message) { s.take(now, src, m, eff) })
	s.progress(now, eff)
}

// Expire does what is due.
func (s *Server) Expire(now units.Time, eff *sansio.Effects) {
	s.overdue(now, eff)
	s.tellLoad(now, eff)
	s.expireNode(now)
	s.overlook(now, eff)
	s.progress(now, eff)
}

// NextDeadline returns when something is due.
func (s *Server) NextDeadline() units.Time {
	at := min(s.deadline(), s.report.next(s.every))
	if len(s.sums.queue) == 0 {
		return min(at, s.ending)
	}
	return min(at, s.pace.due(s.node.Spare()))
}

// Counters returns those of the agent, without those of its store.
func (s *Server) Counters() []sansio.Count { return s.counters() }

// take takes a message of a neighbour, or an order of the root.
func (s *Server) take(now units.Time, src netip.Addr, m *xaggctl.Message, eff *sansio.Effects) {
	c := s.find(m.Host)
	switch {
	case m.Kind == xaggctl.Tree:
		s.ordered(now, src, m, eff)
	case c != nil && s.from(&c.Peer, src):
		s.below(now, c, m, eff)
	case c == nil && m.Host == s.parent.ID && s.from(&s.parent, src):
		s.above(now, m)
	case c == nil && m.Host != s.parent.ID:
		s.count.Add(DropStranger, 1)
	}
}

// below takes a message of a child.
func (s *Server) below(now units.Time, c *child, m *xaggctl.Message, eff *sansio.Effects) {
	switch m.Kind {
	case xaggctl.Request:
		s.timing.confirmed(now, m, &s.count)
		s.request(now, c, request(m))
	case xaggctl.Done:
		s.done(now, c, m, eff)
	default:
		s.count.Add(DropKind, 1)
	}
}

// above takes a message of the parent. Its notice of a newer iteration opens that.
func (s *Server) above(now units.Time, m *xaggctl.Message) {
	switch m.Kind {
	case xaggctl.Notice:
		if m.Tree == s.since && later(m.Iteration, s.iteration) {
			s.open(now, m.Iteration)
		}
		s.wake(now)
		s.node.Notice(now, rates.ID(s.parent.ID), notice(m))
		s.timing.answered(now, m, s.node.Rate(), &s.count)
	case xaggctl.Lost:
		if s.current(m, s.since) {
			s.lost(m.Lost)
		}
	case xaggctl.Complete:
		if s.current(m, s.since) {
			s.taken, s.ending = true, units.Never
			s.sums.clear()
		}
	default:
		s.count.Add(DropKind, 1)
	}
}

// open makes an iteration the one at hand: whatever was to be sent of the one before is there.
func (s *Server) open(now units.Time, iteration uint16) {
	s.begin(iteration)
	s.sums.clear()
	s.taken, s.ending, s.own = false, units.Never, 0
	s.node.Linger(now, 0)
}

// lost queues what the parent lacks.
func (s *Server) lost(list []uint32) {
	for _, i := range list {
		if i > s.cfg.Fragments {
			s.count.Add(DropIndex, 1)
			continue
		}
		s.sums.add(resend{s.parent.ID, i}, wire.Retransmit)
	}
}

// progress does what follows from what came.
func (s *Server) progress(now units.Time, eff *sansio.Effects) {
	if s.node == nil {
		return
	}
	if !s.complete && s.whole() {
		s.complete, s.polls = true, units.Never
		if !s.taken {
			s.ending = now
		}
	}
	s.linger(now)
	s.pace.run(now, s.spare(), func() bool {
		return s.again(&s.sums, 0, func(host uint32) *Peer {
			if host != s.parent.ID {
				return nil
			}
			return &s.parent
		}, eff)
	})
	s.linger(now)
	if s.ending <= now && len(s.sums.queue) == 0 {
		s.ending = now.Add(cmp.Or(s.cfg.Gradients.Again, groups.DefaultAgain))
		s.send(&s.parent, &xaggctl.Message{Kind: xaggctl.Done, Iteration: s.iteration, Tree: s.since}, eff)
	}
	s.negotiate(now, s.neighbour, eff)
}

// spare returns the rate of sums that are sent again; 0 where there are none.
func (s *Server) spare() units.Rate {
	if len(s.sums.queue) == 0 {
		return 0
	}
	return s.node.Spare()
}

// linger asks for a rate for what is to be sent again, as long as the parent lacks sums.
func (s *Server) linger(now units.Time) {
	own := units.Rate(0)
	switch {
	case s.taken:
		own = -1
	case len(s.sums.queue) > 0:
		own = s.cfg.Egress
	}
	if own != s.own {
		s.own = own
		s.node.Linger(now, own)
	}
}

// neighbour returns the parent or a child.
func (s *Server) neighbour(id rates.ID) *Peer {
	if uint32(id) == s.parent.ID {
		return &s.parent
	}
	if c := s.find(uint32(id)); c != nil {
		return &c.Peer
	}
	return nil
}
