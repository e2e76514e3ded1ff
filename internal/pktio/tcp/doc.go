// Package tcp is a device whose ports are byte streams over kernel TCP, one to each
// peer of a machine: neighbours of a ring, partners of halving, parameter servers,
// parents and children of a tree.
//
//	machine --port 0--> stream 0, dialled ---> peer
//	        <-port 0--                    <---
//	        --port 1--> stream 1, accepted --> peer
//	        ...
//
// A train on a stream has no header, and its body is the next bytes. Boundaries of
// trains get lost, so the machine must frame what it sends.
//
// A stream cannot lose bytes, so Send never drops. Bytes that the socket does not
// take at once wait in a buffer, which drains inside Send, Recv and Close. A buffer
// beyond Config.Limit is an error (ErrOverflow), as is a train with a header; the
// stream is then broken, and later Sends return the error again.
//
// When a peer closes, Recv delivers the rest and then returns ErrPeerClosed, once;
// a machine that needs no more may go on. With Config.QuietEOF, Recv waits without
// that error. Bytes for a peer that has gone are an error. A finished peer and one
// whose process ended look the same. Close first sends, for a bounded time, all that
// is pending.
//
// Left out: IPv6, TLS, reconnecting. Open returns an error elsewhere than on Linux.
package tcp
