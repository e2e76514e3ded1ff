// Package datagram is what devices on IPv4 sockets of a host's kernel share (packages udp and
// rawip): batches of messages, socket options, multicast groups, buffers, and the reasons why the
// kernel did not take a message.
//
//	machine --> device: one message a packet or super-packet --> Outbox --> sendmmsg
//	machine <-- device: headers made up <-- Messages <----------------- recvmmsg <-- Receive waits
//
// Nothing here waits but [Receive], and [Outbox.Flush] for a few milliseconds where a send buffer
// is full. Left out: what a message means, and the headers of trains.
package datagram
