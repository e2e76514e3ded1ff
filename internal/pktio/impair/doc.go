// Package impair models one direction of a link as a [sansio.Machine]: a tail-drop
// queue before a serial line (Peterson and Davie, "Computer Networks", §1.5).
//
//	          waiting, at most Queue bytes    Rate             Delay + jitter
//	arrival --> | f4 | f3 | f2 | -----------> [ f1 ] --------+---> ( f0 ) --+--> out
//	    |                                        |           '-- reordered -'
//	queue-full, inflight-limit,        busy also for lost   loss-script, loss-every-nth,
//	early-drop; or marked              frames               loss-bernoulli, loss-burst, fcs-error
//
// Each frame of a train is charged on its own, so that trains may be split and
// joined without changing any frame's time. A frame meets
//
//  1. the queue. It waits until its first bit is sent, or is dropped if the waiting
//     bytes would exceed Queue. Headers count, Ethernet framing does not. It may be
//     marked ([topo.Marking]) by the bytes that wait when it comes, itself left out.
//  2. the line, busy for the frame's bytes and [units.EthernetFraming] at Rate.
//     Every end is exact within a busy period, rounded down to a picosecond.
//  3. the wire. The frame arrives, with its last bit, Delay and a jitter
//     ([topo.Distribution]) later. Frames never overtake for that: a frame that would
//     arrive before its predecessor arrives together with it. One that is reordered
//     arrives without delay and jitter, before those on the wire, as with netem. One
//     that is duplicated arrives twice at one instant.
//  4. loss, on the wire: the times of other frames are those of a link without
//     loss. A frame that several kinds would lose counts as the first of [DropScript],
//     [DropLossEvery], [DropBernoulli], [DropBurst], [DropFCS]. The last is a frame in
//     which a bit flips: Ethernet's CRC-32 finds it, and the far end drops it.
//
// What happens by chance draws from a stream for each kind, for every frame, so that enabling
// one never shifts another. Consecutive frames of one fate of an input train leave as
// one train. RED's marks are independent of one another: the even spacing that Floyd
// and Jacobson (1993, section 7) add is left out, as switch chips do.
//
// # Changes
//
// A link may have other parameters from some time on ([Config].Changes, [Link.Begin]). All
// of them are known beforehand, so each frame meets, at every step, what holds at the time of
// that step, and nothing that was decided is ever taken back:
//
//	queue, marks           when the frame comes
//	line, wire, loss       when its first bit is sent
//
// So a rate that changes in mid-queue holds from the frame that the line sends next. Frames
// on the line or the wire keep their time. Behind a delay that becomes shorter, frames still
// never overtake. A queue whose limit becomes smaller keeps what waits. At a change of rate,
// what is left of a picosecond is lost. The n of every n-th frame, the state of bursts, the gap
// of reordering and the counts of a script start anew where they change. A link that is perfect for a time passes frames at once.
//
// # Scripts
//
// A script ([topo.Script]) names packets: the n-th of a job and slot. [Label] says where in a packet
// these stand, so that nothing here knows a protocol.
//
// [Link.Set] is a change that nobody knew of before. Frames that wait then meet its rate and its delay,
// but whether the queue and the wire lose them was decided when they came.
//
// Left out: correlated jitter, bits that flip behind the check of the FCS, cut-through, and the padding of short frames to Ethernet's minimum.
package impair
