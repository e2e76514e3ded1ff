package ir

// Register is an array in the SRAM of one stage, with the stateful ALU that works
// on it. A packet accesses one entry once in a pass.
//
// The stateful ALU works on words of up to 32 bits. An entry of 64 bits is one number
// for those who read and write it, but a pair for the ALU, which carries nothing from
// one half to the other: such a register has Bits 64 and Lanes 1, Lo and Hi are the lower and upper
// word, and the whole can be set, no more.
type Register struct {
	Name    string
	Copies  int // n > 0: n registers alike, "name[0]" to "name[n-1]"
	Size    int // entries
	Bits    int // of a lane: 8, 16 or 32; 64 with one lane
	Lanes   int // 1, or 2: entries are pairs, and Lo and Hi their halves
	Actions []RegAction
}

// RegAction is a program of the stateful ALU: two comparisons, then for each lane at
// most two guarded updates of which the first whose guard holds is done, and one output.
// Comparisons, updates and the output read the entry as it was, unless they say New.
type RegAction struct {
	Name string
	A, B *Compare // the two comparators; nil: false
	Lo   []Update
	Hi   []Update
	All  []Update // of an entry of 64 bits, in place of Lo and Hi: only Set
	Out  []Output // the first whose guard holds; none: 0
}

// Compare is Left - Right - Const related to 0. What is equal, and an order with a sign, are
// of the difference at the lane's width, which wraps; an order without one is of numbers that
// do not wrap.
type Compare struct {
	Left  Term
	Right Term // empty: 0
	Const int64
	Op    Relation
}

// Term is what a stateful ALU reads.
type Term string

// The terms.
const (
	Nothing Term = ""
	Lo      Term = "lo"     // lower half as it was
	Hi      Term = "hi"     // upper half as it was
	NewLo   Term = "new-lo" // as it is now; of an output only
	NewHi   Term = "new-hi"
	In0     Term = "in0" // first input
	In1     Term = "in1" // second input
	Zero    Term = "zero"
	One     Term = "one"
	Imm     Term = "imm" // the constant beside it

	Both  Term = "both"  // 64 bits of input: the second above the first, or one field; of All only
	Whole Term = "whole" // the entry of 64 bits; no stateful ALU reads it
)

// Guard says for which results of the comparators something is done: bit 0 for
// neither, 1 for A alone, 2 for B alone, 3 for both. Always is 15.
type Guard uint8

// Some guards.
const (
	Always Guard = 0b1111
	IfA    Guard = 0b1010
	IfNotA Guard = 0b0101
	IfBoth Guard = 0b1000
)

// Update is what becomes of a lane: Op of X and Y, Set of X alone.
type Update struct {
	If   Guard
	Op   OpKind // Set, or of the action ALUs any but shifts
	X, Y Term
	Imm  int64 // where a term is Imm
}

// Output is what goes to the packet.
type Output struct {
	If    Guard
	Value Term
	Imm   int64
}

// Intrinsics are the fields that the chip itself reads and writes, with their bits.
// Those of the ingress that the program sets tell the traffic manager what to do.
var Intrinsics = []Field{
	{Name: "ig.port", Bits: 9},          // that the packet came by
	{Name: "ig.pipe", Bits: 2},          // of that port
	{Name: "ig.time", Bits: 48},         // of arrival, ns
	{Name: "ig.bytes", Bits: 16},        // of the packet
	{Name: "ig.resubmitted", Bits: 1},   // it has been here before, unchanged
	{Name: "ig.egress_port", Bits: 9},   // set: unicast
	{Name: "ig.unicast", Bits: 1},       // set with egress_port
	{Name: "ig.mcast", Bits: 16},        // set: multicast group, 0 is one
	{Name: "ig.multicast", Bits: 1},     // set with mcast
	{Name: "ig.rid", Bits: 16},          // set: exclusion id; a copy to a node of that id is pruned
	{Name: "ig.xid", Bits: 16},          // set: likewise for ports (level 2)
	{Name: "ig.qid", Bits: 5},           // set: queue at the port
	{Name: "ig.drop", Bits: 3},          // set: bit 0, drop
	{Name: "ig.resubmit", Bits: 1},      // set: once more through the ingress, unchanged but for meta.resubmit; once, not from quads 16 and 17
	{Name: "ig.mirror", Bits: 10},       // set: session of a copy, not 0
	{Name: "ig.bypass_egress", Bits: 1}, // set: skip the egress pipeline
	{Name: "eg.port", Bits: 9},          // that the packet will leave by
	{Name: "eg.rid", Bits: 16},          // of the multicast node that made this copy
	{Name: "eg.copy", Bits: 1},          // it is of a multicast
	{Name: "eg.mirrored", Bits: 10},     // session, if it is a mirrored copy
	{Name: "eg.enq_depth", Bits: 19},    // of its queue when it came, cells of 80 bytes
	{Name: "eg.drop", Bits: 3},          // set: bit 0, drop
}
