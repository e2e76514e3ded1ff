package isa

import "fmt"

// A Program is what a PFE is loaded with. It must not be changed.
type Program struct {
	Name         string // of the source
	Instructions []Instruction
	Entries      []Entry  // in the order of the source
	Symbols      []Symbol // in the order of the source
	Types        []Type   // of what symbols hold
	Fields       []FieldList
	Tables       []Table
	CallDepth    int // deepest nesting of calls from any entry
	AddBytes     int // of the Machine that the program is compiled for; zero: the default
	Image        Image
}

// An Image is what a thread finds when it starts, before the machine has put
// the packet's head at HeadStart and its notes into WorkRegister (trio §3.1,
// "Compiler": the binary contains data to initialise PPE resources).
type Image struct {
	Registers [Registers]uint64
	LMEM      []byte // from byte 0 on; the rest is zero
}

// Load returns what a variable in registers or LMEM starts with: width bits, at most 64,
// from a bit of the symbol on.
func (m *Image) Load(s Symbol, bit, width uint64) (n uint64) {
	for at := s.Value + bit; at < s.Value+bit+width; at++ {
		n = n<<1 | m.bit(s.Kind, at)
	}
	return n
}

func (m *Image) bit(k SymbolKind, at uint64) uint64 {
	switch {
	case k == SymbolRegister && at < Registers*RegisterBits:
		return m.Registers[at/RegisterBits] >> (RegisterBits - 1 - at%RegisterBits) & 1
	case k == SymbolLMEM && at/8 < uint64(len(m.LMEM)):
		return uint64(m.LMEM[at/8]) >> (7 - at%8) & 1
	}
	return 0
}

// A SymbolKind says what a name of the source stands for.
type SymbolKind uint8

// Kinds of symbols.
const (
	SymbolRegister SymbolKind = iota + 1 // a variable in registers
	SymbolLMEM                           // a variable in local memory
	SymbolConst                          // a constant
	SymbolCounter                        // shared memory: counters of packets and bytes, 16 bytes each
	SymbolPolicer                        // shared memory: policer records
	SymbolSRAM                           // shared memory on the chip
	SymbolDRAM                           // shared memory off the chip
	SymbolHash                           // records of the hash table
)

func (k SymbolKind) String() string {
	return nameOf(k, "?", "register", "lmem", "const", "counter", "policer", "sram", "dram", "hash")
}

// Shared reports whether the symbol is an address of shared memory.
func (k SymbolKind) Shared() bool { return k >= SymbolCounter && k <= SymbolDRAM }

// A Symbol is a name of the source, for the control plane and for readers.
type Symbol struct {
	Name   string
	Kind   SymbolKind
	Export bool   // meant for the control plane
	Value  uint64 // of a constant; bit offset in all registers (64 x number + bit) or in LMEM; shared: address in words of 8 bytes
	Size   uint64 // bits of a variable with all its elements, or of a record of the hash table; bytes of shared memory; 0 for a constant
	Len    uint64 // elements of an array, 1 otherwise
	Type   TypeID // of an element
	Key    TypeID // of the keys of records of the hash table
	When   *Match // which keys of the hash table have such records; nil: all that no symbol before it has
	Pos    Pos
}

// Symbol returns the symbol with a name.
func (p *Program) Symbol(name string) (Symbol, bool) {
	for _, s := range p.Symbols {
		if s.Name == name {
			return s, true
		}
	}
	return Symbol{}, false
}

// A Pos is a place in a source; lines and columns count from 1.
type Pos struct {
	File string
	Line int
	Col  int
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// An Instruction is one micro-instruction: what stands between begin and end.
// The package comment says in which order its parts are done.
type Instruction struct {
	Labels []string
	Pos    Pos
	Wires  []Expr   // Wire(i) is Wires[i], which uses only wires before it
	Issues []Issue  // conditions that exclude each other; the first that holds is issued
	Next   []Branch // the first whose condition holds; the last has none
	Moves  []Move
}

// A Move writes the low bits of a value into a place of at most 32 bits.
type Move struct {
	When Expr // nil: always
	To   Place
	From Expr
}

// An Issue sends an XTXN.
type Issue struct {
	When  Expr // nil: always
	XTXN  XTXN
	Args  []Expr // as many as the XTXN takes
	Reply Place  // for the low bits of the reply; nil: not kept, or there is none
	Async bool   // the thread does not wait
}

// A Jump is how a branch continues.
type Jump uint8

// Jumps.
const (
	Goto   Jump = iota + 1
	Call        // the subroutine returns to the instruction after this one
	Return      // to the instruction after the call
	Exit        // the thread ends
)

func (j Jump) String() string { return nameOf(j, "?", "goto", "call", "return", "exit") }

// A Branch names the next instruction.
type Branch struct {
	When   Expr // nil: always
	Jump   Jump
	Target int // instruction, for Goto and Call
}
