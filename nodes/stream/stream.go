package stream

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Names of counters, beside those of the transport.
const (
	DropForeign  = "stream-foreign-packet"
	DropNowhere  = "stream-bytes-for-no-connection"
	DropHeadered = "stream-bytes-with-a-header"
)

// Node runs an inner machine, whose ports are connections, over one interface.
type Node struct {
	cfg   Config
	inner sansio.Machine
	ends  []end
	index map[uint16]int // of ends by number; looked up, never ranged

	opened  bool
	soonest units.Time // least wake of all ends
	arrived []sansio.Arrival
	scratch sansio.Effects
	count   sansio.Tally
}

// end is the near end of a connection. Deadlines move with every
// acknowledgement, mostly backwards: wake follows only forwards, and is set right
// when it is due, so that timers are seldom touched.
type end struct {
	conn
	wake    units.Time // not behind the connection's deadline
	deliver func(body []byte, unstored int)
}

// New wraps inner.
func New(cfg Config, inner sansio.Machine) (*Node, error) {
	cfg.Transport = cmp.Or(cfg.Transport, TCP)
	cfg.Window = cmp.Or(cfg.Window, DefaultWindow(cfg.Rate))
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring streams of %s: %w", cfg.Node, err)
	}
	n := &Node{cfg: cfg, inner: inner, index: map[uint16]int{}, soonest: units.Never}
	for i, at := range cfg.Connections {
		c, err := cfg.dial(at)
		if err != nil {
			return nil, fmt.Errorf("configuring stream %d of %s: %w", i, cfg.Node, err)
		}
		n.index[at.Flow.SrcPort] = i
		n.ends = append(n.ends, end{conn: c, wake: units.Never, deliver: func(body []byte, unstored int) {
			n.arrived = append(n.arrived, sansio.Arrival{Port: sansio.Port(i), Train: sansio.Train{Body: body, Unstored: unstored}})
		}})
	}
	return n, nil
}

// Counters returns the packets of all connections by kind and drops by reason.
func (n *Node) Counters() []sansio.Count {
	var sum sansio.Tally
	sum.Merge(n.count.List())
	for i := range n.ends {
		sum.Merge(n.ends[i].Counters())
	}
	return sum.List()
}

// NextDeadline returns the start of the run, the inner machine's deadline, or
// that of a connection.
func (n *Node) NextDeadline() units.Time {
	if !n.opened {
		return 0
	}
	return min(n.inner.NextDeadline(), n.soonest)
}

// trackDeadline follows the deadline of a connection that was called.
func (n *Node) trackDeadline(e *end) {
	if d := e.NextDeadline(); d < e.wake {
		e.wake = d
		n.soonest = min(n.soonest, d)
	}
}

func (n *Node) open(now units.Time, eff *sansio.Effects) {
	n.opened = true
	for i := range n.ends {
		n.ends[i].Open(now, eff)
		n.trackDeadline(&n.ends[i])
	}
}

// Expire opens the connections, and runs the timers that are due.
func (n *Node) Expire(now units.Time, eff *sansio.Effects) {
	if !n.opened && now >= 0 {
		n.open(now, eff)
	}
	if n.soonest <= now {
		n.expire(now, eff)
	}
	if n.inner.NextDeadline() <= now {
		n.call(now, eff, func(e *sansio.Effects) { n.inner.Expire(now, e) })
	}
}

func (n *Node) expire(now units.Time, eff *sansio.Effects) {
	n.soonest = units.Never
	for i := range n.ends {
		e := &n.ends[i]
		if e.wake <= now {
			if e.NextDeadline() <= now {
				e.Expire(now, eff)
			}
			e.wake = e.NextDeadline()
		}
		n.soonest = min(n.soonest, e.wake)
	}
}

// Handle takes trains from the interface.
func (n *Node) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	if !n.opened {
		n.open(now, eff)
	}
	for i := range in {
		t := &in[i].Train
		number, ok := n.cfg.number(t)
		at, known := n.index[number]
		if !ok || !known {
			n.count.Add(DropForeign, uint64(t.Frames()))
			continue
		}
		e := &n.ends[at]
		e.Handle(now, t, eff, e.deliver)
		n.trackDeadline(e)
	}
	if len(n.arrived) > 0 {
		n.call(now, eff, func(e *sansio.Effects) { n.inner.Handle(now, n.arrived, e) })
		clear(n.arrived)
		n.arrived = n.arrived[:0]
	}
}

// call calls the inner machine and writes what it sends to the connections.
func (n *Node) call(now units.Time, eff *sansio.Effects, inner func(*sansio.Effects)) {
	n.scratch.Reset()
	inner(&n.scratch)
	for i := range n.scratch.Sends {
		n.write(now, &n.scratch.Sends[i], eff)
	}
	eff.Computes = append(eff.Computes, n.scratch.Computes...)
	eff.Samples = append(eff.Samples, n.scratch.Samples...)
}

func (n *Node) write(now units.Time, s *sansio.Send, eff *sansio.Effects) {
	if len(s.Train.Header) > 0 {
		n.count.Add(DropHeadered, 1)
		return
	}
	for _, p := range s.To {
		if p < 0 || int(p) >= len(n.ends) {
			n.count.Add(DropNowhere, 1)
			continue
		}
		e := &n.ends[p]
		e.Write(now, s.Train.Body, s.Train.Unstored, eff)
		n.trackDeadline(e)
	}
}
