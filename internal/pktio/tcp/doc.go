// Package tcp is a device whose ports are byte streams over kernel TCP. It
// stands in a ring: it dials the next neighbour and is dialled by the previous.
//
//	previous ---- port 1, receives ---> machine ---- port 0, sends ----> next
//	neighbour     (accepted)                         (dialled)           neighbour
//
// A train on a stream has no header: its body is the next bytes. Where trains
// begin and end is lost on the way; the machine must frame what it sends.
// Nothing is sent by port 1 nor received by port 0.
//
// # Sending
//
// A stream cannot lose bytes, so Send never drops: what the socket does not
// take at once waits in a buffer of the device, which drains inside Send, Recv
// and Close whenever the socket is writable. A buffer beyond Config.Limit is an
// error (ErrOverflow), as is a train with a header or for another port: the
// stream would be wrong from there on, so every later Send returns it too.
//
// # Closing
//
// When the previous neighbour closes, Recv delivers what came before and then
// returns ErrPeerClosed, once: a machine that has all it needs may go on with
// its device, and Recv then waits as if nothing more were coming; with
// Config.QuietEOF it does so at once. A neighbour that is done and one whose
// process ended look the same. The next neighbour's closing matters only when there are bytes for it: then Send
// or Recv returns ErrPeerClosed. Close sends what is pending first, for a
// bounded time.
//
// Left out: IPv6, TLS, reconnecting, several streams to one neighbour.
// Elsewhere than on Linux the package builds and Open returns an error.
package tcp
