package fit

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// node is what goes to one stage: a copy of a table, or a condition.
type node struct {
	name  string
	side  Side
	table TableID // NoTable: a condition
	copy  int
	step  *Step    // of a condition
	path  []branch // of the conditions around it
	pin   int      // stage, from 1; 0: any

	matched bitset // fields and validities that keys and conditions read
	read    bitset // that actions read
	written bitset

	take      demand
	exact     []FieldID // on the exact crossbar
	ternary   []FieldID
	hashed    []hashUse
	registers []place // that its actions execute
}

// branch is one way out of a condition.
type branch struct {
	cond int // node
	arm  int // 0 then, 1 else
}

// place is one copy of a register.
type place struct {
	id   RegisterID
	copy int
}

// hashUse is a value that the hash units bring: an index, or the result of a
// Hash or Concat. Uses of one field share units.
type hashUse struct {
	field FieldID
	to    FieldID // of Hash or Concat; NoField: an index
	units int
}

// hashBits of one unit (p4c).
const hashBits = 16

// exclusive tells whether no packet passes both.
func exclusive(a, b *node) bool {
	for i := range min(len(a.path), len(b.path)) {
		if a.path[i].cond != b.path[i].cond {
			return false
		}
		if a.path[i].arm != b.path[i].arm {
			return true
		}
	}
	return false
}

// builder makes the nodes of a program, in program order.
type builder struct {
	*Program
	nodes []node
}

// places is how many bits the sets of a node have: fields, then validities.
func (b *builder) places() int { return len(b.Fields) + len(b.Headers) }

func (b *builder) validity(h HeaderID) int { return len(b.Fields) + int(h) }

func (b *builder) steps(side Side, steps []Step, path []branch) {
	for i := range steps {
		step := &steps[i]
		if step.If == nil {
			for c := range b.Tables[step.Apply].Copies {
				b.nodes = append(b.nodes, b.tableNode(step.Apply, c, path))
			}
			continue
		}
		id := len(b.nodes)
		b.nodes = append(b.nodes, b.condNode(side, step, path))
		b.steps(side, step.Then, append(slices.Clip(path), branch{id, 0}))
		b.steps(side, step.Else, append(slices.Clip(path), branch{id, 1}))
	}
}

func (b *builder) blank() node {
	return node{matched: newBitset(b.places()), read: newBitset(b.places()), written: newBitset(b.places())}
}

func (b *builder) condNode(side Side, step *Step, path []branch) node {
	n := b.blank()
	n.name, n.side, n.table, n.step, n.path = "condition "+b.spell(step.If), side, NoTable, step, path
	n.take[Gateways] = 1
	for c := step.If; c != nil; c = c.And {
		if c.Valid != NoHeader {
			n.matched.set(b.validity(c.Valid))
			continue
		}
		n.exact = append(n.exact, c.Left)
		n.matched.set(int(c.Left))
		if c.Right.Kind == FromField {
			n.exact = append(n.exact, c.Right.Field.ID)
			n.matched.set(int(c.Right.Field.ID))
		}
	}
	return n
}

func (b *builder) spell(c *Cond) string {
	if c.Valid != NoHeader {
		return "valid " + b.Headers[c.Valid].Name
	}
	right := fmt.Sprint(c.Right.Const)
	if c.Right.Kind == FromField {
		right = b.Fields[c.Right.Field.ID].Name
	}
	text := b.Fields[c.Left].Name + " " + string(c.Op) + " " + right
	if c.And != nil {
		text += " and ..."
	}
	return text
}

func (b *builder) tableNode(id TableID, copy int, path []branch) node {
	t := &b.Tables[id]
	n := b.blank()
	n.name = quoted("table", copyName(t.Name, t.Vector, copy))
	n.side, n.table, n.copy, n.path, n.pin = t.Side, id, copy, path, pinOf(t.Source, copy)
	n.take = demandOf(t)
	for _, k := range t.Keys {
		f := k.Field.Of(copy)
		n.matched.set(int(f))
		if t.Ternary {
			n.ternary = append(n.ternary, f)
		} else {
			n.exact = append(n.exact, f)
		}
	}
	for i := range t.Actions {
		for k := range t.Actions[i].Do {
			b.op(&n, &t.Actions[i].Do[k])
		}
		n.take[RandomBytes] = max(n.take[RandomBytes], b.randomBytes(&t.Actions[i]))
	}
	return n
}

// op notes what an operation reads, writes and takes.
func (b *builder) op(n *node, op *Op) {
	for _, o := range append([]Operand{op.A, op.B, op.Index}, op.In...) {
		if o.Kind == FromField {
			n.read.set(int(o.Field.Of(n.copy)))
		}
	}
	if op.Dst.ID != NoField {
		n.written.set(int(op.Dst.Of(n.copy)))
	}
	switch op.Kind {
	case ir.Validate:
		// It clears the fields. In the PHV they are zero already, unless something
		// has written them; that must be over, as if they were read.
		h := &b.Headers[op.Header]
		for f := range h.Len {
			n.read.set(int(h.First) + f)
		}
		n.written.set(b.validity(op.Header))
	case ir.Remove:
		n.written.set(b.validity(op.Header))
	case ir.Hash, ir.Concat:
		b.crossbar(n, op)
		to := op.Dst.Of(n.copy)
		n.hashed = append(n.hashed, hashUse{NoField, to, ceil(b.Fields[to].Bits, hashBits)})
	case ir.Execute:
		b.crossbar(n, op)
		if op.Index.Kind == FromField {
			f := op.Index.Field.Of(n.copy)
			n.exact = append(n.exact, f)
			n.hashed = append(n.hashed, hashUse{f, NoField, ceil(op.Index.Bits, hashBits)})
		}
		if p := (place{op.Register.ID, op.Register.Of(n.copy)}); !slices.Contains(n.registers, p) {
			n.registers = append(n.registers, p)
		}
	}
}

func (b *builder) crossbar(n *node, op *Op) {
	for _, o := range op.In {
		n.exact = append(n.exact, o.Field.Of(n.copy))
	}
}
