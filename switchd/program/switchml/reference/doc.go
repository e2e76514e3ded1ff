// Package reference has the reference switch programs of SwitchML (NSDI 2021) with packet
// loss recovery (§4.5, Algorithm 3), over UDP and over RoCE, for several jobs and any number
// of levels (§7). They are the oracle of the emulated pipeline, and know no stages, passes
// or recirculation.
//
// Per packet p of worker w, set v (the paper's ver), slot i (idx):
//
//	late?  --yes--> answered if it is of the phase in the set, seen, and count = 0, else dropped
//	     | no
//	seen[v][i][w] = 0?  --yes--> seen[v] = 1, seen[1-v] = 0, count = (count+1) mod n
//	     |                       first of the phase: overwrite, else add
//	     no (a retransmission)   count = 0: multicast the result
//	     |
//	     +--> count = 0: send the stored result to w alone, else drop
//
// docs/switchml.md describes late packets, levels and RoCE. Decided here, as the paper is
// silent:
//
//   - With n = 1 the first packet of a phase overwrites (ambiguity switchml.n1).
//   - A late packet never counts and changes no bitmap (ambiguity
//     switchml.late-duplicate): each set of a slot remembers the tag of its phase. Tags
//     wrap with the job byte, so a job counts the quarters of all bytes that it comes
//     through. Nothing that a public client sends for the first time is late.
//   - All workers of a job use the same UDP ports, which travel up and down the levels. A
//     retransmission of a complete phase climbs to the switch that has the result.
//
// [RDMAProgram] is a front before the same slots: writes on unreliable connections (§5,
// App B). Two rules that the paper does not state keep sums right under any loss, copy or
// order. Config.Faithful leaves them out, and the check for late packets.
//
// Both lose packets on request, as the drop simulator of the chip does: those that nothing is
// wrong with on their way in, before they come to a slot or queue pair, and all on their way out.
//
// Left out over RoCE: levels of switches, and messages of different lengths in one job.
package reference
