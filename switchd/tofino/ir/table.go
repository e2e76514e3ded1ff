package ir

// MatchKind says how a key is compared.
type MatchKind string

// The kinds of match.
const (
	Exact   MatchKind = "exact"   // by hash, in SRAM
	Ternary MatchKind = "ternary" // under masks, by priority, in TCAM
)

// Key is a field that a table matches.
type Key struct {
	Field string
	Kind  MatchKind // a table with one ternary key is ternary as a whole
}

// Table is a match-action table.
type Table struct {
	Name    string
	Copies  int      // n > 0: n tables alike, where [*] in names and registers stands for the number of the copy
	Keys    []Key    // none: the default action always
	Actions []string // that entries may name
	Default string   // of a packet that matches nothing; empty: nothing happens
	Args    []uint64 // of the default action
	Size    int      // entries that there is room for; 0: as many as Entries
	Entries []Entry  // that are there from the start
	Const   bool     // the control plane may not change it
	Counter bool     // packets and bytes of each entry
	Stage   int      // 1 to 12: this stage, counted from 1; 0: where it fits
	Stages  []int    // of a group: the same for each copy, in place of Stage
}

// Entry is a row of a table.
type Entry struct {
	Pipe     int // 0: in every pipe; 1 to 4: in that one
	Values   []uint64
	Masks    []uint64 // ternary; nil: all bits
	Priority int      // the lowest that matches counts, then the first
	Action   string
	Args     []uint64
}

// Action is a list of operations that happen at once: each reads what was before
// the action.
type Action struct {
	Name   string
	Params []Param
	Do     []Op
}

// Param is action data, kept with the entry.
type Param struct {
	Name string
	Bits int
}

// OpKind names an operation.
type OpKind string

// The operations of the action ALUs. A result is cut to the width of Dst, but for those
// that are saturated: they stop at the smallest and the largest number of that width.
const (
	Set          OpKind = "set"            // Dst = A; either may be a slice
	Add          OpKind = "add"            // Dst = A + B
	Sub          OpKind = "sub"            // Dst = A - B
	SatAdd       OpKind = "sat-add"        // Dst = A + B, saturated
	SatAddSigned OpKind = "sat-add-signed" // Dst = A + B, saturated, of numbers with a sign
	SatSub       OpKind = "sat-sub"        // Dst = A - B, saturated: not below 0
	SatSubSigned OpKind = "sat-sub-signed" // Dst = A - B, saturated, of numbers with a sign
	And          OpKind = "and"            // Dst = A & B
	Or           OpKind = "or"             // Dst = A | B
	Xor          OpKind = "xor"            // Dst = A ^ B
	AndNot       OpKind = "andnot"         // Dst = A &^ B
	Shl          OpKind = "shl"            // Dst = A << B, B constant
	Shr          OpKind = "shr"            // Dst = A >> B, B constant; zeros come in
	ShrSigned    OpKind = "shr-signed"     // Dst = A >> B, B constant; the sign comes in
	Min          OpKind = "min"            // Dst = min(A, B)
	Max          OpKind = "max"            // Dst = max(A, B)
	MinSigned    OpKind = "min-signed"     // Dst = min(A, B), of numbers with a sign
	MaxSigned    OpKind = "max-signed"     // Dst = max(A, B), of numbers with a sign
	Validate     OpKind = "validate"       // header Dst is valid; its fields are zero if it was not
	Remove       OpKind = "remove"         // header Dst is invalid
	Execute      OpKind = "execute"        // stateful ALU: Register, Run, Index, In; its output to Dst if that is named
	Concat       OpKind = "concat"         // Dst = fields of In, the most significant first; takes hash bits, as an identity hash
	Hash         OpKind = "hash"           // Dst = low bits of CRC-32 over In
	Random       OpKind = "random"         // Dst = random bits
)

// Op is one operation of an action.
type Op struct {
	Kind     OpKind
	Dst      string
	A, B     Operand
	Register string // of Execute: with [*] where the table has copies
	Run      string // register action
	Index    Operand
	// IndexBits is how many of the low bits of Index name the entry; 0: all. The hash
	// units that bring an index take any bits of a field.
	IndexBits int
	IndexFrom int       // the lowest of these bits; 0: that of Index
	In        []Operand // of Execute: at most two, 32 bits each; of Hash and Concat: any
}
