package rates

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/inalab/inalab/internal/units"
)

// Drops counts messages that a node did not use.
type Drops struct {
	Stranger uint64 // from a node that is neither the parent nor a child
	OldTree  uint64 // of an edge before or after a change of the tree
	Refused  uint64 // of no known phase, or with a negative rate
}

// Node is the rate negotiator of a node.
type Node struct {
	cfg      Config
	up       up
	children []*child
	lingers  bool       // its parent lacks sums that its children have sent
	own      units.Rate // beside what its children let out
	sends    []Send
	drops    Drops
}

// New returns the negotiator of a node. The error names what of the configuration is impossible.
func New(c Config) (*Node, error) {
	c.resolve()
	if err := c.validate(); err != nil {
		return nil, err
	}
	n := &Node{cfg: c, up: up{to: c.Parent, tree: c.Tree}}
	for _, id := range c.Children {
		if err := n.Adopt(id, c.Tree); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// Begin asks for a rate for an iteration's gradient. Only a worker begins by itself.
func (n *Node) Begin(now units.Time, iteration uint16) {
	n.up.say(Sending, iteration, n.cfg.Egress, true)
	n.settle(now)
}

// End says that a worker has nothing left to send of the iteration. Its rate is 0 from now on.
func (n *Node) End(now units.Time) {
	n.up.say(Ended, n.up.iteration, 0, false)
	n.settle(now)
}

// Linger says that a server has sums to send again, or may have: its parent lacks some. It asks for
// own bit/s beside what its children let out, and is not Ended when they are. A negative rate says that
// the parent has all sums of the iteration.
func (n *Node) Linger(now units.Time, own units.Rate) {
	n.lingers, n.own = own >= 0, max(own, 0)
	n.report(false)
	n.settle(now)
}

// Spare returns at which rate a server that lingers may send again: what its rate leaves beside the
// sums that its children let out, or Config.Floor where that is less. So little may exceed the rate.
func (n *Node) Spare() units.Rate {
	rate, flow := n.Rate(), units.Rate(0)
	if n.egress() >= 0 {
		flow, _ = n.least()
	}
	return max(rate-flow, min(rate, n.cfg.Floor))
}

// Rate returns at which rate the node may send to its parent: bit/s of whole frames, 0 for not at
// all. The root has none.
func (n *Node) Rate() units.Rate { return min(n.up.granted, n.cfg.Egress) }

// Drops returns what the node did not use.
func (n *Node) Drops() Drops { return n.drops }

// Request takes a request of a child.
func (n *Node) Request(now units.Time, from ID, r *Request) {
	c := n.child(from)
	if c == nil {
		n.drops.Stranger++
		return
	}
	if r.Tree != c.tree {
		n.drops.OldTree++
		return
	}
	if r.Phase > Ended || r.Demand < 0 {
		n.drops.Refused++
		return
	}
	joins := c.take(now, r)
	n.report(joins)
	if joins {
		c.join = n.up.seq
	}
	n.settle(now)
}

// Notice takes a notice of the parent.
func (n *Node) Notice(now units.Time, from ID, m *Notice) {
	switch {
	case from != n.up.to || from == 0:
		n.drops.Stranger++
		return
	case m.Tree != n.up.tree:
		n.drops.OldTree++
		return
	case m.Rate < 0:
		n.drops.Refused++
		return
	}
	n.up.take(m)
	n.settle(now)
}

// Loss takes the packets of a child that the groups of a period found lost, out of a total. Where
// the share is above the threshold, the rate of the child falls by it. A period that began at
// since, before the child confirmed its rate, says nothing of that rate and changes nothing.
func (n *Node) Loss(now units.Time, id ID, since units.Time, lost, total uint64) {
	c := n.child(id)
	if c == nil || !c.sends() || !c.confirmed || c.since > since || lost > total || total == 0 {
		return
	}
	if float64(lost) <= n.cfg.LossShare*float64(total) {
		return
	}
	hi, lo := bits.Mul64(uint64(c.rate), total-lost)
	kept, _ := bits.Div64(hi, lo, total)
	c.cut = max(units.Rate(kept), n.cfg.Floor)
	n.report(false)
	n.settle(now)
}

// SetBandwidth changes the idle bandwidth of the node: the bandwidth of links varies. Both must be
// positive; others change nothing.
func (n *Node) SetBandwidth(now units.Time, ingress, egress units.Rate) {
	if ingress <= 0 || egress <= 0 {
		return
	}
	n.cfg.Ingress, n.cfg.Egress = ingress, egress
	if len(n.children) == 0 && n.up.phase == Sending {
		n.up.say(Sending, n.up.iteration, egress, false)
	}
	n.report(false)
	n.settle(now)
}

// Move gives the node another parent, to which it is nothing yet: its rate is 0 until the new
// parent grants one. A server lets sums out until one of its children has confirmed that.
func (n *Node) Move(now units.Time, parent ID, tree uint16) error {
	if n.up.to == 0 || parent == 0 || parent == n.cfg.ID {
		return fmt.Errorf("move node %d to parent %d: the root stays, and other nodes need another node as parent", n.cfg.ID, parent)
	}
	n.up.move(parent, tree)
	for _, c := range n.children {
		if !c.admitted {
			c.join = n.up.seq // the former parent's answer is not to come any more
		}
	}
	n.settle(now)
	return nil
}

// Adopt adds a child by an edge that a change of the tree made.
func (n *Node) Adopt(id ID, tree uint16) error {
	if id == 0 || id == n.cfg.ID || n.child(id) != nil {
		return fmt.Errorf("node %d adopts node %d: it must be another node that is no child yet", n.cfg.ID, id)
	}
	if len(n.children) == MaxChildren {
		return fmt.Errorf("node %d adopts node %d: it has %d children, and host ids leave room for no more", n.cfg.ID, id, MaxChildren)
	}
	n.children = append(n.children, &child{id: id, tree: tree, cut: -1, confirmed: true})
	return nil
}

// Drop removes a child, which must send nothing any more. Its rate goes to the others.
func (n *Node) Drop(now units.Time, id ID) {
	n.children = slices.DeleteFunc(n.children, func(c *child) bool { return c.id == id })
	n.report(false)
	n.settle(now)
}

// NextDeadline returns when [Node.Expire] must be called.
func (n *Node) NextDeadline() units.Time {
	at := units.Never
	if n.up.unanswered() {
		at = n.up.resend
	}
	for _, c := range n.children {
		if !c.confirmed {
			at = min(at, c.resend)
		}
	}
	return at
}

// Expire sends again what is due.
func (n *Node) Expire(now units.Time) {
	if n.up.unanswered() && n.up.resend <= now {
		n.up.owed = true
	}
	for _, c := range n.children {
		if !c.confirmed && c.resend <= now {
			c.owed = true
		}
	}
	n.settle(now)
}

// Sends returns the messages of the calls since the last one. They are the caller's.
func (n *Node) Sends() []Send {
	s := n.sends
	n.sends = nil
	return s
}

func (n *Node) child(id ID) *child {
	for _, c := range n.children {
		if c.id == id {
			return c
		}
	}
	return nil
}
