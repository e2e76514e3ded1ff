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
		at = m.Base.String()
		if bytes != 0 {
			at = nested(m.Base)
		}
		switch {
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

// nameWidth is the column of names and labels, in characters.
const nameWidth = 28

// legend says how instructions are printed.
const legend = `instructions: number, labels, place in the source, resources (r: registers, m: fields
of LMEM); r1[31:0] are the low 32 bits of register 1, lmem[78]:24 are 24 bits from byte 78 on

`

// Dump prints the program for people: every instruction with its number,
// labels, place in the source, text and resources, then symbols and totals.
func (p *Program) Dump() string {
	var b strings.Builder
	b.WriteString(legend)
	for i := range p.Instructions {
		p.dumpInstruction(&b, i)
	}
	p.dumpEntries(&b)
	p.dumpTables(&b)
	p.dumpSymbols(&b)
	p.dumpTotals(&b)
	return b.String()
}

func (p *Program) dumpInstruction(b *strings.Builder, i int) {
	in := &p.Instructions[i]
	fmt.Fprintf(b, "%4d  %-*s // %s: %s\n", i, nameWidth, labels(in.Labels), in.Pos, in.Resources())
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
		fmt.Fprintf(b, "      %-*s %s\n", nameWidth, e, p.target(e.Target))
	}
}

// dumpTables lists the fields that the program has chosen, and the tables that the control
// plane fills; XTXNs name both by their numbers.
func (p *Program) dumpTables(b *strings.Builder) {
	if len(p.Fields) > 0 {
		b.WriteString("\nlists of fields\n")
	}
	for i := range p.Fields {
		l := &p.Fields[i]
		var texts []string
		for _, f := range l.Fields {
			texts = append(texts, fmt.Sprintf("%s = %s", f.Text, f.Place))
		}
		fmt.Fprintf(b, "%4d  %-*s %d bits: %s\n", i, nameWidth, l.Name, l.Bits(), strings.Join(texts, ", "))
	}
	if len(p.Tables) > 0 {
		b.WriteString("\ntables\n")
	}
	for i := range p.Tables {
		t := &p.Tables[i]
		on := ""
		if t.Kind == TableFilter {
			on = " on " + p.Fields[t.Fields].Name
		}
		fmt.Fprintf(b, "%4d  %-*s %s, %d entries%s\n", i, nameWidth, t.Name, t.Kind, t.Len, on)
	}
}

func (p *Program) dumpSymbols(b *strings.Builder) {
	if len(p.Symbols) == 0 {
		return
	}
	b.WriteString("\nsymbols\n")
	width := nameWidth
	for _, s := range p.Symbols {
		width = max(width, len(s.Name))
	}
	for _, s := range p.Symbols {
		fmt.Fprintf(b, "      %-*s %s\n", width, s.Name, s.describe())
	}
}

// describe says where a symbol is and how large, in the words of instructions.
func (s Symbol) describe() string {
	var at string
	switch bit := s.Value % RegisterBits; {
	case s.Kind == SymbolConst:
		return "const " + Const(s.Value).String()
	case s.Kind == SymbolRegister && s.Size > 0 && s.Size <= RegisterBits-bit:
		at = "register " + Reg{uint8(s.Value / RegisterBits), uint8(bit), uint8(s.Size)}.String()
	case s.Kind == SymbolRegister:
		at = fmt.Sprintf("register r%d, %s", s.Value/RegisterBits, size(s.Size))
	case s.Kind == SymbolLMEM:
		at = fmt.Sprintf("lmem[%d], %s", s.Value/8, size(s.Size))
		if bit := s.Value % 8; bit != 0 {
			at = fmt.Sprintf("lmem[%d.%d], %s", s.Value/8, bit, size(s.Size))
		}
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

// size is a number of bits, in bytes where that is whole.
func size(bits uint64) string {
	if bits%8 == 0 {
		return fmt.Sprintf("%d bytes", bits/8)
	}
	return fmt.Sprintf("%d bits", bits)
}

func (p *Program) dumpTotals(b *strings.Builder) {
	t := p.Totals()
	fmt.Fprintf(b, "\ntotals\n")
	row := func(what string, n, of int) { fmt.Fprintf(b, "      %-*s %d of %d\n", nameWidth, what, n, of) }
	fmt.Fprintf(b, "      %-*s %d\n", nameWidth, "instructions", t.Instructions)
	fmt.Fprintf(b, "      %-*s %d\n", nameWidth, "XTXNs", t.Issues)
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
