// Package xagg is XAgg's aggregator (§IV-B, Algorithm 1) as a pure machine: frames in, verdicts and
// changed frames out. It is the oracle of the program in eBPF (package switchd/xdp), which does the
// same packet by packet, and its twin under the virtual clock.
//
//	Receive --ours?--> length, job, kind, host, index --> element: iteration, bitmap --> add --finished--> Send
//	           no: Pass         refused: Drop                       refused: Drop          else: Drop
//
// There are two tables of elements {bitmap, counter, iteration, values}. Gradients on their way up
// are summed by child; results on their way down are stored, with the parent as the only child.
// An element lives until a packet of a later iteration within the window comes, so that any can be
// sent again. A packet that ends a group goes to the check queue, also as a duplicate (§IV-D).
//
// Decided here, where the paper is silent or ambiguous:
//
//   - A duplicate ends the algorithm, and bits are set by OR (ambiguity xagg.alg1-return).
//   - Indexes count from 1 (xagg.one-based).
//   - A child may cover hosts below it, whose own packets then are duplicates (xagg.failover-dup).
//   - A packet starts no iteration outside the configured [Window]: a forged one resets nothing.
//   - A duplicate of a finished element with the flag of a retransmission has it sent again.
//   - Sums wrap, and values that did are counted.
//
// Left out: UDP control messages, lost lists and rates, which are the agent's.
package xagg
