package isa

import (
	"fmt"
	"strings"
)

// Resources are what one instruction takes of the engine. An operand that is
// used twice is read once.
type Resources struct {
	RegisterReads  int // registers read, but for those that only point into LMEM (assumed: pointers have ports of their own)
	LMEMReads      int // LMEM fields read
	RegisterWrites int // registers written, that of a reply included
	LMEMWrites     int // LMEM fields written, that of a reply included
	Conditions     int // operations of Condition ALUs; what combines conditions takes none
	MoveALUs       int // places that moves write; the ALU of a place does the last operation of its value
	Targets        int // different next instructions; the next in line, return and exit count too
	Issues         int // XTXNs, of which one is sent
}

// Resources counts what the instruction uses.
func (in *Instruction) Resources() Resources {
	c := counter{
		seen: map[Expr]bool{}, read: map[uint8]bool{}, written: map[uint8]bool{},
		moved: map[Place]bool{}, fields: map[LMEM]bool{}, targets: map[Branch]bool{},
	}
	for _, w := range in.Wires {
		c.value(w)
	}
	for _, m := range in.Moves {
		c.condition(m.When)
		c.source(m.From)
		c.write(m.To, true)
	}
	for _, i := range in.Issues {
		c.condition(i.When)
		for _, a := range i.Args {
			c.value(a)
		}
		if i.Reply != nil {
			c.write(i.Reply, false)
		}
	}
	for _, b := range in.Next {
		c.condition(b.When)
		c.targets[Branch{Jump: b.Jump, Target: b.Target}] = true
	}
	c.r.RegisterReads, c.r.RegisterWrites, c.r.LMEMWrites = len(c.read), len(c.written), len(c.fields)
	c.r.MoveALUs, c.r.Targets, c.r.Issues = len(c.moved), len(c.targets), len(in.Issues)
	return c.r
}

// A counter adds up resources; what it has seen is free.
type counter struct {
	r       Resources
	seen    map[Expr]bool
	read    map[uint8]bool // registers
	written map[uint8]bool // registers
	moved   map[Place]bool
	fields  map[LMEM]bool // written
	targets map[Branch]bool
}

// condition counts what makes a condition. A field that is one takes an ALU,
// which compares it with 0.
func (c *counter) condition(e Expr) {
	switch e := e.(type) {
	case Reg, LMEM:
		test := Binary{NotEqual, e, Const(0)}
		c.value(test)
	case nil:
	default:
		c.value(e)
	}
}

// source counts the value of a move, whose last operation the Move ALU does.
func (c *counter) source(e Expr) {
	switch e := e.(type) {
	case Unary:
		c.value(e.X)
	case Binary:
		c.value(e.X)
		c.value(e.Y)
	case Select:
		c.condition(e.If)
		c.value(e.Then)
		c.value(e.Else)
	default:
		c.value(e)
	}
}

// value counts the operands and operations of a value.
func (c *counter) value(e Expr) {
	if e == nil || c.seen[e] {
		return
	}
	c.seen[e] = true
	switch e := e.(type) {
	case Reg:
		c.read[e.Num] = true
	case LMEM:
		c.r.LMEMReads++
		c.pointer(e.Base)
	case Unary:
		c.operation(e.Op)
		c.operand(e.Op, e.X)
	case Binary:
		if tag, ok := comparison(e); !ok || !c.seen[tag] {
			c.operation(e.Op)
			c.seen[tag] = ok
		}
		c.operand(e.Op, e.X)
		c.operand(e.Op, e.Y)
	case Select:
		c.r.Conditions++
		c.condition(e.If)
		c.value(e.Then)
		c.value(e.Else)
	case Pair:
		c.value(e.Hi)
		c.value(e.Lo)
	}
}

// comparison returns the same for all comparisons of one value with constants:
// they take one ALU, which hands the value to the sequencing logic (assumed:
// without it a multi-way branch could not have eight targets, trio §2.2).
func comparison(e Binary) (tag Expr, ok bool) {
	_, constant := e.Y.(Const)
	return Binary{Equal, e.X, Wire(-1)}, constant && e.Op == Equal
}

