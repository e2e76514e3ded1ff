package isa

import "fmt"

// What one thread has.
const (
	Registers    = 32            // general-purpose registers of a thread (trio §2.2)
	RegisterBits = 64            // bits of a register (trio §2.2)
	LMEMBytes    = 1280          // local memory of a thread, 1.25 KB (trio §2.2)
	LMEMBits     = LMEMBytes * 8 //
	FieldBits    = 32            // widest ALU operand and result (trio §2.2)
	CallDepth    = 8             // nested calls (trio §2.2)
)

// What one instruction may use.
const (
	MaxReads      = 4 // register operands read, or twice the LMEM operands (trio §3.1)
	MaxLMEMReads  = 2 // LMEM operands read (trio §3.1)
	MaxWrites     = 2 // registers or LMEM fields written (trio §3.1)
	MaxTargets    = 8 // micro-instructions of a target block (trio §2.2)
	MaxConditions = 4 // Condition ALUs; assumed: as many as register operands that can feed them
	MaxMoveALUs   = 2 // Move ALUs; assumed: as many as writes

	// LMEMReadCost is what one LMEM operand takes of MaxReads: four registers
	// or two LMEM operands can be read (trio §3.1), so, assumed, a mixture costs
	// in the same proportion.
	LMEMReadCost = MaxReads / MaxLMEMReads
)

// What bounds a program as data; no limits of the chip.
const (
	MaxWires    = 31      // wires of one instruction
	MaxMoves    = 32      // moves of one instruction, those of exclusive conditions included
	MaxBranches = 64      // branches of one instruction; several may share a target
	MaxDepth    = 512     // operations of one instruction that take each other's results, wires put in
	MaxProgram  = 1 << 16 // instructions; assumed, no source gives the size of the Microcode memory
)

// Where things are in LMEM and in shared memory.
const (
	// HeadStart is the LMEM byte where the Ethernet header of a packet is put.
	// Assumed: 64 bytes are free before it for headers to be prepended, and two
	// more align the gradients of a Trio-ML packet, 54 bytes on, to 8 bytes.
	HeadStart = HeadRoom + 2
	// HeadRoom is how many bytes of headers can be pushed before the head as it came.
	HeadRoom = 64
	// HeadBytes is the most of a packet that is put into LMEM: an Ethernet
	// header and 192 bytes from the IP header on (trio §4).
	HeadBytes = 14 + 192
	// WorkRegister is the register that the machine fills before a thread
	// starts, from its most significant bit on. A packet's thread finds the
	// bytes of the packet (16 bits), those of them in LMEM (16) and the port it
	// came in by (32); a timer's thread the part of the table that is its own
	// (16), the number of parts (16) and the number of its run (32); one of an event
	// the number of its run (32) and what the control plane has given it (32); one of a
	// counter the number of the element (32) and which multiple it has reached (32). Assumed.
	WorkRegister = 0
	// HashRecords is the shared memory address, in words of 8 bytes, of the first
	// record of the hash table; they stand one behind the other, of 64 bytes each.
	// Assumed: a place of their own, so that a program can number the records.
	HashRecords = 1 << 23
	// HashRecordBytes is the size of a record of the hash table. Assumed: as many as an
	// XTXN moves at most (trio §2.3).
	HashRecordBytes = 64
	// DRAMStart is the shared memory address from which on memory is off-chip
	// DRAM; below HashRecords it is on-chip SRAM. Both are ranges of one address
	// space (trio §2.3); where they meet is assumed.
	DRAMStart = 1 << 24
	// WordBytes is the unit of shared memory addresses (trio §3.2: counters of
	// 16 bytes are 2 apart).
	WordBytes = 8
)

// What one MemAdd32 takes, in bytes.
const (
	// AddBytes is the width of the machine's add: one 32-bit number (trio §2.3
	// lists "32-bit add" among the read-modify-write operations). Other readings
	// (trio.add-width) are a word of memory, 8 bytes, which is what an engine takes
	// in a clock, and 64, the most that a read or a write takes. See [Machine].
	AddBytes = 4
	// MaxAddBytes is the widest reading: that of the largest read (trio §2.3).
	MaxAddBytes = 64
)

// A Limited is something of which an instruction has no more than a few.
type Limited uint8

// What is limited.
const (
	LimitedLMEMReads Limited = iota + 1
	LimitedReads             // of registers, and of LMEM, which counts twice
	LimitedWrites
	LimitedConditions
	LimitedMoves
	LimitedTargets
)

func (l Limited) String() string {
	return nameOf(l, "?", "LMEM reads", "register reads", "writes", "Condition ALUs", "Move ALUs", "branch targets")
}

// nameOf returns the name of a number, the first one for a number without a name.
func nameOf[N ~uint8](n N, names ...string) string {
	if int(n) >= len(names) {
		n = 0
	}
	return names[n]
}

// A Rule is a limit of one instruction with its source.
type Rule struct {
	Of     Limited
	Text   string // such as "an instruction reads at most 2 LMEM operands"
	Source string // paper section, or "assumed: ..." with the reason
	used   func(Resources) int
	max    int
}

// An Excess is a rule that an instruction breaks.
type Excess struct {
	Rule Rule
	Used int // in the unit of the rule
	Max  int
}

// Need returns what is too much, such as "needs 3 LMEM reads, there are 2".
func (e Excess) Need() string {
	return fmt.Sprintf("needs %d %s, there are %d", e.Used, e.Rule.Of, e.Max)
}

func (e Excess) String() string {
	return fmt.Sprintf("%s (rule: %s; %s)", e.Need(), e.Rule.Text, e.Rule.Source)
}

// rules are checked in this order.
var rules = []Rule{
	{LimitedLMEMReads, "an instruction reads at most 2 LMEM operands", "trio §3.1",
		func(r Resources) int { return r.LMEMReads }, MaxLMEMReads},
	{LimitedReads, "an instruction reads at most 4 registers; each LMEM operand takes the place of 2", "trio §3.1; the mixture is assumed",
		func(r Resources) int { return r.RegisterReads + LMEMReadCost*r.LMEMReads }, MaxReads},
	{LimitedWrites, "an instruction writes at most 2 registers or LMEM fields", "trio §3.1",
		func(r Resources) int { return r.RegisterWrites + r.LMEMWrites }, MaxWrites},
	{LimitedConditions, "an instruction has at most 4 operations for its Condition ALUs", "assumed: one for each register operand",
		func(r Resources) int { return r.Conditions }, MaxConditions},
	{LimitedMoves, "an instruction has at most 2 results for its Move ALUs", "assumed: one for each write",
		func(r Resources) int { return r.MoveALUs }, MaxMoveALUs},
	{LimitedTargets, "an instruction has at most 8 branch targets", "trio §2.2",
		func(r Resources) int { return r.Targets }, MaxTargets},
}

// implied says which broken rule makes it needless to report another: a fix of the one
// is also a fix of the other.
var implied = map[Limited]Limited{LimitedReads: LimitedLMEMReads, LimitedMoves: LimitedWrites}

// Over returns the rules that an instruction with these resources breaks, but for
// those that another one implies.
func (r Resources) Over() []Excess {
	var out []Excess
	broken := map[Limited]bool{}
	for _, rule := range rules {
		n := rule.used(r)
		if n <= rule.max {
			continue
		}
		broken[rule.Of] = true
		if !broken[implied[rule.Of]] {
			out = append(out, Excess{rule, n, rule.max})
		}
	}
	return out
}
