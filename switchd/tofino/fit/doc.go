// Package fit decides whether a program fits an emulated Tofino, and where
// everything goes. It is the part of a compiler that says no.
//
//	            names, widths      register and       PHV         dependencies
//	ir.Program ---------------> ALU limits, parser --------> containers --------> 12 stages
//	                 |                |                          |                   |
//	                 +----------------+---- refusals ------------+-------------------+--> *Program
//
// [Place] returns a [Program], in which every name is a number and every table has
// its stage, or an error that joins all refusals. A [Refusal] has a rule with a
// stable name, what breaks it, where, where the limit comes from, and what to do.
// Every limit is a constant of limits.go.
//
// # Stages
//
// Ingress and egress of a pipe share its 12 stages, their memories and the
// containers. Tables keep the program's order where it matters:
//
//   - What a table matches, what decides a condition around it, what its actions
//     read and what they write must have been written in an earlier stage.
//   - What it writes may be read by earlier tables in the same stage at the latest.
//   - Tables in the two branches of one condition do not see each other.
//   - Tables that execute one register are in one stage, and of several only one
//     may run in a pass: they must be in different branches of a condition, or be one table.
//
// A condition is a gateway: it is decided once, in the stage of its first table or
// before, and its result travels with the packet.
//
// Tables go to the earliest stage with room; where several could, the one that
// can wait least goes first, then the one that stands first in the program.
// Nothing is taken back, so a program that fits only by a clever arrangement may be
// refused; Table.Stage pins a table where its author knows better.
//
// # Containers
//
// A header is cut into containers of 8, 16 and 32 bits along its bytes. A field that
// is added, subtracted, shifted, or of which the smaller or larger is taken, has a
// container of its own and just as wide; a field whose order is compared lies within
// one. Everything else may be cut: moves, bitwise operations, matches and the stateful
// ALUs take it in parts. Metadata fields share no container.
//
// # Registers
//
// A stateful ALU has words of 8, 16 or 32 bits, one or a pair. A register of 64 bits
// (one lane) becomes pairs of 32, with as much SRAM, and its actions updates of both
// words: it can be set whole, to both inputs, to the first or to a constant, where both inputs are two fields or
// one of more than 32 bits. Its words are Lo and Hi, to be compared, updated and put out
// as any. Refused (rule salu-wide) is what would take a carry, a comparison or an output
// of 64 bits.
//
// # Left out
//
// A table is in one stage; hardware can spread a big one over several. Fields
// that are never live together could share containers, and fields nothing reads
// could go beside the PHV (tagalong containers); here they do not. That two
// fields in one container are written by different operations of a stage, which
// hardware often refuses, is allowed. An order comparison of a gateway is taken as
// given; hardware makes some of them of a subtraction and a match.
package fit
