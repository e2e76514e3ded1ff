package xaggd

import "github.com/inalab/inalab/internal/wire/xaggctl"

// Place is the place of a node in the tree, after a change of it (XAgg §V).
type Place struct {
	Iteration uint16  // the first in which it holds, as on the wire
	Parent    Peer    // of a worker and a server; the zero value of a server: it leaves the tree
	Since     uint16  // version of the tree that made the edge to the parent
	Children  []Child // of a server and the root
	// Again: the parent before failed in mid-iteration, and everything of the iteration is sent again,
	// from index 1 on.
	Again bool
}

// orders is what an agent knows of the orders of the management plane.
type orders struct {
	hosts  []Peer // that may become children
	newest uint32
	any    bool
}

// take reports whether an order is to be carried out, since it is newer than the last one, and whether to
// acknowledge it: not if carry reports that it cannot be. Then it comes again, and the root knows whom it
// waits for.
func (o *orders) take(m *xaggctl.Message, carry func(p Place) bool) (acknowledged bool) {
	if o.any && int32(m.Number-o.newest) <= 0 {
		return true
	}
	p, ok := o.read(m)
	if !ok || !carry(p) {
		return false
	}
	o.newest, o.any = m.Number, true
	return true
}

// read returns the place of an order; false where it names a host that nobody knows.
func (o *orders) read(m *xaggctl.Message) (p Place, ok bool) {
	w := &m.Place
	p = Place{Iteration: m.Iteration, Since: w.Parent.Since, Again: w.Again}
	p.Parent = Peer{ID: w.Parent.Host, MAC: w.Parent.MAC, Addr: w.Parent.Addr}
	if known := o.host(p.Parent.ID); known != nil {
		p.Parent = *known // the way there may be another than from the root
	}
	for _, c := range w.Children {
		peer := o.host(c.Host)
		if peer == nil {
			return p, false
		}
		p.Children = append(p.Children, Child{Peer: *peer, Below: c.Below, Since: c.Since})
	}
	return p, true
}

func (o *orders) host(id uint32) *Peer {
	for i := range o.hosts {
		if o.hosts[i].ID == id {
			return &o.hosts[i]
		}
	}
	return nil
}
