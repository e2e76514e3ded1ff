// Package impair models one direction of a link as a [sansio.Machine]: what
// arrives on any port leaves by one port, later, or not at all.
//
//	          waiting, at most Queue bytes    Rate             Delay + jitter
//	arrival --> | f4 | f3 | f2 | -----------> [ f1 ] ------------> ( f0 ) --> out
//	    |                                        |                   |
//	queue-full, inflight-limit         busy also for lost   loss-bernoulli,
//	                                   frames               loss-every-nth
//
// # What a frame meets
//
// Every frame of a train is charged on its own, so that trains may be split and
// joined at will without changing any frame's time.
//
//  1. Queue. All frames of a train arrive at once. A frame that finds the line
//     free starts at once, whatever its size. Otherwise it waits, and where the
//     bytes that wait would exceed Queue with it, it is dropped as
//     [DropQueueFull] (tail drop). A frame stops waiting at the instant its
//     first bit is sent; headers count, Ethernet framing does not. A frame too
//     many for MaxInFlight is dropped as [DropInFlight] at the same place.
//  2. Line. The frame occupies it for its bytes and [units.EthernetFraming]
//     (preamble, FCS, gap) at Rate. Within a busy period the remainders of the
//     division are carried: the end of each frame is the exact end, rounded
//     down to a picosecond.
//  3. Wire. The frame arrives, with its last bit, Delay and a jitter after it
//     left the line; jitter is uniform in [0, Jitter), a number of its own for
//     each frame. Frames never overtake: one whose jitter would let it arrive
//     before its predecessor arrives together with it.
//  4. Loss. The wire loses frames, so a lost frame has waited, occupied the line
//     and held up its followers like any other: the others' times are those of
//     a link without loss. Both kinds count only frames that entered the line.
//     A frame that both would lose is counted as [DropLossEvery].
//
// Loss and jitter draw from separate streams, one number per frame that entered
// the line, so that enabling one never shifts the other.
//
// # Trains
//
// At each call, all frames that have arrived by then leave in order. Consecutive
// frames of one input train leave as one train; a frame lost or dropped in its
// middle splits it there.
//
// # Left out
//
// Bursts (Gilbert-Elliott), scripted loss, reordering, duplication, corruption,
// ECN marks, and a change of parameters while the link runs. Frames under 60 bytes
// are charged as they are, not padded to the Ethernet minimum. Store-and-forward
// only: nothing leaves before its last bit.
//
// Source: the model is the usual one of a tail-drop queue before a serial line,
// as in Peterson and Davie, "Computer Networks", §1.5 (latency = propagation +
// transmit + queue).
package impair
