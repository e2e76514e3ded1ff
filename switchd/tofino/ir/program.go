package ir

// Program runs in every pipe of a chip; pipes differ by the entries of their tables.
type Program struct {
	Name      string
	Headers   []Header
	Metadata  []Field  // "meta.*"; zero at the start of a pass
	Bridged   []string // metadata that goes from ingress to egress with the packet
	Registers []Register
	Actions   []Action
	Tables    []Table
	Ingress   Gress
	Egress    Gress
}

// Header is a header type and its one instance; a packet has it when it is valid.
type Header struct {
	Name   string
	Fields []Field
}

// Field is a bit field in network order, or an array of such.
type Field struct {
	Name  string
	Bits  int // 1 to 64; what takes part in arithmetic has at most 32
	Count int // elements of an array; 0: no array
}

// Gress is one of the two halves of a pipe: parser, control, deparser.
type Gress struct {
	Parser  []State // the first is the start
	Control []Step
	Deparse []string // headers in the order in which those that are valid are written, before the rest of the packet
	// Checksums are fields that the deparser fills in where their header is valid: the
	// Internet checksum (RFC 1071) over that header, the field itself as zero.
	Checksums []string
}

// State is a state of the parser: it extracts headers, then selects.
type State struct {
	Name    string
	Extract []string // headers, which become valid
	Advance int      // bytes skipped after that, lost to the deparser
	Select  []string // fields, extracted already or intrinsic
	Cases   []Case   // first match counts
	Next    string   // otherwise; Accept, Reject or a state; empty: Reject
}

// Case is one transition: the selected fields equal Values under Masks.
type Case struct {
	Values []uint64
	Masks  []uint64 // nil: all bits
	Next   string
}

// Ends of a parser. A rejected packet is a counted drop.
const (
	Accept = "accept"
	Reject = "reject"
)

// Step is one of: apply a table, or a condition with two branches.
type Step struct {
	Apply string // table
	If    *Cond  // where Apply is empty
	Then  []Step
	Else  []Step
}

// Cond is what a gateway can decide.
type Cond struct {
	Valid string // header; or:
	Left  string // field
	Op    Relation
	Right Operand // field or constant
	And   *Cond   // and this as well
}

// Relation compares two values of one width.
type Relation string

// The relations; those of order are unsigned unless they say signed.
const (
	Equal         Relation = "=="
	NotEqual      Relation = "!="
	Less          Relation = "<"
	LessSigned    Relation = "s<"
	Greater       Relation = ">"
	GreaterSigned Relation = "s>"
)

// Operand is a field, a parameter of the action, or a constant.
type Operand struct {
	Field string
	Param string
	Const uint64 // where both are empty
}

// F returns the operand that reads a field.
func F(field string) Operand { return Operand{Field: field} }

// P returns the operand that reads a parameter of the action.
func P(param string) Operand { return Operand{Param: param} }

// C returns a constant operand.
func C(value uint64) Operand { return Operand{Const: value} }
