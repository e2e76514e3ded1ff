// Package pktiotest holds fakes for package pktio, in memory: a [Device] whose ports
// are linked to those of other devices, or fed by a script, and a [Clock] that a
// test moves.
//
//	Deliver(at, ...) --> inbox --Recv--> machine --Send--> Sent()
//	                       ^                         |
//	                       +---- linked device <-----+
//
// Everything that crosses a device is copied, and the memory of arrivals is
// overwritten at the next Recv. A machine that keeps a borrowed slice therefore
// reads rubbish every time.
//
// On a device with a Clock, Recv does not wait: it moves the clock to the next
// arrival or to the end of its wait. Such a clock serves one driver. Devices without
// one wait in real time, and each may have a goroutine.
//
// Left out: rates, delays and losses (package impair), and queues that fill up.
package pktiotest
