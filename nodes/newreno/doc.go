// Package newreno is one end of a TCP connection with NewReno congestion control, for
// baselines under the virtual clock. A [Conn] takes and gives trains of real TCP/IPv4
// segments, so that the other end may be a kernel.
//
//	Write --> queue | una ... nxt | not sent --segments--> rx.nxt --> deliver
//	               <-- min(cwnd, window, limit) -->  |
//	               una <------ACK n: all below n are here ---+
//	               [ssthresh, recover: RFC 5681, 6582]   gaps: queue until filled
//
// Sources:
//
//   - RFC 9293: handshake, windows and their probes, closing up to TIME-WAIT; resets,
//     checked as in RFC 5961.
//   - RFC 5681: slow start, congestion avoidance by counted bytes, fast retransmit,
//     delayed acknowledgements, restart after idleness (§4.1).
//   - RFC 6582: fast recovery with partial acknowledgements, the "impatient" variant.
//   - RFC 3042: a new segment for each of the first two duplicates.
//   - RFC 6298: retransmission timeout, in picoseconds. Its floor is that of Linux.
//   - RFC 6928: an initial window of ten segments.
//   - RFC 7323: window scale; timestamps with a tick of 1 ms, against old segments
//     (PAWS) only: a rack's round trip is shorter than the tick.
//   - RFC 7661 §4.3: the congestion window grows only if half of it was in use.
//   - RFC 3168 §6.1, if [Config].ECN says so at both ends: ECT(0) on new data, echoes of
//     marks (ECE) until the sender has told that it reduced its window (CWR), one
//     reduction for the losses and marks of a window of data. A window of one segment
//     that meets a mark waits for a retransmission timeout (§6.1.2; Linux does not, and
//     keeps two segments). A SYN that goes again does not offer ECN (§6.1.1.1), as in
//     Linux. Left out: ECT on SYNs and on what is sent again (RFC 5562, RFC 8311), other
//     answers to marks (RFC 8257, RFC 8511), a new SYN when the offer is met by a reset.
//
// Unstored bytes take sequence numbers, too. A segment ends where content follows
// them. Full segments that are sent at one instant leave as a train.
//
// Left out: SACK, and with it RACK and tail loss probes, so that several losses in a
// window take a round trip each; Nagle's algorithm, urgent data, keep-alives, path
// MTU discovery, abort by the user, rate limits on answers to bad segments (RFC 5961
// §7), undoing of spurious timeouts, slow readers.
package newreno
