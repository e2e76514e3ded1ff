package fit

// fits finds the lowest bit at which a piece can lie in a container beside what is there: what is
// there at the same time keeps its bits.
func (v *vector) fits(p *piece, c *cell) (low int, ok bool) {
	var taken uint64
	for _, n := range c.pieces {
		q := &v.pieces[n]
		if v.never(p, q) {
			continue
		}
		if !v.packs(p, q) {
			return 0, false
		}
		taken |= ones(q.bits) << q.low
	}
	for low = 0; low+p.bits <= sizes[p.size]; low++ {
		if taken>>low&ones(p.bits) == 0 {
			return low, true
		}
	}
	return 0, false
}

// never reports whether two pieces may be in one container because no packet needs both at once.
func (v *vector) never(p, q *piece) bool {
	switch l := &v.live[p.side]; {
	case p.fixed || q.fixed || p.side != q.side:
		return false
	case p.header != NoHeader && q.header != NoHeader:
		return !l.with[p.header].has(int(q.header))
	case p.field == NoField || q.field == NoField:
		return false
	default:
		return v.after(p, q) || v.after(q, p) || l.branches(p.field, q.field)
	}
}

// after reports whether one field is in use only when another one is done with, one stage later at
// least. Bits of its container that are not its own keep what was there, so that it has none where
// an ALU works on the whole.
func (v *vector) after(p, q *piece) bool {
	l := &v.live[p.side]
	return l.fields[q.field].last < l.fields[p.field].first && (!p.alone || p.bits == sizes[p.size])
}

// branches reports whether no packet uses two fields, since those who do are in other branches of
// a condition. What the parser writes is in use from the begin.
func (l *liveness) branches(a, b FieldID) bool {
	x, y := &l.fields[a], &l.fields[b]
	if x.given || y.given || x.last == 0 || y.last == 0 {
		return false
	}
	apart := true
	each(x.users, func(i int) { apart = apart && y.users.within(l.excluded(i)) })
	return apart
}

// excluded returns the nodes that no packet passes that passes one.
func (l *liveness) excluded(i int) bitset {
	if l.others[i] == nil {
		l.others[i] = newBitset(len(l.nodes))
		for k := range l.nodes {
			if exclusive(l.nodes[i], l.nodes[k]) {
				l.others[i].set(k)
			}
		}
	}
	return l.others[i]
}

// packs reports whether two fields of metadata can be side by side in a container. In a stage one
// table alone may write it, and what an action writes at once are constants and parameters under a
// mask (p4c: bf-asm/instruction.cpp, bitmasked-set), or one run of bits (deposit-field).
func (v *vector) packs(p, q *piece) bool {
	if !v.packable(p) || !v.packable(q) {
		return false
	}
	l := &v.live[p.side]
	for _, a := range l.fields[p.field].writers {
		for _, b := range l.fields[q.field].writers {
			switch {
			case a.node != b.node:
				if a.stage == b.stage && !l.excluded(a.node).has(b.node) {
					return false
				}
			case a.action == b.action && (!a.plain || !b.plain):
				return false
			}
		}
	}
	return true
}

// packable reports whether others may be beside a piece: no ALU works on it, the parser and the
// chip do not know it, and it is a whole field.
func (v *vector) packable(p *piece) bool {
	return p.field != NoField && !p.alone && !p.fixed && !v.live[p.side].fields[p.field].given && p.bits == v.Fields[p.field].Bits
}
