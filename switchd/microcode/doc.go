// Package microcode compiles Microcode, the language in which packet processing
// engines of Trio are programmed (trio §3), for the emulated engine.
//
//	source --syntax--> tree --check--> isa.Program --> vm, inalab microcode dump
//
// docs/microcode.md is the reference of the language. The engine itself is
// switchd/trio; it runs the program one thread per packet.
package microcode
