// Package check turns the tree of a Microcode source into a program for the
// engine, or says why it cannot. It is the Trio compiler's middle and back end
// (trio §3.1, "Compiler"): it maps variables to storage, and what stands
// between begin and end to the resources of one instruction; what does not fit
// one instruction is refused, never spread over two.
//
//	*syntax.File
//	    | types      layout of structs and unions, bit by bit
//	    | names      constants, variables in registers and LMEM, shared memory
//	    | statements each instruction to wires, moves, XTXNs and branches
//	    | limits     isa.Resources against the rules, each with its source
//	    | flow       calls without recursion, at most eight deep
//	    v
//	isa.Program
//
// Errors carry the place, the rule and where the rule comes from; the first ten
// are reported. A source that passes gives a program that isa.Program.Validate
// accepts. The language is described in docs/microcode.md.
//
// Left out: moving code between instructions, sharing one register between
// variables, and any optimisation beyond constants and wires that are used once.
package check
