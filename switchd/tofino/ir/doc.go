// Package ir is the form of a program for an emulated Tofino: headers, a parser,
// actions as small instruction lists, match-action tables, registers with
// stateful-ALU actions, and a control flow over them, as plain data.
//
//	source (Go builder, later P4-16 for TNA) --> ir.Program --fit--> placed program --vm--> passes
//
// Nothing is resolved here: things name each other by strings, so that an error
// can say what its reader wrote, and a front end for P4 has nothing to translate
// but syntax. What a name may be:
//
//	"ipv4.ttl"  field of a header        "d0.v[3]"  element of a field that is an array
//	"meta.idx"  user metadata            "d0.v[*]"  element number of this copy (see Table.Copies)
//	"ipv4.tos[7:2]"  slice: bits 7 to 2 of a field, 0 the lowest; of Set alone, also "d0.v[3][7:0]"
//	"ig.port"   intrinsic metadata of the ingress, "eg.rid" of the egress (see Intrinsics)
//
// The model is the Tofino Native Architecture as far as its limits are public; package
// fit holds every limit with its source.
package ir
