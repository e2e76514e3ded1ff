package fit

import "github.com/inalab/inalab/switchd/tofino/ir"

// Numbers of the things of a program; each indexes the list of its kind.
type (
	FieldID    int // in Program.Fields
	HeaderID   int // in Program.Headers
	RegisterID int // in Program.Registers
	TableID    int // in Program.Tables; program order, ingress before egress
	StateID    int // in Gress.Parser
)

// Numbers that are none.
const (
	NoField    FieldID    = -1
	NoHeader   HeaderID   = -1
	NoRegister RegisterID = -1
	NoTable    TableID    = -1
	Accept     StateID    = -1 // end of a parser: on with the packet
	Reject     StateID    = -2 // end of a parser: a counted drop
)

// Side tells the two halves of a pipe.
type Side int

// The sides; they index Program.Gress and Field.Containers.
const (
	Ingress Side = 0
	Egress  Side = 1
)

// String returns "ingress" or "egress".
func (s Side) String() string {
	if s == Egress {
		return "egress"
	}
	return "ingress"
}

// Program is a program that fits: every name is a number, every table has its
// stage, every field its containers. It is not changed once made.
type Program struct {
	Name      string
	Source    *ir.Program
	Headers   []Header
	Fields    []Field // of headers, then metadata, then intrinsics in the order of ir.Intrinsics
	Bridged   []FieldID
	Registers []Register
	Tables    []Table
	Gress     [2]Gress // by Side

	report Resources
}

// Header is a header; its fields lie one behind another.
type Header struct {
	Name  string
	Bytes int
	First FieldID // of its fields, which have consecutive numbers
	Len   int     // how many
	Valid [2]Bit  // by Side: says that it is valid, on a side that has it
}

// Kind says what a field belongs to.
type Kind int

// The kinds of field.
const (
	HeaderField Kind = iota
	Metadata
	Intrinsic
)

// Field is a field. The elements of an array are fields of their own with
// consecutive numbers: "d0.v[3]" is three after "d0.v[0]".
type Field struct {
	Name   string
	Kind   Kind
	Header HeaderID // NoHeader: of no header
	Offset int      // in bits from the begin of the header; of metadata and intrinsics 0
	Bits   int
	// Slices are where it is, by Side, the lowest bits first; none on a side that does without it.
	Slices [2][]Slice
}

// Container is a container of the packet header vector.
type Container struct {
	Bits     int  // 8, 16 or 32
	Number   int  // among those of its size and kind, from 0
	Tagalong bool // parser and deparser alone reach it
}

// Slice is bits of a field in a container.
type Slice struct {
	Container
	Low  int // bit of the container where it begins
	From int // bit of the field, the lowest is 0
	Bits int
}

// Bit is one bit of a container.
type Bit struct {
	Container
	Low int
}

// Ref is a field that may depend on the copy of the table: copy i means field
// ID + i*Step.
type Ref struct {
	ID   FieldID // NoField: none
	Step int     // 0, or 1 where the program says [*]
}

// Of returns the field of a copy.
func (r Ref) Of(copy int) FieldID { return r.ID + FieldID(copy*r.Step) }

// OperandKind says what an operand is.
type OperandKind int

// The kinds of operand.
const (
	Const OperandKind = iota
	FromField
	FromParam
)

// Operand is a value that an operation reads.
type Operand struct {
	Kind  OperandKind
	Field Ref
	Param int    // number in Action.Params and in the arguments of an entry
	Const uint64 // fits Bits
	Bits  int    // of field or parameter; of a constant those of its partner
	From  int    // lowest bit, of a slice of a field
}

// Register is a register, or a group of Copies alike.
type Register struct {
	Name    string
	Vector  bool // the program gave copies: names are "name[0]" and so on
	Copies  int  // at least 1
	Size    int  // entries of each
	Bits    int  // of a lane: 8, 16 or 32
	Lanes   int
	Wide    bool // entries of 64 bits, declared so: the lanes are their lower and upper word
	Actions []ir.RegAction
	Side    Side
	Stages  []int // by copy, from 1; 0: no table uses it
}

// RegisterRef is what an action executes: copy i of the table works on copy
// First + i*Step of the register.
type RegisterRef struct {
	ID    RegisterID // NoRegister: none
	First int
	Step  int // 0, or 1 where the program says [*]
}

// Of returns the copy of the register that a copy of the table works on.
func (r RegisterRef) Of(copy int) int { return r.First + copy*r.Step }

// Table is a table, or a group of Copies alike, which have one set of entries.
type Table struct {
	Name    string
	Source  *ir.Table
	Side    Side
	Vector  bool // the program gave copies
	Copies  int  // at least 1
	Keys    []Key
	Ternary bool // one of its keys is
	Actions []Action
	Default int      // number in Actions; -1: nothing happens
	Args    []uint64 // of the default action
	Size    int      // entries there is room for, at least len(Entries)
	Entries []Entry  // from the start
	Const   bool
	Counter bool
	Stages  []int // by copy, from 1
}

// Key is a field that a table matches.
type Key struct {
	Field Ref
	Kind  ir.MatchKind
	Bits  int
}

// Entry is a row of a table.
type Entry struct {
	Pipe     int      // 0: every pipe; 1 to 4: that one
	Values   []uint64 // one a key; masked
	Masks    []uint64 // one a key, always there
	Priority int
	Action   int // number in Table.Actions
	Args     []uint64
}

// Action is an action as one table uses it.
type Action struct {
	Name   string
	Params []ir.Param
	Do     []Op
}

// Op is one operation. All operations of an action read what was before it.
type Op struct {
	Kind      ir.OpKind
	Dst       Ref      // NoField where there is none
	DstFrom   int      // lowest bit of Dst that is written: a Set may write a slice
	DstBits   int      // how many
	Header    HeaderID // of Validate and Remove
	A, B      Operand
	Register  RegisterRef // of Execute
	Run       int         // number in Register.Actions
	Index     Operand     // of as many bits as name an entry, at most; its Bits from IndexFrom on, where the field has more
	IndexFrom int
	In        []Operand
}

// Gress is one half of a pipe.
type Gress struct {
	Parser  []State // the first is the start; none: nothing is parsed, accept
	Control []Step  // evaluated in this order; the stages agree with it
	Deparse []HeaderID
	Depth   int // bytes that the longest way through the parser takes, with those before the packet
	Rows    int // of the parser's table

	least int // bytes of the shortest way
}

// State is a state of the parser.
type State struct {
	Name    string
	Extract []HeaderID
	Advance int // bytes skipped after that
	Select  []FieldID
	Cases   []Case
	Next    StateID // of what no case takes
}

// Case is one transition.
type Case struct {
	Values []uint64 // masked
	Masks  []uint64 // always there
	Next   StateID
}

// Step is one step of a control: a table, or a condition.
type Step struct {
	Apply TableID // NoTable: a condition
	If    *Cond
	Then  []Step
	Else  []Step
	Stage int // where the condition is decided, from 1; of a table see Table.Stages
}

// Cond is a condition: a header that is valid, or a relation, and And as well.
type Cond struct {
	Valid HeaderID // NoHeader: a relation
	Left  FieldID
	Op    ir.Relation
	Right Operand
	And   *Cond
}
