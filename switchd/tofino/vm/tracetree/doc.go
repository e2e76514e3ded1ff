// Package tracetree takes packets through the controls of package vm by trace trees (Gal and
// Franz, "Incremental Dynamic Code Generation with Trace Trees", 2006). It does the same as
// [vm.Pass.RunFrom], faster, and tests hold both equal.
//
// Packets take few paths through a control. A [Runner] keeps those that it has seen as two
// trees, one a side. A path begins at a root: the headers that the parser found and the cases
// that it took. From there on much is known: metadata is 0, actions set constants, a row that
// matched had certain keys. Known values are evaluated once, when the path is recorded. Left
// are steps, and guards: questions that only the packet can answer. A new answer records a
// branch.
//
//	control    start --> table a (eth.type) --> if meta.n == 1 --> table b (meta.n)
//	tree       eth.type is 0x800? --yes--> action of a, of b --> end
//	                              --no---> (recorded when a packet comes to it)
//
// Recording takes far longer than a pass, so a tree avoids many branches. A large table that
// only writes fields is looked up as in package vm. Behind a table whose copies match each for
// itself and change headers, package vm runs the rest of the control.
//
// A constant that goes to metadata is not written before a step reads it, and not at all where none does (unwritten.go).
//
// A tree is discarded when an entry changes, and when it grows too large. Registers, random
// numbers and the chip's inputs of a pass, except the pipe's number, are never taken as known.
//
// A [vm.Group] goes through a tree step by step, all packets before the next step (group.go).
//
// All copies of a table may be one operation on the words of a vector (vector.go); where each
// matches for itself by a value of an array, those in a row that match the same are (copies.go).
// Where the stateful ALU compares with a constant, and that holds for a copy, package vm does it.
package tracetree
