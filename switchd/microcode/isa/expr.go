package isa

// An Expr is a value within an instruction: Const, Reg, LMEM, Wire, Unary,
// Binary, Select or Pair. They are comparable: equal values are one operand.
type Expr interface {
	String() string
	expr()
}

// A Place is what can be written: Reg or LMEM.
type Place interface {
	Expr
	place()
}

type (
	// A Const is a constant of at most 32 bits; of 64 as the argument of an XTXN.
	Const uint64
	// A Wire is the value of an earlier wire of the same instruction.
	Wire int
	// A Reg is a bit-field of a register. Its width is 1 to 32, and up to 64
	// as an argument or the place of a reply of an XTXN.
	Reg struct {
		Num   uint8 // 0 to 31
		Bit   uint8 // bits from the most significant bit of the register
		Width uint8 // bits
	}
	// An LMEM is a bit-field of local memory, of 1 to 32 bits, and of up to 64
	// as an argument or the place of a reply of an XTXN.
	LMEM struct {
		Base  Expr  // byte address to which Bit is added, usually a pointer register; nil is 0
		Bit   int32 // bits from there, 8 x bytes + bits; may be negative with a Base
		Width uint8 // bits
	}
	// A Unary is an operation on one value.
	Unary struct {
		Op Op
		X  Expr
	}
	// A Binary is an operation on two values.
	Binary struct {
		Op   Op
		X, Y Expr
	}
	// A Select is Then if If is not 0, and Else otherwise.
	Select struct{ If, Then, Else Expr }
	// A Pair is 64 bits made of two values of 32, only as an argument of an XTXN.
	Pair struct{ Hi, Lo Expr }
)

// WholeReg is all 64 bits of a register.
func WholeReg(num uint8) Reg { return Reg{num, 0, RegisterBits} }

// LowReg is the lower 32 bits of a register.
func LowReg(num uint8) Reg { return Reg{num, RegisterBits - FieldBits, FieldBits} }

// Bytes is the field of n bytes (1, 2 or 4) at a byte address of LMEM.
func Bytes(addr, n int) LMEM { return LMEM{nil, int32(addr * 8), uint8(n * 8)} }

func (Const) expr()  {}
func (Wire) expr()   {}
func (Reg) expr()    {}
func (LMEM) expr()   {}
func (Unary) expr()  {}
func (Binary) expr() {}
func (Select) expr() {}
func (Pair) expr()   {}
func (Reg) place()   {}
func (LMEM) place()  {}

// An Op is an operation of an ALU, or of the logic that combines conditions.
type Op uint8

// Operations. The logical ones take any value but 0 for true.
const (
	Add Op = iota + 1
	Sub
	And
	Or
	Xor
	ShiftLeft  // by 32 and more gives 0
	ShiftRight // by 32 and more gives 0; fills with 0
	Equal
	NotEqual
	Less // comparisons are unsigned
	LessEqual
	Greater
	GreaterEqual
	LogicalAnd // 0 or 1; Y is evaluated only if X is not 0
	LogicalOr  // 0 or 1; Y is evaluated only if X is 0
	Not        // unary: all bits inverted
	Negate     // unary: two's complement
	LogicalNot // unary: 1 for 0, else 0
	endOfOps
)

var opText = [endOfOps]string{
	"?", "+", "-", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "~", "-", "!",
}

func (o Op) String() string { return nameOf(o, opText[:]...) }

func (o Op) unary() bool  { return o >= Not && o < endOfOps }
func (o Op) binary() bool { return o >= Add && o < Not }

// combines reports whether the sequencing logic does the operation on
// conditions, without an ALU (trio §2.2: the combination of condition results
// is highly flexible).
func (o Op) combines() bool { return o == LogicalAnd || o == LogicalOr || o == LogicalNot }
