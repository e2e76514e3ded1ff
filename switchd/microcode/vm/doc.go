// Package vm runs compiled Microcode: [Compile] turns an isa.Program into closures once,
// and any number of [Thread] values run them. Package isa says what an instruction means.
//
//	isa.Program --Compile--> Code --Start--> Thread <--Run--+
//	                                           |            | Resume(reply)
//	                            Handler <------+--> Stop: exit, fault, waits
//
// The owner of a thread
//
//  1. calls [Code.Start], which clears the thread, then writes the head of the packet into
//     LMEM and sets the variables that the program expects;
//  2. calls [Thread.Run] with a [Handler], which sees every XTXN as it is issued, with its
//     arguments resolved and its LMEM buffer within bounds;
//  3. on [Waits], serves Thread.Pending when its time has come, calls [Thread.Resume] with
//     the reply, and goes back to 2;
//  4. on [Exits] is done with the thread; on [Faults], reads [Thread.Fault].
//
// A handler that serves XTXNs at once makes a machine without time. One that answers
// [Suspend], or none at all, makes a machine in which every XTXN is an event, asynchronous
// ones included: only the owner knows when memory sees them, and resumes at once.
//
// A [Shortcut] at an instruction may do part of a program faster, with the same result, as
// package idiom does.
//
// Most instructions are flat as well: lists of operations, path by path, which [Thread.Run] takes in place of the
// closures; those of a known program may be Go functions, compiled ahead of time ([WriteAhead], [Ahead]). The closures remain for what moves in local memory, for threads that wait for reads, and for [Thread.Step];
// tests hold
// all equal.
//
// No program can make a thread panic or run for ever: an error is a [Fault], and so is an
// instruction beyond the limit of Start.
//
// Left out: the work of XTXNs, and time; both belong to the machine (switchd/trio).
package vm
