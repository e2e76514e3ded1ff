package conductor

import (
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/manager"
)

// Order is a message for a host: its place in the tree.
type Order struct {
	To      Host
	Message xaggctl.Message
}

// Orders returns the orders of the calls since the last one. They are the caller's.
func (c *Conductor) Orders() []Order {
	o := c.orders
	c.orders = nil
	return o
}

// change gives the tree its next version, and every host whose place is another a new order.
func (c *Conductor) change(now units.Time) {
	if c.version++; c.version == 0 { // 0 is no version
		c.version++
	}
	for _, h := range c.hosts {
		c.edge(h)
	}
	for _, h := range c.hosts {
		place := c.place(h)
		if h.number == 0 && !place.In() || samePlace(&place, &h.place) {
			continue
		}
		h.place, h.version, h.acked, h.tries, h.due = place, c.version, false, 0, now
		h.placed = h.placed && h.in()
		h.number++
		if h.number == 0 { // 0 is no order
			h.number++
		}
	}
	c.issue(now)
}

// edge notes the edge of a host to its parent. One that no server has acknowledged yet is made anew: a server
// with edges of earlier versions has to know them.
func (c *Conductor) edge(h *host) {
	parent := uint32(0)
	if name := c.tree.Parent(h.Name); name != "" {
		parent = c.named(name).ID
	}
	if parent == h.parent && h.known() && (parent == 0 || c.byID(parent).known()) {
		return
	}
	h.parent, h.since, h.again = parent, c.version, c.running && parent != 0
	if parent == 0 {
		h.since = 0
	}
}

// known reports whether a server in the tree knows its place, or an earlier one there. The PS and workers
// always do.
func (h *host) known() bool { return h.role != manager.ServerRole || h.placed }

// place returns the place of a host.
func (c *Conductor) place(h *host) (p xaggctl.Place) {
	if h.parent != 0 {
		up := c.byID(h.parent)
		p.Parent = xaggctl.Parent{Host: up.ID, Addr: up.Addr, MAC: up.MAC, Since: h.since}
		p.Again = h.again
	}
	for _, name := range c.tree.Children(h.Name) {
		child := c.named(name)
		p.Children = append(p.Children, xaggctl.Child{Host: child.ID, Below: c.below(name), Since: child.since})
	}
	return p
}

// below returns the host ids of all hosts below a node.
func (c *Conductor) below(name string) (ids uint32) {
	for _, child := range c.tree.Children(name) {
		ids |= c.named(child).ID | c.below(child)
	}
	return ids
}

// samePlace reports whether two places have the same edges.
func samePlace(a, b *xaggctl.Place) bool {
	return a.Parent == b.Parent && slices.Equal(a.Children, b.Children)
}

// issue sends the orders that are due. A host in no tree gets its order once each time that it is due.
func (c *Conductor) issue(now units.Time) {
	for _, h := range c.hosts {
		if !h.pending() || h.due > now || c.held(h) {
			continue
		}
		h.tries++
		h.due = now.Add(c.cfg.Resend)
		if !h.in() {
			h.due = units.Never
		}
		c.orders = append(c.orders, Order{To: h.Host, Message: c.message(h)})
	}
}

// held reports whether an order waits for the host's new parent to know the host.
func (c *Conductor) held(h *host) bool {
	return h.parent != 0 && h.place.Parent != h.edge && c.byID(h.parent).pending()
}

// message returns the order of a host. It holds from the open iteration on, or from the next one.
func (c *Conductor) message(h *host) xaggctl.Message {
	holds := c.iteration
	if c.begun && !c.running {
		holds++
	}
	place := h.place
	place.Children = slices.Clone(place.Children)
	return xaggctl.Message{
		Kind: xaggctl.Tree, Job: c.cfg.Job, Iteration: holds, Tree: h.version, Host: c.cfg.PS.ID, Number: h.number, Place: place,
	}
}

// unacknowledged returns the nodes of the tree that have not answered.
func (c *Conductor) unacknowledged() (names []string) {
	for _, h := range c.hosts {
		if h.in() && h.pending() {
			names = append(names, h.Name)
		}
	}
	return names
}
