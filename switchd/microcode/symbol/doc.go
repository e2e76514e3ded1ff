// Package symbol finds what the names of a compiled program stand for: variables, tables,
// counters and records, by name, type and address. With it a control plane reads and
// writes a running program as its source does (trio §3.1: the binary that the control
// plane loads carries what it needs to know).
//
//	sram limits_t limits[16];     limits[3].burst    element, field
//	counter drops[2];             drops[1].packets
//	hash addr_t source_t sources; sources[10.1.0.2].seen    record of a key, field
//
// [Find] resolves such a text against the types of the program. A [Place] says where
// its bits are. [Parse] and [Format] turn text to the bits of a type and back.
//
// Registers and local memory are each thread's own: a control plane can name them, and see
// what they start with, and no more.
//
// Left out: pointers are not followed.
package symbol
