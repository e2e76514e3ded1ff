// Package fit decides whether a program fits an emulated Tofino, and places it. It is the
// part of a compiler that refuses.
//
//	            names, widths      register and       PHV         dependencies
//	ir.Program ---------------> ALU limits, parser --------> containers --------> 12 stages
//	                 |                |                          |                   |
//	                 +----------------+---- refusals ------------+-------------------+--> *Program
//
// [Place] returns a [Program], in which every name is a number and every table has its stage,
// or an error that joins all refusals. Limits and their sources are in limits.go.
//
// Ingress and egress of a pipe share its 12 stages, their memories and the containers. Tables
// keep the program's order where it matters:
//
//   - A field that a table matches or its actions read or write, or that decides a
//     condition around it, was written in an earlier stage.
//   - Earlier tables may read a field in the stage in which it is written, not later.
//   - Tables in the two branches of one condition do not see each other.
//   - Tables that execute one register are in one stage, and only one of them may run in a
//     pass: they are in different branches of a condition.
//
// A condition is decided once, in the stage of its first table or before. Tables go to the
// earliest stage with room, those that can wait least first. Nothing is taken back, so a
// program that needs a clever arrangement may be refused; Table.Stage pins a table, Table.Stages its copies.
//
// A header is cut into containers of 8, 16 and 32 bits along its bytes. A field of an
// addition, subtraction, shift, minimum or maximum has a container of its own width; a
// field that is compared by order is within one. Metadata fields share no container. A slice
// can be set and copied, no more.
//
// A state of a parser is a chain of rows: each takes bytes from a window of 32 into four
// containers of each size. An egress parser goes 65 to 160 bytes deep, from the first that it
// gets: several packets are parsed at once, and one that ends early skips bytes.
//
// Left out: tables over several stages; shared containers of fields that are never live
// together; tagalong containers; registers of 1 bit, the math unit of a stateful ALU, and the
// bitwise operations but those of package ir; conditional moves and funnel shifts; what a
// constant takes that is too large for an instruction word; of parsers match registers that are
// loaded a row before, lookahead, the counter and checksums. Accepted though hardware often
// refuses it: different operations of a stage on two fields of one container, any order
// comparison of a gateway, two actions that share a row of instruction memory and write the same
// container, and random bytes beside all of a table's immediate action data.
package fit
