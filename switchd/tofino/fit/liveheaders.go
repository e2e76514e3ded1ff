package fit

import "slices"

// headersTogether finds the headers that a packet may have together: those of one way through the
// parser, and one that tables add, or touch without asking, with all.
func (v *vector) headersTogether(side Side) {
	l := &v.live[side]
	l.with = make([]bitset, len(v.Headers))
	for h := range l.with {
		l.with[h] = newBitset(len(v.Headers))
		l.with[h].set(h)
	}
	both := func(a, b int) { l.with[a].set(b); l.with[b].set(a) }
	order, _ := topological(v.Gress[side].Parser)
	seen := make([]bitset, len(v.Gress[side].Parser))
	for _, id := range order {
		st := &v.Gress[side].Parser[id]
		if seen[id] == nil {
			seen[id] = newBitset(len(v.Headers))
		}
		for _, h := range st.Extract {
			each(seen[id], func(o int) { both(int(h), o) })
			seen[id].set(int(h))
		}
		for _, next := range st.successors() {
			if seen[next] == nil {
				seen[next] = newBitset(len(v.Headers))
			}
			seen[next] = seen[next].union(seen[id])
		}
	}
	for h := range v.Headers {
		if !v.guarded(side, HeaderID(h)) {
			for o := range v.Headers {
				both(h, o)
			}
		}
	}
}

// guarded reports whether tables touch a header only inside a condition that it is valid. Elsewhere
// they would read 0, and write nothing: they must not meet another header there.
func (v *vector) guarded(side Side, h HeaderID) bool {
	fields := newBitset(len(v.Fields) + len(v.Headers))
	for i := range v.Headers[h].Len {
		fields.set(int(v.Headers[h].First) + i)
	}
	for _, n := range v.live[side].nodes {
		if n.touches(fields) && !slices.ContainsFunc(n.path, func(b branch) bool {
			return b.arm == 0 && v.nodes[b.cond].step.If.asks(h)
		}) {
			return false
		}
	}
	return true
}

// touches reports whether a node reads or writes one of some fields.
func (n *node) touches(fields bitset) bool {
	return n.matched.meets(fields) >= 0 || n.read.meets(fields) >= 0 || n.written.meets(fields) >= 0
}

// asks reports whether a condition holds only where a header is valid.
func (c *Cond) asks(h HeaderID) bool {
	for ; c != nil; c = c.And {
		if c.Valid == h {
			return true
		}
	}
	return false
}
