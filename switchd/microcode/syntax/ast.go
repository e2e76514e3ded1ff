package syntax

// A File is one source.
type File struct {
	Name  string
	Decls []Decl
}

// A Decl is *StructDecl, *VarDecl, *SharedDecl, *HashDecl, *FieldsDecl, *TableDecl, *EntryDecl or *Instr.
type Decl interface{ Position() Pos }

// A StructDecl is a header or record: members in the order of their bits, or,
// in a union, all from the first bit on.
type StructDecl struct {
	Pos
	Union   bool
	Name    string // empty inside a member
	Members []*Member
}

// A Member is one field. Exactly one of Width, Type and Body is set.
type Member struct {
	Pos   Pos
	Name  string      // empty: pad bits, or a struct whose members count as the parent's
	Width Expr        // name : width
	Type  *TypeRef    // type name
	Body  *StructDecl // struct { ... } name
	Len   Expr        // [n], nil without
}

// A TypeRef is the use of a type.
type TypeRef struct {
	Pos     Pos
	Name    string // empty: bits, written ":" or ": width"
	Width   Expr   // of bits; nil without
	Pointer bool
}

// A Storage says where a variable lives (trio §3.1, "Variable storage
// classes").
type Storage string

// The storage classes. Register, LMEM and Memory are the paper's memory class.
const (
	StorageNone     Storage = ""         // as written without a word
	StorageRegister Storage = "register" // general-purpose registers
	StorageLMEM     Storage = "lmem"     // local memory
	StorageMemory   Storage = "memory"   // the compiler chooses between the two
	StorageBus      Storage = "bus"      // a wire within one instruction
	StorageVirtual  Storage = "virtual"  // a constant of the compiler
	StorageConst    Storage = "const"    // a constant or a wire that is not assigned again
)

// A VarDecl declares a variable, a wire or a constant.
type VarDecl struct {
	Pos
	Export  bool // visible to the control plane
	Storage Storage
	Type    *TypeRef
	Name    string
	Len     Expr // [n], nil without
	At      Expr // @ place, nil without
	Init    Expr // nil without
}

// A SharedKind says what a named piece of shared memory is for.
type SharedKind string

// The kinds of shared memory.
const (
	SharedCounter SharedKind = "counter" // packet and byte counters, 16 bytes each
	SharedPolicer SharedKind = "policer" // policer records
	SharedSRAM    SharedKind = "sram"    // 8-byte words on the chip
	SharedDRAM    SharedKind = "dram"    // 8-byte words beside it
)

// A SharedDecl names shared memory; the name is its address.
type SharedDecl struct {
	Pos
	Kind SharedKind
	Type *TypeRef // of an element of sram or dram; nil: a word
	Name string
	Len  Expr // how many; nil is one
}

// A HashDecl says what records of the hash table hold. It takes no memory.
type HashDecl struct {
	Pos
	Key, Type *TypeRef
	Name      string
	Field     string // of the key, which has a value; empty: all keys that no declaration before it has
	At        Pos    // of Field
	Value     Expr
}

// A FieldsDecl names the fields that a hash or a filter takes.
type FieldsDecl struct {
	Pos
	Name string
	List []Expr
}

// A TableDecl declares a table that the control plane fills.
type TableDecl struct {
	Pos
	Filter bool // else a route table
	Name   string
	Len    Expr   // the most entries
	Fields string // of a filter: name of its list
	At     Pos    // of that name
}

// An EntryKind says what starts the threads of an entry.
type EntryKind string

// The kinds of entries.
const (
	EntryPacket     EntryKind = "packet"
	EntryTimer      EntryKind = "timer"
	EntryEvent      EntryKind = "event"      // of the control plane
	EntryStatistics EntryKind = "statistics" // of a counter
)

// An EntryDecl says where threads start.
type EntryDecl struct {
	Pos
	Kind  EntryKind
	Name  string // of the timer, event or counter; empty of packets
	Named Pos    // of Name
	Every Expr   // of a counter: at which multiples a thread starts
	Bytes bool   // of a counter: it is bytes that are counted, not packets
	Label string
	At    Pos // of the label
}

// A Label names an instruction.
type Label struct {
	Pos  Pos
	Name string
}

// An Instr is one instruction: what stands between begin and end.
type Instr struct {
	Pos        // of begin
	End    Pos // of end
	Labels []Label
	Body   []Stmt
}

// A Stmt is a statement of an instruction.
type Stmt interface{ Position() Pos }

// Statements. XTXNs with a reply stand on the right of an AssignStmt.
type (
	// A DeclStmt declares a wire or constant of this instruction.
	DeclStmt struct{ Var *VarDecl }
	// An AssignStmt stores the value of RHS. Op is "" or the operator of a
	// compound assignment.
	AssignStmt struct {
		Pos
		Op       string
		LHS, RHS Expr
	}
	// A CallStmt issues an XTXN without a reply.
	CallStmt struct {
		Pos
		Async bool
		Call  *CallExpr
	}
	// An IfStmt chooses one of two lists.
	IfStmt struct {
		Pos
		Cond Expr
		Then []Stmt
		Else []Stmt
	}
	// A SwitchStmt chooses by value.
	SwitchStmt struct {
		Pos
		Tag   Expr
		Cases []*Case
	}
	// A JumpStmt ends the instruction. Op is goto, call, return, exit or
	// break; Label is empty but for goto and call.
	JumpStmt struct {
		Pos
		Op    string
		Label string
	}
)

// A Case is one arm of a switch; without values it is the default.
type Case struct {
	Pos    Pos
	Values []Expr
	Body   []Stmt
}

// An Expr is an expression.
type Expr interface{ Position() Pos }

// Expressions.
type (
	// A Name is a variable, constant or label.
	Name struct {
		Pos
		Text string
	}
	// A Number is a literal; true and false are 1 and 0 with Bool set.
	Number struct {
		Pos
		Value uint64
		Bool  bool
	}
	// A Unary is - ~ ! & (address of) or * (what a pointer points to).
	Unary struct {
		Pos
		Op string
		X  Expr
	}
	// A Binary is an operator between two values.
	Binary struct {
		Pos  // of the operator
		Op   string
		X, Y Expr
	}
	// A Conditional is If ? Then : Else.
	Conditional struct {
		Pos
		If, Then, Else Expr
	}
	// A Selector is X.Name, or X->Name with Arrow set.
	Selector struct {
		Pos   // of the name
		X     Expr
		Arrow bool
		Name  string
	}
	// An Index is X[I].
	Index struct {
		Pos
		X, I Expr
	}
	// A Slice is the bits X[Hi:Lo], both included, bit 0 the lowest.
	Slice struct {
		Pos
		X      Expr
		Hi, Lo Expr
	}
	// A CallExpr is an XTXN.
	CallExpr struct {
		Pos
		Name string
		Args []Expr
	}
	// A Cast is (type *)X.
	Cast struct {
		Pos
		Type string
		X    Expr
	}
	// A Sizeof is the size of a type or of a variable, in bytes.
	Sizeof struct {
		Pos
		X Expr // a *Name may be a type
	}
	// An Offsetof is the offset of a member within a type, in bytes.
	Offsetof struct {
		Pos
		Type string
		Path []string
	}
)

// Position returns where the node starts, for errors.
func (s *DeclStmt) Position() Pos { return s.Var.Pos }
