// Package fit decides whether a program fits an emulated Tofino, and places it. It is the
// part of a compiler that refuses.
//
//	            names, widths     register and        dependencies        PHV
//	ir.Program ---------------> ALU limits, parser --------> 12 stages --------> containers
//	                 |                |                          |                   |
//	                 +----------------+---- refusals ------------+-------------------+--> *Program
//
// [Place] returns a [Program], in which every name is a number, every table has its stage and
// every field its containers, or an error that joins all refusals. Limits and their sources are in
// limits.go, those of parsers and containers in extract.go, parserlimits.go and pool.go.
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
// Containers come last, when the stages are known. They are in groups of 16: one group of each
// size is the ingress's, one the egress's, the others are for either (pool.go). What an instruction
// of an ALU reads and writes is in one group, and so of one size. A header is cut into containers
// along its bytes (cut.go, linked.go). A field of an addition, subtraction, shift, minimum or
// maximum has a container of its own, of a header one of its own width; a field that is compared by
// order is within one. Bytes that no table touches go to tagalong containers, as long as there are
// some (loose.go). A slice can be set and copied, no more.
//
// Fields of metadata share a container where no packet needs both at once (live.go, share.go):
// the last use of one is before the stage of the first of the other, or they are used in two
// branches of a condition. A field that is read where some way has not written it relies on the
// zeros that a pass begins with, and is in use from there on. Small fields lie side by side where
// one table in a stage writes them. Headers share containers that never come together, if tables
// touch each only inside a condition that it is valid.
//
// A state of a parser is a chain of rows: each takes bytes from a window of 32 into four
// containers of each size. An egress parser goes 65 to 160 bytes deep, from the first that it
// gets: several packets are parsed at once, and one that ends early skips bytes.
//
// Left out: tables over several stages, a table applied in two branches, OR in gateways, additions
// wider than 32 bits, indexed counters, a choice of hash functions; registers of 1 bit, the math
// unit of a stateful ALU, meters, and the bitwise operations but those of package ir; conditional
// moves and funnel shifts; what a constant takes that is too large for an instruction word; the
// action data bus, hash groups and ways, groups of the exact crossbar, the field dictionary of a
// deparser; of parsers match registers that are loaded a row before, lookahead, the counter and
// checksums; metadata that is zeroed before its first use so that it can share a container; most
// metadata of the egress.
//
// Accepted though hardware often refuses it: in a container of several fields of a header,
// different operations of a stage, or more than two sources of one action; bitwise operations on a
// part of a container; any order comparison of a gateway; two actions that share a row of
// instruction memory and write the same container; random bytes beside all of a table's immediate
// action data. Random bytes are a sum of the stage: no table is given one of its two generators.
// Fields that tell the traffic manager something have containers of their own.
package fit
