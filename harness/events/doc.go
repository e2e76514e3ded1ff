// Package events selects from the trace of a run what is worth keeping, as records that
// can be read without the run.
//
//	logs of the nodes ──► merged, in order of time ──► by iteration and block
//	                                                          │
//	   all of the first iteration ────────────────────────────┤
//	   blocks that were degraded, aged, dropped, sent again,  ├──► at most Limit
//	   or never came to their end ────────────────────────────┤    events of a run
//	   what workers did in each iteration ────────────────────┘
//
// A block is kept whole or not at all; the others are counted. A caller may ask for one
// block or one iteration, and gets all of it.
//
// Records have names in place of numbers: nodes for sources, bitmaps over an engine's
// sources for masks, blocks of the tensor for slots and packet ids.
package events
