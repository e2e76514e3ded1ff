// Package pipeline is ATP (NSDI 2021) as a program for the emulated Tofino, with its control
// plane. [Engine] takes the configuration of package reference and does the same, packet for
// packet, as long as the chip has no time.
//
//	stage 1   job; whose packet it is, by its port: level, bit, fan-in; half of the aggregator
//	      2   own: identity and time of the half; why a packet is not for this switch
//	      3   bitmap, ecn
//	      4   counter; first of its half, new, or seen           5 to 12: 31 values
//	      5   complete; both halves have the same workers
//	      6   verdict: absorb, resubmit, recirculate, go on, drop
//
// That is four stages and eight, as in §4. A packet has 62 values, and a pass adds 31: it takes two.
// One that is absorbed is resubmitted, as it came. The one that takes sums along would lose them so: it is
// recirculated, by one port inside, with an internal header ("md") in front (appendix C).
//
//	packet                           pass 1                 pass 2
//	new, lacks others                add to half 0          resubmitted: add to half 1, end
//	new, completes                   add to half 0, read    recirculated: add to half 1, read, go on
//	new, a copy                      mark                   resubmitted: mark, end
//	another's aggregator             mark as collided       recirculated: go on
//	resent, first level, in half 0   add, read, free        recirculated: likewise, go on
//	resent, otherwise                free half 0            recirculated: free half 1, go on
//	parameter packet                 free half 1            resubmitted: free half 0, go on
//
// Second passes of a block need not come in the order of the first ones: a resubmitted packet waits
// beside fresh ones of its port, a recirculated one does not. So each half has identity, bitmap,
// counter and mark of its own, and obeys the protocol alone. A sum leaves only if both halves
// have the same workers. One that does not find them all in half 1 is recirculated again, up to 7 times
// ([CountRound]): it only reads half 1 then. If they still differ it is dropped ([CountDiffer]), and workers send again. The public
// program has such halves, too, and compares nothing.
//
// Packets by the port inside stay in order, so others go by it as well (not in the public program):
//
//   - Resent ones that free. Resubmitted, they would free half 1 before the sum of another resent one reads it, and
//     workers send again at once.
//   - Those that collide. In one pass they would arrive before sums that came earlier, and workers take three
//     parameter packets out of order for a loss (§3.7).
//
// At 100 Gbit/s the port takes 36.5 million packets a second, of 342 bytes with the internal header and framing; the line of a server
// takes 37.9 million of 330 bytes.
//
// The aggregator of a number is free where its identity is 0, which no number of a job is. What frees
// one clears its bitmap, so that the first packet is that which finds none. Values that are an extreme
// stay so, in the register as in the packet (see package reference).
//
// Packets are marked in the IP header by the queues of a chip with time, and by the egress in that of
// ATP (§3.3). Those of the parameter server pass as others do: the forwarding plane has its group.
//
// Limits, and differences to the reference program:
//
//   - 22 528 aggregators ([MaxAggregators]), since the values of a stage share its map RAM; jobs at 16
//     ports, since a pipe has aggregators of its own; 8192 sources of a level, of all jobs.
//   - Ages are counted in ticks of 65.536 us, and rounded so that none comes too early.
//   - Unstored values are zeros; that they meet stored ones is not noticed.
//   - A packet that is both shorter than its header and has bytes behind it counts as short.
//   - With time, packets pass each other between their passes, and are lost there: a second pass that finds
//     another's half goes on as a collision ([CountSecondPass]). A packet whose job is removed in
//     between goes on.
//
// Left out: more than two levels (appendix A.2). A job that has them is refused, and packets to their port are
// not the program's.
package pipeline
