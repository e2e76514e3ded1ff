// Package tcp is a device whose ports are byte streams over kernel TCP, one to
// each peer that a machine talks to: the two neighbours of a ring, the partners of
// recursive halving, the servers of a worker.
//
//	machine --port 0--> stream 0, dialled ---> peer
//	        <-port 0--                    <---
//	        --port 1--> stream 1, accepted --> peer
//	        ...
//
// A train on a stream has no header: its body is the next bytes. Where trains
// begin and end is lost on the way; the machine must frame what it sends. Both
// directions of a stream are independent.
//
// # Sending
//
// A stream cannot lose bytes, so Send never drops: what the socket does not
// take at once waits in a buffer of the stream, which drains inside Send, Recv
// and Close whenever the socket is writable. A buffer beyond Config.Limit is an
// error (ErrOverflow), as is a train with a header: the stream would be wrong from
// there on, so every later Send by it returns the error too.
//
// # Closing
//
// When a peer closes, Recv delivers what came before and then returns
// ErrPeerClosed, once: a machine that has all it needs may go on with its device,
// and Recv then waits as if nothing more were coming from there; with
// Config.QuietEOF it does so at once. A peer that is done and one whose process
// ended look the same. Where there are bytes for a peer that has gone, Send or Recv
// returns ErrPeerClosed. Close sends what is pending first, for a bounded time.
//
// Left out: IPv6, TLS, reconnecting. Elsewhere than on Linux the package builds and
// Open returns an error.
package tcp
