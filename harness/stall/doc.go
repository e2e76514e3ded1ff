// Package stall says why a run stalled. From a snapshot of every node it finds what each
// worker waits for, and the first hop that the packet did not pass.
//
//	workers wait ──► their oldest packet ──► is its block open at the engine?
//	                                          │ yes                    │ no
//	                                 who is missing in it?      others have its result?
//	                          a worker │        │ an engine         │ yes       │ no
//	                     has it sent?  │        └─ ask there    lost on the  nobody's
//	               no: it is the hop ──┘                        way down     got there
//	               yes: lost on the way up
//
// On a path, the hop is the first link that more frames entered than left. Where no link
// lost any, the counts of the two ends are compared.
//
// It is a function of the snapshot, the same for both clocks. Left out: repair, and more
// than one cause; of several, the cause that all else waits for longest is named.
package stall
