package rig

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/xagg/rates"
)

// Negotiation is a tree of XAgg's rate negotiators with a network between them.
type Negotiation struct {
	Now    units.Time
	Nodes  map[rates.ID]*rates.Node
	IDs    []rates.ID                     // in the order of the configurations
	Phases map[rates.ID]rates.Phase       // of workers, as they were told to begin and end
	Below  map[rates.ID][]rates.ID        // children of each node
	Fate   func() (late []units.Duration) // of the next message: a copy for each; none loses it
	After  func()                         // is called after every step of a node

	flying []negotiated
	sent   int
}

// negotiated is a message on its way.
type negotiated struct {
	at   units.Time
	n    int // order of equal times
	from rates.ID
	send rates.Send
}

// NewNegotiation returns a tree whose messages take a millisecond.
func NewNegotiation(configs []rates.Config) (*Negotiation, error) {
	n := &Negotiation{
		Nodes: map[rates.ID]*rates.Node{}, Phases: map[rates.ID]rates.Phase{}, Below: map[rates.ID][]rates.ID{},
		Fate: func() []units.Duration { return []units.Duration{units.Millisecond} }, After: func() {},
	}
	for _, c := range configs {
		node, err := rates.New(c)
		if err != nil {
			return nil, err
		}
		n.Nodes[c.ID], n.Below[c.ID] = node, c.Children
		n.IDs = append(n.IDs, c.ID)
	}
	return n, nil
}

// Begin has a worker ask for a rate.
func (n *Negotiation) Begin(id rates.ID, iteration uint16) {
	n.Phases[id] = rates.Sending
	n.Do(id, func(node *rates.Node) { node.Begin(n.Now, iteration) })
}

// End has a worker say that it has sent everything.
func (n *Negotiation) End(id rates.ID) {
	n.Phases[id] = rates.Ended
	n.Do(id, func(node *rates.Node) { node.End(n.Now) })
}

// Do calls a node, and takes its messages to the network.
func (n *Negotiation) Do(id rates.ID, call func(*rates.Node)) {
	call(n.Nodes[id])
	for _, s := range n.Nodes[id].Sends() {
		for _, late := range n.Fate() {
			n.sent++
			n.flying = append(n.flying, negotiated{at: n.Now.Add(late), n: n.sent, from: id, send: s})
		}
	}
	n.After()
}

// Run lets time pass until an instant, or until nothing happens any more ([units.Never]).
func (n *Negotiation) Run(until units.Time) {
	for {
		at, id := units.Never, rates.ID(0)
		for _, i := range n.IDs {
			if d := n.Nodes[i].NextDeadline(); d < at {
				at, id = d, i
			}
		}
		message := n.first()
		if message >= 0 && n.flying[message].at <= at {
			at = n.flying[message].at
		} else {
			message = -1
		}
		if at > until || at == units.Never {
			if until != units.Never {
				n.Now = max(n.Now, until)
			}
			return
		}
		n.Now = max(n.Now, at)
		n.step(message, id)
	}
}

// first returns the message that arrives next, or -1.
func (n *Negotiation) first() int {
	if len(n.flying) == 0 {
		return -1
	}
	next := slices.MinFunc(n.flying, func(a, b negotiated) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.n, b.n)) })
	return slices.IndexFunc(n.flying, func(m negotiated) bool { return m.n == next.n })
}

// step hands a message over, or has a node do what is due.
func (n *Negotiation) step(message int, id rates.ID) {
	if message < 0 {
		n.Do(id, func(node *rates.Node) { node.Expire(n.Now) })
		return
	}
	m := n.flying[message]
	n.flying = slices.Delete(n.flying, message, message+1)
	n.Do(m.send.To, func(node *rates.Node) {
		if m.send.Request != nil {
			node.Request(n.Now, m.from, m.send.Request)
		} else {
			node.Notice(n.Now, m.from, m.send.Notice)
		}
	})
}

// Phase returns where a node is in its iteration: a server is idle until a worker below it begins, and
// has ended when all of them have.
func (n *Negotiation) Phase(id rates.ID) rates.Phase {
	children := n.Below[id]
	if len(children) == 0 {
		return n.Phases[id]
	}
	var seen [rates.Ended + 1]int
	for _, c := range children {
		seen[n.Phase(c)]++
	}
	switch len(children) {
	case seen[rates.Idle]:
		return rates.Idle
	case seen[rates.Ended]:
		return rates.Ended
	}
	return rates.Sending
}

// Flow returns the rate at which a node sends: a worker at its own; a server at the least rate of its
// children that have not ended, once all have begun.
func (n *Negotiation) Flow(id rates.ID) units.Rate {
	children := n.Below[id]
	if len(children) == 0 {
		return n.Nodes[id].Rate()
	}
	least := units.Rate(-1)
	for _, c := range children {
		switch n.Phase(c) {
		case rates.Idle:
			return 0
		case rates.Sending:
			if f := n.Flow(c); least < 0 || f < least {
				least = f
			}
		}
	}
	return max(least, 0)
}
