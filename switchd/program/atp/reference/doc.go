// Package reference has the reference switch program of ATP (NSDI 2021): two levels or more, any number of jobs,
// as §3.5 and §3.7 with appendix A.1 describe it. It is the oracle of the emulated pipeline, and knows no
// stages and no passes. A packet is handled whole.
//
//	gradient packet     aggregator free        reserve it
//	                    another's              on to the server: collision, resend
//	                    holds its values       dropped, its mark is kept
//	                    holds others'          add; all are in: the packet bears the sum on
//	sent again          holds its number       first level: add, bear the sum on, free
//	                                           from the second on: free, as a rack's bit does not say which of its workers
//	parameter packet    holds its number, or   free
//	                    is older than the age
//
// All packets that go on do so by the port that they came by ([dataplane.Inbound]): a sum is the packet
// that completed it.
//
// The table may vanish at any time ([Engine.Forget]): packets then reserve anew, and what is never complete
// comes to the server by resends.
//
// Decided here, as the paper is silent:
//
//   - An element that clipped stays so, whichever sign the rest has, and so does one that comes clipped
//     from another switch ([vec.AddSatBE]). With the paper's rule, which freezes the aggregator alone, -5 and
//     a clipped 2147483647 would be a sum that nobody takes for clipped.
//   - The age is that of the latest packet of the aggregator's number, duplicates among them.
//   - A mark in the IP header is in the header of ATP from the next switch on, so that it counts once.
//   - A job that is removed leaves its aggregators, which age; one that is set up finds none of its id.
//   - Of more than two levels (appendix A.2) a job's packets have a larger header and a port of their own. What a
//     switch sends on, also after a collision, is on its way to the level above. Levels above the second do as the
//     second does (§3.4).
package reference
