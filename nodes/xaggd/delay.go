package xaggd

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/rates"
)

// delayed is the rate messages that wait for what negotiation takes.
type delayed []waiting

type waiting struct {
	at units.Time
	to Peer
	m  xaggctl.Message
}

// next returns when the first one leaves.
func (d delayed) next() units.Time {
	at := units.Never
	for i := range d {
		at = min(at, d[i].at)
	}
	return at
}

// replace puts a message in the place of an older one that waits, since it holds the whole state of its
// sender. It reports whether there was one.
func (d delayed) replace(to *Peer, m *xaggctl.Message) bool {
	for i := range d {
		if old := &d[i]; old.to.ID == to.ID && old.m.Kind == m.Kind {
			old.to, old.m = *to, *m
			return true
		}
	}
	return false
}

// pop takes the first message that is due, in the order in which they were put.
func (d *delayed) pop(now units.Time) (w waiting, ok bool) {
	for i, w := range *d {
		if w.at <= now {
			*d = append((*d)[:i], (*d)[i+1:]...)
			return w, true
		}
	}
	return w, false
}

// negotiate sends what the negotiator says, to neighbours that find returns; nil: there is none.
func (a *agent) negotiate(now units.Time, find func(id rates.ID) *Peer, eff *sansio.Effects) {
	if a.node == nil {
		return
	}
	for _, s := range a.node.Sends() {
		p := find(s.To)
		if p == nil {
			continue // it left the tree
		}
		a.timing.sends(now, p, &s)
		m := a.message(&s)
		switch d := a.delay(&s); {
		case a.late.replace(p, &m):
		case d > 0:
			a.late = append(a.late, waiting{now.Add(d), *p, m})
		default:
			a.send(p, &m, eff)
		}
	}
}

// overdue sends what has waited.
func (a *agent) overdue(now units.Time, eff *sansio.Effects) {
	for {
		w, ok := a.late.pop(now)
		if !ok {
			return
		}
		a.send(&w.to, &w.m, eff)
	}
}

// message returns a rate message. A notice has the iteration that is open here.
func (a *agent) message(s *rates.Send) xaggctl.Message {
	if r := s.Request; r != nil {
		return xaggctl.Message{
			Kind: xaggctl.Request, Iteration: r.Iteration, Tree: r.Tree, Number: r.Seq, Heard: r.Heard, Phase: uint8(r.Phase), Rate: r.Demand,
		}
	}
	n := s.Notice
	return xaggctl.Message{Kind: xaggctl.Notice, Iteration: a.iteration, Tree: n.Tree, Number: n.Seq, Heard: n.Heard, Rate: n.Rate}
}

// delay returns the share of this node in what a negotiation takes: what it takes less what the next
// node above does. A worker spends it before it asks, others before they answer.
func (a *agent) delay(s *rates.Send) units.Duration {
	d := a.cfg.Update
	if s.Initial {
		d = a.cfg.Initial
	}
	switch {
	case a.self == workerRole:
		return d.Worker - d.Server
	case s.Request != nil:
		return 0
	case a.self == serverRole:
		return d.Server - d.Root
	}
	return d.Root
}

// request reads a request.
func request(m *xaggctl.Message) *rates.Request {
	return &rates.Request{
		Tree: m.Tree, Iteration: m.Iteration, Seq: m.Number, Heard: m.Heard, Phase: rates.Phase(m.Phase), Demand: m.Rate,
	}
}

// notice reads a notice.
func notice(m *xaggctl.Message) *rates.Notice {
	return &rates.Notice{Tree: m.Tree, Seq: m.Number, Heard: m.Heard, Rate: m.Rate}
}
