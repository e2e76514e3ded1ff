// Package events picks from the trace of a run what is worth keeping, and puts it
// into records that can be read without the run.
//
//	logs of the nodes ──► merged, in order of time ──► by iteration and block
//	                                                          │
//	   all of the first iteration ────────────────────────────┤
//	   blocks that were degraded, aged, dropped, sent again,  ├──► at most Limit
//	   or never came to their end ────────────────────────────┤    events of a run
//	   what workers did in each iteration ────────────────────┘
//
// Blocks are kept whole or not at all, so that each one that is there can be
// explained. What was left out is counted. A caller that is after one block, or
// one iteration, gets all of it and nothing else.
//
// Names take the place of numbers: sources become nodes, masks bitmaps over the
// sources of their engine, slots and packet ids the blocks of the tensor.
package events
