// Package vm runs compiled Microcode: [Compile] turns an isa.Program into
// closures once, and any number of [Thread] values run them.
//
//	isa.Program --Compile--> Code --Start--> Thread <--Run--+
//	                                           |            | Resume(reply)
//	                            Handler <------+--> Stop: exit, fault, waits
//
// What an instruction means stands in the comment of package isa. A thread is
// data: 32 registers, 1280 bytes of LMEM, the next instruction, a call stack
// of 8. Its owner:
//
//  1. calls [Code.Start], which clears the thread, then writes the head of the
//     packet into LMEM and sets the variables that the program expects;
//  2. calls [Thread.Run] with a [Handler], which sees every XTXN as it is issued,
//     with its arguments resolved and its LMEM buffer within bounds;
//  3. on [Waits], serves Thread.Pending when its time has come, calls
//     [Thread.Resume] with the reply, and goes back to 2;
//  4. on [Exits] the thread is done; on [Faults], [Thread.Fault] says why.
//
// A handler that serves XTXNs at once makes a machine without time: Run then
// returns only when the thread has ended. One that answers [Suspend] to all, or
// none at all, makes a machine in which every XTXN is an event. Both run the
// same closures. An asynchronous XTXN stops the thread in that case too, since
// only its owner knows when memory sees it; the owner resumes it at once.
//
// A [Shortcut] at an instruction may do part of a program faster, as package idiom does loops over
// chunks. To the program and to all others it is as if instructions had done it.
//
// No program can make a thread panic or run for ever: what it does wrong is a
// [Fault], and so is more instructions than Start has granted.
//
// Left out: what XTXNs do, and time; both belong to the machine (switchd/trio).
package vm
