// Package roce is one end of a reliable connection (RC) over RoCEv2, the
// transport of RDMA baselines under the virtual clock: messages are cut into
// packets of the path MTU, packets carry sequence numbers (PSN), the receiver
// acknowledges cumulatively, and a gap makes the sender go back to it.
//
//	Write(message) --> | first | middle | ... | last |--packets, PSN 0, 1, 2 ...--> deliver(bytes)
//	                   window <--- ACK n: all up to n are here --------------------
//	                   go back <-- NAK n: n is missing, what follows is dropped ---
//
// What is on the wire is what a RoCEv2 NIC sends, in length and layout: Ethernet
// 14, IPv4 20, UDP 8 with destination port 4791, base transport header 12,
// payload, ICRC 4. Multi-byte fields are big-endian:
//
//	BTH   opcode 1, solicited/migration/pad count/version 1, partition key 2,
//	      reserved 1, destination queue pair 3, acknowledge request bit and
//	      reserved 1, PSN 3
//	AETH  syndrome 1, messages received 3; behind the BTH of acknowledgements
//
// Opcodes are those of SEND on RC: first 0, middle 1, last 2, only 4, and
// acknowledge 0x11. Payloads are filled up to whole words, which the pad count
// tells. Unstored bytes ([sansio.Train.Unstored]) belong behind the
// payload, though the ICRC precedes them in memory.
//
// By the InfiniBand architecture specification: the responder takes packets in
// PSN order only; to the first gap it answers one NAK (PSN sequence error) and
// then drops in silence until the missing packet comes; it acknowledges
// duplicates again; the requester asks for an acknowledgement by a bit and goes
// back on a NAK or after a timeout without progress; 7 timeouts in a row at most
// (the retry count has three bits) end the connection. Assumed, since NICs and
// their users choose: the window, how often an acknowledgement is asked for, and
// the timeout.
//
// A NIC feeds its line packet by packet and slips acknowledgements in between.
// Here what is sent is in the line's queue at once, and acknowledgements for the
// other direction wait behind it. So a connection that is told the line's rate
// sends in bursts of as many packets as ask for one acknowledgement, at that rate.
//
// SwitchML's own RDMA hosts use unreliable connections (SwitchML §5); this is
// what NCCL and BytePS use beside it.
//
// Left out: congestion control (DCQCN) and priority flow control, so that a full
// queue loses packets; receiver-not-ready, credits and read, write and atomic
// verbs; the value of the ICRC, which is sent as zero. Queue pairs are ready from
// the start: their set-up goes by another way (TCP, as a rule).
package roce