// operand counts what an operation takes: conditions, if it combines them.
func (c *counter) operand(op Op, e Expr) {
	if op.combines() {
		c.condition(e)
		return
	}
	c.value(e)
}

func (c *counter) operation(op Op) {
	if !op.combines() {
		c.r.Conditions++
	}
}

// pointer counts the base of an LMEM address: a register, and one to which a
// constant is added, are free.
func (c *counter) pointer(base Expr) {
	if b, ok := base.(Binary); ok && (b.Op == Add || b.Op == Sub) {
		if _, ok := b.Y.(Const); ok {
			base = b.X
		}
	}
	if _, ok := base.(Reg); ok {
		return
	}
	c.value(base)
}

// write counts a place. Two moves to one place, under different conditions,
// are one write that selects between two values.
func (c *counter) write(p Place, move bool) {
	if move {
		c.moved[p] = true
	}
	switch p := p.(type) {
	case Reg:
		c.written[p.Num] = true
	case LMEM:
		c.fields[p] = true
		c.pointer(p.Base)
	}
}

// String returns the resources that are used, such as
// "reads 2r 1m, writes 1r, 2 conditions, 1 move, 2 targets, 1 xtxn".
func (r Resources) String() string {
	var parts []string
	pair := func(what string, registers, fields int) {
		switch {
		case registers > 0 && fields > 0:
			parts = append(parts, fmt.Sprintf("%s %dr %dm", what, registers, fields))
		case registers > 0:
			parts = append(parts, fmt.Sprintf("%s %dr", what, registers))
		case fields > 0:
			parts = append(parts, fmt.Sprintf("%s %dm", what, fields))
		}
	}
	pair("reads", r.RegisterReads, r.LMEMReads)
	pair("writes", r.RegisterWrites, r.LMEMWrites)
	for _, n := range []struct {
		n    int
		word string
	}{{r.Conditions, "condition"}, {r.MoveALUs, "move"}, {r.Targets, "target"}, {r.Issues, "xtxn"}} {
		if n.n == 1 {
			parts = append(parts, "1 "+n.word)
		} else if n.n > 1 {
			parts = append(parts, fmt.Sprintf("%d %ss", n.n, n.word))
		}
	}
	return strings.Join(parts, ", ")
}

// Totals are what a whole program takes.
type Totals struct {
	Instructions int
	Issues       int       // places that send an XTXN
	Registers    int       // registers read or written
	LMEMBytes    int       // bytes of LMEM that hold variables
	CallDepth    int       // deepest nesting of calls
	Most         Resources // the most that any instruction uses, each on its own
}

// Totals adds up the instructions.
func (p *Program) Totals() Totals {
	t := Totals{Instructions: len(p.Instructions), CallDepth: p.CallDepth}
	registers := map[uint8]bool{}
	for i := range p.Instructions {
		r := p.Instructions[i].Resources()
		t.Issues += r.Issues
		t.Most = t.Most.max(r)
		for _, e := range p.Instructions[i].exprs() {
			walk(e, func(e Expr) {
				if r, ok := e.(Reg); ok {
					registers[r.Num] = true
				}
			})
		}
	}
	bytes := map[uint64]bool{}
	for _, s := range p.Symbols {
		if s.Kind != SymbolLMEM {
			continue
		}
		for b := s.Value / 8; b < (s.Value+s.Size+7)/8 && b < LMEMBytes; b++ {
			bytes[b] = true
		}
	}
	t.Registers, t.LMEMBytes = len(registers), len(bytes)
	return t
}

func (r Resources) max(o Resources) Resources {
	return Resources{
		max(r.RegisterReads, o.RegisterReads), max(r.LMEMReads, o.LMEMReads),
		max(r.RegisterWrites, o.RegisterWrites), max(r.LMEMWrites, o.LMEMWrites),
		max(r.Conditions, o.Conditions), max(r.MoveALUs, o.MoveALUs),
		max(r.Targets, o.Targets), max(r.Issues, o.Issues),
	}
}
