// Package ahead has the Microcode of Trio-ML compiled ahead of time: each instruction of the program that
// microcode.Compile returns, as a Go function (vm.Ahead). A machine takes such a function only for an instruction that
// is, bit by bit, the one it was made of; all others, those of programs that were changed, and those of a thread that
// waits for reads, are run as any Microcode is. Tests hold functions and closures equal.
//
//	trioml.mc --compile--> isa.Program --vm.WriteAhead--> trioml.go
//
// It is written anew by "go test ./switchd/program/trioml/microcode -run Ahead -update".
package ahead
