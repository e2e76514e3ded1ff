// Package stall says why nothing moves: it takes a snapshot of every node of a run
// that came to rest, and names what everybody waits for and the first hop that it
// did not pass.
//
//	workers wait ──► their oldest packet ──► is its block open at the engine?
//	                                          │ yes                    │ no
//	                                 who is missing in it?      others have its result?
//	                          a worker │        │ an engine         │ yes       │ no
//	                     has it sent?  │        └─ ask there    lost on the  nobody's
//	               no: it is the hop ──┘                        way down     got there
//	               yes: lost on the way up
//
// On a way, the hop is the first link that more frames entered than left. Where no
// link has lost anything, the ends of the way are compared, as far as they count.
//
// Everything here is a function of the snapshot, so both clocks share it: under
// the virtual clock [harness/sim] asks the machines themselves, live the processes
// are asked by the control protocol.
//
// Left out: repairing anything, and more than one cause at a time. Of several, the
// one that everything else waits for longest is told.
package stall
