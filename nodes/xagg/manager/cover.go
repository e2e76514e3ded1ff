package manager

// substitute says that a node which left a tree stood for some of the nodes that came in its place.
type substitute struct {
	left uint32 // its host id
	by   uint32 // host ids of those that send in its place
}

// Cover says how an aggregator counts children, some of which came in the place of a server that
// failed in mid-iteration and may have forwarded sums with their values.
//
// The paper lets the children of a failed server send everything again to its parent, and says
// nothing of what the server had forwarded. The rule here: an element counts children, and a sum of
// the failed server counts as all children that it had. So a packet of such a child is a duplicate
// where the failed server's bit is set, and counts where it is not. The failed server is no child
// any more, and packets of it that are late are refused: its children send all that is in them.
type Cover struct {
	Children uint32 // host ids of the present children
	subs     []substitute
}

// Verdict says what becomes of a packet.
type Verdict uint8

// The verdicts.
const (
	Refused   Verdict = iota // it is of no child
	Duplicate                // its values are in the element
	Count                    // it is to be added, and its bit to be set
)

// Judge says what to do with a packet of a host, given the bitmap of its element.
func (c *Cover) Judge(bitmap, id uint32) Verdict {
	switch {
	case id == 0 || id&(id-1) != 0 || c.Children&id == 0:
		return Refused
	case c.counted(bitmap)&id != 0:
		return Duplicate
	}
	return Count
}

// Complete reports whether the element of a bitmap has the values of all children.
func (c *Cover) Complete(bitmap uint32) bool { return c.counted(bitmap)&c.Children == c.Children }

// counted returns a bitmap with the bits of all whose values are in the element.
func (c *Cover) counted(bitmap uint32) uint32 {
	for _, s := range c.subs { // in the order of failures: a node in a place may itself leave later
		if bitmap&s.left != 0 {
			bitmap |= s.by
		}
	}
	return bitmap
}

// Stands returns the pairs of a cover, for an aggregator in the kernel: where the bitmap of an
// element has the first, those of the second are counted. Pairs are to be applied in their order.
func (c *Cover) Stands() (pairs [][2]uint32) {
	for _, s := range c.subs {
		pairs = append(pairs, [2]uint32{s.left, s.by})
	}
	return pairs
}

// Cover returns how a node of the tree counts its children in the present iteration.
func (t *Tree) Cover(name string) Cover {
	var c Cover
	n := t.find(name)
	if n == nil {
		return c
	}
	for _, child := range n.children {
		c.Children |= t.find(child).id
	}
	c.subs = append(c.subs, t.covers[name]...)
	return c
}

// inherit notes that the children of a failed server are counted by its parent. Servers that failed
// below it before are of no matter there: what it forwarded had the values of all its children.
func (t *Tree) inherit(failed *node) {
	by := uint32(0)
	for _, c := range failed.children {
		by |= t.find(c).id
	}
	t.covers[failed.parent] = append(t.covers[failed.parent], substitute{failed.id, by})
	delete(t.covers, failed.name)
}
