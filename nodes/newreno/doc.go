// Package newreno is one end of a TCP connection with NewReno congestion control,
// for baselines under the virtual clock: a [Conn] is a state machine that takes
// and gives trains of real TCP/IPv4 segments, so that the other end may as well
// be a kernel.
//
//	Write --> queue | una ... nxt | not sent --segments--> rx.nxt --> deliver
//	               <-- min(cwnd, window, limit) -->  |
//	               una <------ACK n: all below n are here ---+
//	               [ssthresh, recover: RFC 5681, 6582]   gaps: queue until filled
//
// By which document:
//
//   - RFC 9293: handshake, also of both ends at once; acceptance of segments; the
//     peer's window, silly window avoidance, probes of a closed window; FIN and
//     the states up to TIME-WAIT; resets, checked as RFC 5961 has it.
//   - RFC 5681: slow start, congestion avoidance by counted bytes, fast
//     retransmit, delayed acknowledgements, restart after idleness (§4.1).
//   - RFC 6582: fast recovery with partial acknowledgements, in the "impatient"
//     variant that it recommends; no second fast retransmit before recover.
//   - RFC 3042: a new segment for each of the first two duplicates.
//   - RFC 6298: retransmission timeout, one round trip timed at a time, by Karn's
//     rule, in picoseconds of the clock at hand. Its floor is that of Linux.
//   - RFC 6928: an initial window of ten segments.
//   - RFC 7323: window scale; timestamps, sent and echoed with a tick of 1 ms and
//     used against old segments (PAWS). Round trips are not taken from them: a
//     rack's is shorter than the tick.
//
// RFC 5681 lets the congestion window grow while the sender has nothing to say.
// Here it grows only if half of it was in use, after RFC 7661 §4.3.
//
// # Unstored bytes
//
// What is written is a row of bytes with content and of unstored bytes
// ([sansio.Train.Unstored]). Both take sequence numbers. A segment holds content,
// then unstored bytes; where content follows these, it ends early. A segment of
// unstored bytes alone is a train by itself, as a train counts its frames by their
// content.
//
// # Trains
//
// What may be sent at an instant leaves as trains of equal full segments, as
// segmentation offload makes them. A train that arrives has the same effects as
// its frames one by one, an acknowledgement for every second one included.
//
// # Left out
//
// SACK, and with it RACK and tail loss probes: NewReno is the model, and what
// loses several segments of a window takes a round trip for each. Nagle's
// algorithm (collectives switch it off, too), ECN, urgent data, keep-alives, path
// MTU discovery, abort by the user, rate limits on answers to bad segments (RFC
// 5961 §7), undoing of spurious timeouts, and a reader that lets the buffer fill
// up: what is in order is handed over at once. A connection has one peer, that of
// its configuration, and ends once.
package newreno
