package vm

import (
	"encoding/binary"
	"slices"
)

// visit is a state in which the parser had a choice.
type visit struct {
	state  *state
	word   uint64 // of a key that has one
	choice int
	column Column // of a key of one field
	shift  uint8
	one    bool
}

// parseFirst parses the first packet of a run, and notes the choices of the parser.
func (g *Group) parseFirst(states []state, i int) Reason {
	s := g.Select(i)
	s.renew()
	s.cursor, g.visits, g.mixed = s.packet.off, g.visits[:0], false
	return s.parse(states, g.note)
}

// note keeps a choice, and the word that it was made by.
func (g *Group) note(st *state, choice int) {
	k := &st.key
	if k.words != 1 || !k.plain() || !g.allThere(k) {
		g.mixed = true
		return
	}
	if g.packet.facts != nil && g.certain(k) {
		return
	}
	v := visit{state: st, word: k.readOne(&g.Pass), choice: choice}
	if v.one = len(k.reads) == 1; v.one {
		v.column, v.shift = g.Column(&k.reads[0].field), k.reads[0].shift
	}
	g.visits = append(g.visits, v)
}

// certain reports whether all that a key reads is known of the packet, and so of those that take the same way.
func (g *Group) certain(k *key) bool {
	return !slices.ContainsFunc(k.reads, func(p part) bool {
		if p.field.InSlot() {
			return true
		}
		mask, _ := g.packet.facts.Known(&p.field, int(g.heads[p.field.Head].at)-g.packet.off)
		return mask&p.field.Mask != p.field.Mask
	})
}

// allThere reports whether all headers that a key reads are there.
func (g *Group) allThere(k *key) bool {
	return !slices.ContainsFunc(k.reads, func(p part) bool { return !p.field.InSlot() && !g.valid(int(p.field.Head)) })
}

// plain reports whether readLane can read the key.
func (k *key) plain() bool {
	return !slices.ContainsFunc(k.reads, func(p part) bool { return p.field.Len > 8 })
}

// parsesAlike reports whether the parser makes the same choices for a packet as for the first one of a run,
// so that its headers stand at the same places.
func (g *Group) parsesAlike(first, i int) bool {
	l, from := &g.lanes[i], &g.lanes[first]
	if l.packet.off != from.packet.off || l.packet.facts != from.packet.facts || g.cursor > l.packet.end {
		return false
	}
	for n := range g.visits {
		v := &g.visits[n]
		word := uint64(0)
		if v.one {
			word = v.column.Get(l) << v.shift
		} else {
			word = v.state.key.readLane(g, l)
		}
		if word != v.word && v.state.choice(word) != v.choice {
			return false
		}
	}
	return true
}

// readLane is readOne of a packet of a group.
func (k *key) readLane(g *Group, l *Lane) (v uint64) {
	for i := range k.reads {
		p := &k.reads[i]
		if r := &p.field; r.InSlot() {
			v |= l.Slots[r.Off] << p.shift
		} else if h := &g.heads[r.Head]; h.pass == g.pass {
			v |= binary.BigEndian.Uint64(l.bytesAt(int(h.at), int(r.Off))) >> (r.Shift & 63) & r.Mask << p.shift
		}
	}
	return v
}
