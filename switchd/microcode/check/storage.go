package check

import (
	"fmt"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

var (
	ruleRegisters = rule{"a thread has 32 registers of 64 bits", "trio §2.2"}
	ruleLMEM      = rule{"a thread has 1280 bytes of local memory", "trio §2.2"}
)

// recordAlign is the alignment of structs and arrays in LMEM, in bytes, so that
// MemRead and MemWrite move whole words. Assumed.
const recordAlign = isa.WordBytes

// firstFree is the first LMEM byte for variables without a place: behind the
// head of the packet. What is before it is kept for headers to be prepended.
const firstFree = (isa.HeadStart + isa.HeadBytes + recordAlign - 1) / recordAlign * recordAlign

// sharedStart is the address of the first shared memory that a program names.
// Address 0 stays unused, so that 0 can mean none.
const sharedStart = 2

// sharedEnd is one more than the last address of shared memory: addresses have
// 32 bits, as an operand has.
const sharedEnd = 1 << 32

// storage says what is taken.
type storage struct {
	registers [isa.Registers]use
	lmem      [isa.LMEMBytes]use
	sram      uint64 // next free words of shared memory, 0 before the first
	dram      uint64
}

// use says by whom a register or byte is taken.
type use uint8

const (
	useNone   use = iota
	usePlaced     // a variable with a place of its own, which may share it
	useChosen     // a variable that the compiler placed
)

// A stored variable is one that is being placed.
type stored struct {
	decl *syntax.VarDecl
	sym  *symbol
	at   int // of its isa.Symbol
	kind isa.SymbolKind
}

// declareStored defines a variable in registers or LMEM.
func (c *checker) declareStored(d *syntax.VarDecl) {
	t := c.varType(d)
	if t == nil {
		return
	}
	whole := c.array(t, d.Len, d.Name)
	if whole == nil {
		return
	}
	s := &symbol{pos: d.Pos, typ: whole, val: value{kind: kindPlace, typ: whole}}
	kind := where(d.Storage, whole)
	s.val.loc.lmem = kind == isa.SymbolLMEM
	if whole.bits == 0 {
		c.errorf(d.Pos, "%s has no bits", d.Name)
		return
	}
	if kind == isa.SymbolLMEM && whole.form == formLabel {
		c.errorf(d.Pos, "label variable %s is in LMEM; keep labels in registers", d.Name)
		return
	}
	c.define(d.Name, s)
	n, elem := 1, whole
	if whole.form == formArray {
		n, elem = whole.len, whole.elem
	}
	c.prog.Symbols = append(c.prog.Symbols, isa.Symbol{
		Name: d.Name, Kind: kind, Export: d.Export, Size: uint64(whole.bits), Len: uint64(n), Type: c.typeID(elem), Pos: place(d.Pos),
	})
	w := stored{d, s, len(c.prog.Symbols) - 1, kind}
	switch {
	case d.At != nil:
		if n, ok := c.number(d.At, "the place of "+d.Name); ok {
			c.placeAt(w, n, usePlaced)
		}
	case kind == isa.SymbolLMEM:
		c.placeLMEM(w)
	default:
		c.placeRegister(w)
	}
}

// where chooses between registers and LMEM for the storage class memory.
func where(s syntax.Storage, t *dataType) isa.SymbolKind {
	switch {
	case s == syntax.StorageRegister:
		return isa.SymbolRegister
	case s == syntax.StorageLMEM, t.form == formArray, t.bits > isa.RegisterBits:
		return isa.SymbolLMEM
	}
	return isa.SymbolRegister
}

// placeAt puts a variable at a register's number, or at a byte of LMEM. Places
// that declarations ask for may overlap: a program names the same bytes in
// several ways. None may overlap what the compiler has placed.
func (c *checker) placeAt(w stored, at uint64, by use) {
	t := w.sym.typ
	if w.kind == isa.SymbolLMEM {
		if at >= isa.LMEMBytes || t.bytes() > isa.LMEMBytes-int(at) {
			c.rulef(w.decl.Pos, ruleLMEM, "%s needs %s from %d on", w.decl.Name, plural(t.bytes(), "byte"), at)
			return
		}
		c.take(w, c.storage.lmem[at:int(at)+t.bytes()], by)
		c.assignPlace(w, int(at)*8)
		return
	}
	n := registersFor(t)
	if at >= isa.Registers || n > isa.Registers-int(at) {
		c.rulef(w.decl.Pos, ruleRegisters, "%s needs %s from %d on", w.decl.Name, plural(n, "register"), at)
		return
	}
	c.take(w, c.storage.registers[at:int(at)+n], by)
	c.assignPlace(w, int(at)*isa.RegisterBits)
}

func (c *checker) take(w stored, places []use, by use) {
	for i := range places {
		if places[i] == useChosen {
			c.errorf(w.decl.Pos, "the place of %s is taken by a variable declared before it; declare those with @ first", w.decl.Name)
			return
		}
		places[i] = by
	}
}

// placeRegister finds room behind the register that the machine writes.
func (c *checker) placeRegister(w stored) {
	n := registersFor(w.sym.typ)
	at, ok := room(c.storage.registers[:], isa.WorkRegister+1, n, 1)
	if !ok {
		c.rulef(w.decl.Pos, ruleRegisters, "no %s left for %s; pack small variables into a struct, or move some to lmem",
			free(n, "register"), w.decl.Name)
		return
	}
	c.placeAt(w, uint64(at), useChosen)
}

func (c *checker) placeLMEM(w stored) {
	t := w.sym.typ
	align := recordAlign
	if t.scalar() {
		align = min(t.bytes(), recordAlign)
	}
	at, ok := room(c.storage.lmem[:], firstFree, t.bytes(), align)
	if !ok {
		c.rulef(w.decl.Pos, ruleLMEM, "no %s left for %s; bytes 0 to %d are the packet's head and room before it",
			free(t.bytes(), "byte"), w.decl.Name, firstFree-1)
		return
	}
	c.placeAt(w, uint64(at), useChosen)
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// free says that nothing, or one thing, is left, in words.
func free(n int, one string) string {
	if n == 1 {
		return one + " is"
	}
	return fmt.Sprintf("%d %ss are", n, one)
}

// room finds n free places from a multiple of align on.
func room(taken []use, from, n, align int) (int, bool) {
	for at := from; at < len(taken); at += align {
		free := 0
		for at+free < len(taken) && free < n && taken[at+free] == useNone {
			free++
		}
		if free == n {
			return at, true
		}
	}
	return 0, false
}

func registersFor(t *dataType) int { return (t.bits + isa.RegisterBits - 1) / isa.RegisterBits }

// assignPlace gives a variable its place in bits, and its initial value. A scalar is
// the low bits of its register.
func (c *checker) assignPlace(w stored, bit int) {
	t := w.sym.typ
	if w.kind == isa.SymbolRegister && t.scalar() && t.bits < isa.RegisterBits {
		bit += isa.RegisterBits - t.bits
	}
	w.sym.val.loc.bit = bit
	c.prog.Symbols[w.at].Value = uint64(bit)
	if w.decl.Init != nil {
		c.initial(w, bit)
	}
}

// initial puts a constant into the image of a thread.
func (c *checker) initial(w stored, bit int) {
	d, t := w.decl, w.sym.typ
	if !t.scalar() {
		c.errorf(d.Init.Position(), "%s is a %s and takes no initial value", d.Name, t.name)
		return
	}
	v := c.convertInit(d, t)
	if !v.ok() {
		return
	}
	n := v.constant()
	if t.bits < 64 {
		n &= 1<<t.bits - 1
	}
	image := &c.prog.Image
	if w.kind == isa.SymbolRegister {
		image.Registers[bit/isa.RegisterBits] |= n
		return
	}
	at, size := bit/8, t.bytes()
	for len(image.LMEM) < at+size {
		image.LMEM = append(image.LMEM, 0)
	}
	n <<= (8 - t.bits%8) % 8 // a field starts at the first bit of its byte
	for i := range size {
		image.LMEM[at+i] = byte(n >> (8 * (size - 1 - i)))
	}
}

// convertInit evaluates an initial value, which must be a constant.
func (c *checker) convertInit(d *syntax.VarDecl, t *dataType) value {
	v := c.eval(d.Init)
	if !v.ok() {
		return v
	}
	if !v.isConst() && v.kind != kindLabel {
		return c.errorf(d.Init.Position(), "the initial value of %s is not a constant", d.Name)
	}
	return c.convert(v, t, d)
}
