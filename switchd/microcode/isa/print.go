package isa

import (
	"fmt"
	"strings"
)

func (c Const) String() string {
	if c < 1024 {
		return fmt.Sprintf("%d", uint64(c))
	}
	return fmt.Sprintf("%#x", uint64(c))
}

func (w Wire) String() string { return fmt.Sprintf("w%d", int(w)) }

// String returns r7 for a whole register, and else its bits as a source writes
// them, the lowest being 0: r7[31:0].
func (r Reg) String() string {
	if r.Bit == 0 && r.Width == RegisterBits {
		return fmt.Sprintf("r%d", r.Num)
	}
	low := RegisterBits - int(r.Bit) - int(r.Width)
	if r.Width == 1 {
		return fmt.Sprintf("r%d[%d]", r.Num, low)
	}
	return fmt.Sprintf("r%d[%d:%d]", r.Num, low+int(r.Width)-1, low)
}

// String returns lmem[byte]:width, with the bit of the byte after a dot where it
// does not start at bit 0.
func (m LMEM) String() string {
	bytes, bit := m.Bit>>3, m.Bit&7
	at := fmt.Sprintf("%d", bytes)
	if m.Base != nil {
		switch at = m.Base.String(); {
		case bytes > 0:
			at += fmt.Sprintf("+%d", bytes)
		case bytes < 0:
			at += fmt.Sprintf("%d", bytes)
		}
	}
	if bit != 0 {
		at += fmt.Sprintf(".%d", bit)
	}
	return fmt.Sprintf("lmem[%s]:%d", at, m.Width)
}

func (u Unary) String() string  { return u.Op.String() + nested(u.X) }
func (b Binary) String() string { return nested(b.X) + " " + b.Op.String() + " " + nested(b.Y) }
func (p Pair) String() string   { return "{" + text(p.Hi) + ", " + text(p.Lo) + "}" }
func (s Select) String() string {
	return nested(s.If) + " ? " + nested(s.Then) + " : " + nested(s.Else)
}

// nested returns an operand, in parentheses if it is an operation.
func nested(e Expr) string {
	switch e.(type) {
	case Binary, Select:
		return "(" + e.String() + ")"
	}
	return text(e)
}

func text(e Expr) string {
	if e == nil {
		return "?"
	}
	return e.String()
}

// condition returns "if ...: ", empty for none.
func condition(e Expr) string {
	if e == nil {
		return ""
	}
	return "if " + e.String() + ": "
}

func (m Move) String() string { return condition(m.When) + text(m.To) + " = " + text(m.From) }

func (i Issue) String() string {
	args := make([]string, len(i.Args))
	for n, a := range i.Args {
		args[n] = text(a)
	}
	call := i.XTXN.String() + "(" + strings.Join(args, ", ") + ")"
	switch {
	case i.Async:
		call = "async " + call
	case i.Reply != nil:
		call = i.Reply.String() + " = " + call
	}
	return condition(i.When) + call
}

// Dump prints the program for people: every instruction with its number,
// labels, place in the source, text and resources, then symbols and totals.
func (p *Program) Dump() string {
	var b strings.Builder
	for i := range p.Instructions {
		p.dumpInstruction(&b, i)
	}
	p.dumpEntries(&b)
	p.dumpSymbols(&b)
	p.dumpTotals(&b)
	return b.String()
}

func (p *Program) dumpInstruction(b *strings.Builder, i int) {
	in := &p.Instructions[i]
	fmt.Fprintf(b, "%4d  %-28s // %s: %s\n", i, labels(in.Labels), in.Pos, in.Resources())
	for n, w := range in.Wires {
		fmt.Fprintf(b, "          w%d = %s\n", n, text(w))
	}
	for _, m := range in.Moves {
		fmt.Fprintf(b, "          %s\n", m)
	}
	for _, x := range in.Issues {
		fmt.Fprintf(b, "          %s\n", x)
	}
	for _, n := range in.Next {
		if n.When == nil && n.Jump == Goto && n.Target == i+1 {
			continue // falls through, as the source does
		}
		fmt.Fprintf(b, "          %s\n", p.branch(n))
	}
}

func labels(list []string) string {
	if len(list) == 0 {
		return "-"
	}
	return strings.Join(list, ": ") + ":"
}

func (p *Program) branch(n Branch) string {
	s := condition(n.When) + n.Jump.String()
	if n.Jump == Goto || n.Jump == Call {
		s += " " + p.target(n.Target)
	}
	return s
}

// target returns "12 (loop)", or the number alone without a label.
func (p *Program) target(n int) string {
	if n < 0 || n >= len(p.Instructions) || len(p.Instructions[n].Labels) == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (%s)", n, p.Instructions[n].Labels[0])
}

func (p *Program) dumpEntries(b *strings.Builder) {
	if len(p.Entries) == 0 {
		return
	}
	b.WriteString("\nentries\n")
	for _, e := range p.Entries {
		name := "packet"
		if e.Timer != "" {
			name = "timer " + e.Timer
		}
		fmt.Fprintf(b, "      %-28s %s\n", name, p.target(e.Target))
	}
}

func (p *Program) dumpSymbols(b *strings.Builder) {
	if len(p.Symbols) == 0 {
		return
	}
	b.WriteString("\nsymbols\n")
	for _, s := range p.Symbols {
		fmt.Fprintf(b, "      %-28s %s\n", s.Name, s.describe())
	}
}

// describe says where a symbol is and how large.
func (s Symbol) describe() string {
	var at string
	switch s.Kind {
	case SymbolConst:
		return fmt.Sprintf("const %d", s.Value)
	case SymbolRegister:
		num, bit := s.Value/RegisterBits, s.Value%RegisterBits
		at = fmt.Sprintf("register r%d bit %d, %d bits", num, bit, s.Size)
	case SymbolLMEM:
		at = fmt.Sprintf("lmem byte %d", s.Value/8)
		if bit := s.Value % 8; bit != 0 {
			at += fmt.Sprintf(".%d", bit)
		}
		at += fmt.Sprintf(", %d bits", s.Size)
	default:
		at = fmt.Sprintf("%s paddr %#x, %d bytes", s.Kind, s.Value, s.Size)
	}
	if s.Len > 1 {
		at += fmt.Sprintf(", %d elements", s.Len)
	}
	if s.Export {
		at += ", exported"
	}
	return at
}

func (p *Program) dumpTotals(b *strings.Builder) {
	t := p.Totals()
	fmt.Fprintf(b, "\ntotals\n")
	row := func(what string, n, of int) { fmt.Fprintf(b, "      %-28s %d of %d\n", what, n, of) }
	fmt.Fprintf(b, "      %-28s %d\n", "instructions", t.Instructions)
	fmt.Fprintf(b, "      %-28s %d\n", "XTXNs", t.Issues)
	row("registers", t.Registers, Registers)
	row("LMEM bytes of variables", t.LMEMBytes, LMEMBytes)
	row("call depth", t.CallDepth, CallDepth)
	row("most register reads", t.Most.RegisterReads, MaxReads)
	row("most LMEM reads", t.Most.LMEMReads, MaxLMEMReads)
	row("most register writes", t.Most.RegisterWrites, MaxWrites)
	row("most LMEM writes", t.Most.LMEMWrites, MaxWrites)
	row("most conditions", t.Most.Conditions, MaxConditions)
	row("most moves", t.Most.MoveALUs, MaxMoveALUs)
	row("most targets", t.Most.Targets, MaxTargets)
}
