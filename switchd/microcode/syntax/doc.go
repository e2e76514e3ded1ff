// Package syntax reads Microcode, the C-like language of the Trio packet processing engines
// (trio §3), into a tree with positions.
//
//	source ──lexer──> tokens ──Parse──> *File ──check──> isa.Program
//
// docs/microcode.md has the grammar in EBNF, and each parse function its production. A file
// is a flat list of declarations: headers (struct, union), variables with a storage class,
// names of shared memory (counter, policer, sram, dram), entries, and instructions.
//
// Parse knows no names and no types. It takes any bytes and stops at the first error. Size,
// nesting and the size of one expression are bounded (MaxSource, MaxNesting, MaxExpr), so
// that no reader of the tree runs out of stack.
//
// Left out: a preprocessor and include files. The paper's compiler also needs the complete
// source (trio §3.1, "Compiler").
package syntax
