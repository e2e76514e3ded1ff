// Package syntax reads Microcode, the C-like language of the Trio packet
// processing engines (trio §3), into a tree with positions.
//
//	source ──lexer──> tokens ──Parse──> *File ──check──> isa.Program
//
// The grammar stands in docs/microcode.md in EBNF; each parse function here
// carries the production it reads. A file is a flat list of declarations:
// headers (struct, union), variables with a storage class, names of shared
// memory (counter, policer, sram, dram), entries, and instructions. An
// instruction is what stands between begin and end (trio §3.1, "Instruction
// boundary").
//
// Parse knows no names and no types: it builds the tree of any text that
// follows the grammar and stops at the first place that does not. It takes any
// bytes: the size of a source, the nesting and the size of one expression are
// bounded (MaxSource, MaxNesting, MaxExpr), so that neither Parse nor what
// walks the tree afterwards can run out of stack.
//
// Left out: a preprocessor and include files. The paper's compiler wants the
// complete source too (trio §3.1, "Compiler").
package syntax
