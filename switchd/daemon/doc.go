// Package daemon is the live process of one switch: it owns the interfaces of
// the network namespace it runs in and drives a chassis between them.
//
//	            ready                start(epoch)               stop
//	open ports ------> forwarding ---------------> the run ------------> report
//	                   (ARP, ping, TCP set-up)     (trace is kept)
//
// The switch forwards from ready on, since hosts find each other and set up
// their connections before a run starts. Its own clock therefore starts with
// the process and never jumps: timer threads, links and limits count in that
// time, and what is told about a run (the trace) is shifted to the epoch as it
// is written. Events from before the epoch belong to no run; they are counted and
// left out.
//
// The trace holds one JSON object a line, as encoding/json reads into
// [trace.Event], for the kinds that the check of sums needs: block-sent and
// block-aged. The others are in the counters of the report.
//
// Apart from that, events of all kinds are kept in bounded memory. The latest goes
// into the answer when the parent asks where things stand, which it does when a run
// seems to have stalled; all go to a file at the end, if the parent wants it.
//
// The control plane (package control) asks over a socket of its own, if there is
// one. Its requests are carried out between two batches of packets, on the
// goroutine that handles these; where that does not get to it in time, the answer
// is that the switch is busy.
//
// A system may have a service for clients of a user's own ([ServiceMaker]). It listens on
// a management address, an interface of the namespace that is no port, and changes the
// jobs of the switch in the same way.
//
// Left out: starting the process and speaking to its parent (harness/proc and
// harness/node), and everything with a rule, which is in package chassis.
package daemon
