package isa

import (
	"errors"
	"fmt"
	"math/bits"
)

// Validate checks all that running the program relies on: that operands exist,
// fields have a width, arguments fit their XTXN, and every path leads to an
// instruction. It does not ask whether an instruction fits the engine; that is
// [Resources.Over]. Errors name the instruction and its place in the source.
func (p *Program) Validate() error {
	if len(p.Instructions) == 0 {
		return errors.New("program has no instructions")
	}
	if len(p.Instructions) > MaxProgram {
		return fmt.Errorf("program has %d instructions; at most %d", len(p.Instructions), MaxProgram)
	}
	for i := range p.Instructions {
		v := validator{prog: p, in: &p.Instructions[i], at: i, count: len(p.Instructions)}
		if err := v.instruction(); err != nil {
			return fmt.Errorf("%s: instruction %d: %w", v.in.Pos, i, err)
		}
	}
	if err := p.validateData(); err != nil {
		return err
	}
	for i := range p.Entries {
		if err := p.validateEntry(i); err != nil {
			return err
		}
	}
	return nil
}

// validateData checks what a thread starts with and what the names stand for.
func (p *Program) validateData() error {
	if n := len(p.Image.LMEM); n > LMEMBytes {
		return fmt.Errorf("%d bytes of LMEM are initialised; at most %d", n, LMEMBytes)
	}
	if _, err := (Machine{AddBytes: p.AddBytes}).Resolved(); err != nil {
		return err
	}
	if p.CallDepth < 0 || p.CallDepth > CallDepth {
		return fmt.Errorf("calls nest %d deep; at most %d", p.CallDepth, CallDepth)
	}
	if err := errors.Join(p.validateTables(), p.validateTypes()); err != nil {
		return err
	}
	for i := range p.Symbols {
		s := &p.Symbols[i]
		err := s.validate()
		if err == nil {
			err = p.validateSymbolTypes(s)
		}
		if err != nil {
			return fmt.Errorf("%s: symbol %q: %w", s.Pos, s.Name, err)
		}
	}
	return nil
}

// validate checks that a symbol is where something of its kind can be.
func (s Symbol) validate() error {
	const words = 1 << FieldBits // addresses of shared memory have 32 bits
	within := func(end uint64) bool { return s.Value <= end && s.Size <= end-s.Value }
	ok := true
	switch s.Kind {
	case SymbolConst:
	case SymbolHash:
		ok = s.Size == HashRecordBytes*8
	case SymbolRegister:
		ok = within(Registers * RegisterBits)
	case SymbolLMEM:
		ok = within(LMEMBits)
	case SymbolCounter, SymbolPolicer, SymbolSRAM, SymbolDRAM:
		ok = s.Value <= words && s.Size <= (words-s.Value)*WordBytes
	default:
		return fmt.Errorf("there is no kind %d", s.Kind)
	}
	if !ok {
		return fmt.Errorf("%s: %d from %d on is not within it", s.Kind, s.Size, s.Value)
	}
	return nil
}

// A validator checks one instruction.
type validator struct {
	prog  *Program
	in    *Instruction
	at    int
	count int
	wires int // how many may be used
}

func (v *validator) instruction() error {
	in := v.in
	if len(in.Wires) > MaxWires || len(in.Moves) > MaxMoves || len(in.Next) > MaxBranches {
		return fmt.Errorf("has %d wires, %d moves, %d branches; at most %d, %d, %d",
			len(in.Wires), len(in.Moves), len(in.Next), MaxWires, MaxMoves, MaxBranches)
	}
	if n := in.Depth(); n > MaxDepth {
		return fmt.Errorf("operations nest %d deep; at most %d", n, MaxDepth)
	}
	for i, w := range in.Wires {
		v.wires = i
		if err := v.value(w, FieldBits); err != nil {
			return fmt.Errorf("wire %d: %w", i, err)
		}
	}
	v.wires = len(in.Wires)
	for i := range in.Issues {
		if err := v.issue(&in.Issues[i]); err != nil {
			return fmt.Errorf("%s: %w", in.Issues[i].XTXN, err)
		}
	}
	for i, m := range in.Moves {
		if err := v.move(m); err != nil {
			return fmt.Errorf("move %d: %w", i, err)
		}
	}
	return v.next()
}

func (v *validator) move(m Move) error {
	if err := v.condition(m.When); err != nil {
		return err
	}
	if m.To == nil {
		return errors.New("goes nowhere")
	}
	if err := v.value(m.To, FieldBits); err != nil {
		return err
	}
	return v.value(m.From, FieldBits)
}

