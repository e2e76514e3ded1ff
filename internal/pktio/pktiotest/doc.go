// Package pktiotest holds in-memory stand-ins for package pktio: a [Device]
// whose ports are linked to those of other devices, or fed by a script, and a
// [Clock] that moves only when somebody moves it.
//
//	Deliver(at, ...) --> inbox --Recv--> machine --Send--> Sent()
//	                       ^                         |
//	                       +---- linked device <-----+
//
// Everything that crosses a device is copied, and the memory of arrivals is
// overwritten at the next Recv: a machine that keeps a borrowed slice reads
// rubbish, as it would from a packet ring, but every time.
//
// A device made with a Clock does not wait: Recv moves the clock to the next
// arrival or to the end of its wait, so a test of many seconds takes none and
// always goes the same way. Such a clock serves one driver. Devices made
// without one wait in real time, and may be driven by a goroutine each.
//
// Left out: rates, delays and losses of links (package impair has them), and
// queues that fill up.
package pktiotest
