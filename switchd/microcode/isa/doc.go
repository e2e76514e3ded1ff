// Package isa is compiled Microcode: a [Program] of instructions as plain data, and the
// limits of the processing engine that runs them (trio §2.2, §3.1).
//
//	           registers 32 x 64 bits     LMEM 1280 bytes
//	                   |  bit-fields of 1..32 bits  |
//	                   v                            v
//	Wires    w0 = operand op operand ...       (buses; Condition ALUs)
//	Issue    XTXN(arguments) -> place for the reply   (at most one)
//	Next     when condition: goto | call | return | exit
//	Moves    place = value                     (Move ALUs; done last)
//
// One instruction is one such group. It reads registers and LMEM as they were before it;
// only wires carry values within it. In order:
//
//  1. Every wire is evaluated; a wire may use wires before it.
//  2. The first Issue whose condition holds has its arguments and the address of its reply
//     evaluated.
//  3. The first Branch whose condition holds gives the next instruction.
//  4. Every Move whose condition holds has its source and the address of its destination
//     evaluated. A bit-field outside LMEM, in any step so far, ends the thread before the
//     instruction has changed anything.
//  5. The moves are done in order. Then the XTXN is issued, whose buffer in LMEM has their
//     results. A synchronous XTXN is waited for and its reply is stored.
//
// Values are unsigned; ALU results have 32 bits and wrap around. Bit 0 of a register or of
// LMEM is the most significant bit of its first byte, as in packet headers.
//
// Left out: the binary encoding of instructions, which no source describes.
package isa
