// Package roce is one end of a reliable connection (RC) over RoCEv2, the transport of
// RDMA baselines under the virtual clock. NCCL and BytePS use it; SwitchML's own RDMA
// hosts use unreliable connections (package switchmlrdma).
//
//	Write(message) --> | first | middle | ... | last |--packets, PSN 0, 1, 2 ...--> deliver(bytes)
//	                   window <--- ACK n: all up to n are here --------------------
//	                   go back <-- NAK n: n is missing, what follows is dropped ---
//
// Messages are cut into packets of the path MTU. Packets have the length and layout of
// a RoCEv2 NIC's (package wire/roce), with the opcodes of SEND on RC. Acknowledgements
// have an AETH behind the BTH: syndrome 1 byte, messages received 3. Unstored bytes are
// behind the payload, though the ICRC precedes them in memory.
//
// By the InfiniBand architecture specification:
//
//   - The responder takes packets in order of PSN only. It answers the first gap with
//     one NAK (PSN sequence error), and drops silently until the missing packet comes.
//     It acknowledges duplicates again.
//   - The requester asks for an acknowledgement by a bit. It goes back on a NAK, or
//     after a timeout without progress. Too many timeouts in a row end the connection.
//
// The window, the interval of acknowledgements and the timeout are assumed, since NICs
// and their users choose them. A NIC slips acknowledgements in between packets; here
// they wait behind data in the line's queue. So a connection that knows the line's rate
// sends in bursts of one acknowledgement interval, at that rate.
//
// Left out: congestion control (DCQCN) and priority flow control, so that a full queue
// loses packets; receiver-not-ready; credits; read, write and atomic verbs; the ICRC,
// which is zero; the set-up of queue pairs.
package roce
