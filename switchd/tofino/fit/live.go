package fit

import (
	"math/bits"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// liveness says when the fields of metadata of a side are in use.
type liveness struct {
	fields []lifetime // by field
	nodes  []*node    // of the side
	others []bitset   // nodes that no packet passes that passes a node; nil: not asked yet
	with   []bitset   // headers that a packet may have with a header, by header
}

// lifetime is the stages from the first to the last use of a field. A field that is read where a
// way leads to it on which nothing has written it relies on the zeros that every pass begins with:
// then nothing else may have been in its container, as for what the parser writes.
type lifetime struct {
	first, last int // 0: the parser, or the begin of a pass; Stages+1: the deparser
	given       bool
	users       bitset // nodes
	writers     []writer
}

// writer is an operation that writes a field.
type writer struct {
	node, action int // of the node's table
	stage        int
	plain        bool // it sets a constant or a parameter
}

// lives finds when metadata is in use, from the stages of all nodes.
func (v *vector) lives(b *builder, stageOf []int) {
	v.nodes = b.nodes
	for side := range Side(2) {
		l := &v.live[side]
		l.fields = make([]lifetime, len(v.Fields))
		var stages []int // of its nodes
		for i := range b.nodes {
			if b.nodes[i].side == side {
				l.nodes, stages = append(l.nodes, &b.nodes[i]), append(stages, stageOf[i])
			}
		}
		for f := range l.fields {
			l.fields[f] = lifetime{first: Stages + 1, users: newBitset(len(l.nodes))}
		}
		for i, n := range l.nodes {
			l.use(v, n, i, stages[i])
		}
		l.others = make([]bitset, len(l.nodes))
		v.zeros(side)
		v.headersTogether(side)
	}
}

// use notes what a node does with metadata in its stage.
func (l *liveness) use(v *vector, n *node, number, stage int) {
	each(n.matched.union(n.read).union(n.written), func(id int) {
		if id < len(v.Fields) && v.Fields[id].Header == NoHeader {
			f := &l.fields[id]
			f.first, f.last = min(f.first, stage), max(f.last, stage)
			f.users.set(number)
		}
	})
	if n.table == NoTable {
		return
	}
	for a := range v.Tables[n.table].Actions {
		do := v.Tables[n.table].Actions[a].Do
		for i := range do {
			if o := &do[i]; o.Dst.ID != NoField {
				f := &l.fields[o.Dst.Of(n.copy)]
				f.writers = append(f.writers, writer{number, a, stage, o.Kind == ir.Set && o.A.Kind != FromField})
			}
		}
	}
}

// each calls a function with the members of a set.
func each(b bitset, do func(int)) {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			do(64*i + bits.TrailingZeros64(word))
		}
	}
}

// zeros finds the fields that rely on the zeros of the begin, those that the parser writes, and
// those that are read behind the last stage.
func (v *vector) zeros(side Side) {
	l := &v.live[side]
	z := assignment{v, make([]bool, len(v.Fields))}
	end := z.steps(v.Gress[side].Control, newBitset(len(v.Fields)))
	for id := range v.Fields {
		f := &l.fields[id]
		if v.kept(side, FieldID(id)) {
			f.last = Stages + 1
			z.relies[id] = z.relies[id] || !end.has(id)
		}
		if f.given = v.given(side, FieldID(id)); f.given || z.relies[id] {
			f.first = 0
		}
	}
}

// assignment follows a control, and finds the fields that are read where some way has not written
// them.
type assignment struct {
	*vector
	relies []bool
}

// steps returns the fields that all ways through some steps have written.
func (z *assignment) steps(steps []Step, written bitset) bitset {
	for i := range steps {
		st := &steps[i]
		if st.If == nil {
			written = z.table(&z.Tables[st.Apply], written)
			continue
		}
		for c := st.If; c != nil; c = c.And {
			if c.Valid == NoHeader {
				z.read(c.Left, written)
				if c.Right.Kind == FromField {
					z.read(c.Right.Field.ID, written)
				}
			}
		}
		written = z.steps(st.Then, written).intersect(z.steps(st.Else, written))
	}
	return written
}

func (z *assignment) read(f FieldID, written bitset) {
	if !written.has(int(f)) {
		z.relies[f] = true
	}
}

// table goes through the copies of a table: whatever matches, what all its actions write is written.
func (z *assignment) table(t *Table, written bitset) bitset {
	for c := range t.Copies {
		for _, k := range t.Keys {
			z.read(k.Field.Of(c), written)
		}
		all := written
		for i := range t.Actions {
			after := z.action(&t.Actions[i], c, written)
			if i == 0 {
				all = after
			}
			all = all.intersect(after)
		}
		if t.Default >= 0 {
			written = all
		}
	}
	return written
}

// action returns what is written after an action. What it writes a slice of it reads, too.
func (z *assignment) action(a *Action, copy int, written bitset) bitset {
	after := written.union(written)
	for i := range a.Do {
		o := &a.Do[i]
		for _, x := range append([]Operand{o.A, o.B, o.Index}, o.In...) {
			if x.Kind == FromField {
				z.read(x.Field.Of(copy), written)
			}
		}
		switch {
		case o.Dst.ID == NoField:
		case o.DstBits < z.Fields[o.Dst.Of(copy)].Bits:
			z.read(o.Dst.Of(copy), written)
		default:
			after.set(int(o.Dst.Of(copy)))
		}
	}
	return after
}