func (v *validator) issue(i *Issue) error {
	spec, ok := i.XTXN.Spec()
	switch {
	case !ok:
		return fmt.Errorf("there is no XTXN %d", i.XTXN)
	case len(i.Args) != len(spec.Args):
		return fmt.Errorf("has %d arguments instead of %d", len(i.Args), len(spec.Args))
	case i.Reply != nil && spec.Reply == "":
		return errors.New("has no reply")
	case i.Async && !spec.Async:
		return errors.New("cannot be asynchronous")
	}
	for n, a := range i.Args {
		if err := v.value(a, spec.Args[n].Bits); err != nil {
			return fmt.Errorf("argument %s: %w", spec.Args[n].Name, err)
		}
		if err := v.prog.checkName(spec.Args[n].Kind, a); err != nil {
			return fmt.Errorf("argument %s: %w", spec.Args[n].Name, err)
		}
	}
	if i.Reply != nil {
		if err := v.value(i.Reply, RegisterBits); err != nil {
			return fmt.Errorf("reply: %w", err)
		}
	}
	if err := checkBuffer(spec, v.prog.LengthOf(i.XTXN), i.Args); err != nil {
		return err
	}
	return v.condition(i.When)
}

// checkBuffer refuses constant lengths and LMEM buffers that would always end
// the thread.
func checkBuffer(spec *Spec, bounds Length, args []Expr) error {
	addr, length, ok := spec.Buffer()
	if !ok {
		return nil
	}
	n, fixed := args[length].(Const)
	if !fixed {
		return nil
	}
	if !bounds.Fits(uint64(n)) {
		return fmt.Errorf("length %d is not %d to %d in steps of %d", n, bounds.Min, bounds.Max, bounds.Step)
	}
	if at, ok := args[addr].(Const); ok && uint64(at)+uint64(n) > LMEMBytes {
		return fmt.Errorf("%d bytes at %d are not within the %d bytes of LMEM", n, at, LMEMBytes)
	}
	return nil
}

func (v *validator) next() error {
	last := len(v.in.Next) - 1
	if last < 0 || v.in.Next[last].When != nil {
		return errors.New("has no next instruction where no condition holds")
	}
	for _, b := range v.in.Next {
		if err := v.condition(b.When); err != nil {
			return fmt.Errorf("%s: %w", b.Jump, err)
		}
		leads := b.Jump == Goto || b.Jump == Call
		switch {
		case b.Jump < Goto || b.Jump > Exit:
			return fmt.Errorf("there is no jump %d", b.Jump)
		case leads && (b.Target < 0 || b.Target >= v.count):
			return fmt.Errorf("%s leads to instruction %d of %d", b.Jump, b.Target, v.count)
		case b.Jump == Call && v.at+1 == v.count:
			return errors.New("call has no instruction after it to return to")
		}
	}
	return nil
}

func (v *validator) condition(e Expr) error {
	if e == nil {
		return nil
	}
	if err := v.value(e, FieldBits); err != nil {
		return fmt.Errorf("condition: %w", err)
	}
	return nil
}

// value checks an expression of at most so many bits.
func (v *validator) value(e Expr, width int) error {
	switch e := e.(type) {
	case nil:
		return errors.New("value is missing")
	case Const:
		if n := bits.Len64(uint64(e)); n > width {
			return fmt.Errorf("constant %#x has %d bits; at most %d", uint64(e), n, width)
		}
	case Wire:
		if e < 0 || int(e) >= v.wires {
			return fmt.Errorf("there is no earlier wire %d", int(e))
		}
	case Reg:
		return checkRegister(e, width)
	case LMEM:
		return v.lmem(e, width)
	case Unary:
		if !e.Op.unary() {
			return fmt.Errorf("%s has two operands", e.Op)
		}
		return v.values(e.X)
	case Binary:
		if !e.Op.binary() {
			return fmt.Errorf("%s has one operand", e.Op)
		}
		return v.values(e.X, e.Y)
	case Select:
		return v.values(e.If, e.Then, e.Else)
	case Pair:
		if width < RegisterBits {
			return fmt.Errorf("pair has 64 bits; at most %d", width)
		}
		return v.values(e.Hi, e.Lo)
	}
	return nil
}

// values checks operands of an ALU.
func (v *validator) values(list ...Expr) error {
	for _, e := range list {
		if err := v.value(e, FieldBits); err != nil {
			return err
		}
	}
	return nil
}

func checkRegister(r Reg, width int) error {
	switch {
	case r.Num >= Registers:
		return fmt.Errorf("there is no register %d", r.Num)
	case r.Width == 0 || int(r.Bit)+int(r.Width) > RegisterBits:
		return fmt.Errorf("bits %d+%d are not in a register", r.Bit, r.Width)
	case int(r.Width) > width:
		return fmt.Errorf("%s has %d bits; at most %d", r, r.Width, width)
	}
	return nil
}

// lmem checks a field. With a base, its address is only known to the thread.
func (v *validator) lmem(m LMEM, width int) error {
	switch {
	case m.Width == 0 || int(m.Width) > width:
		return fmt.Errorf("%s has %d bits; 1 to %d", m, m.Width, width)
	case m.Base != nil:
		return v.values(m.Base)
	case m.Bit < 0 || int(m.Bit)+int(m.Width) > LMEMBits:
		return fmt.Errorf("%s is not within the %d bytes of LMEM", m, LMEMBytes)
	}
	return nil
}
