// Package check turns the tree of a Microcode source into a program for the engine, or says
// why it cannot. It is the middle and back end of the Trio compiler (trio §3.1, "Compiler"):
// it maps variables to storage, and the text between begin and end to the resources of one
// instruction. It refuses what does not fit one instruction, and never spreads it over two.
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
// Errors carry the place, the rule and the rule's source; the first ten are reported.
// isa.Program.Validate accepts the program of every source that passes.
//
// Left out: moving code between instructions, sharing a register between variables, and
// optimisation beyond constants and wires that are used once.
package check
