// Package daemon is the live process of one switch. It owns the interfaces of its network
// namespace and drives a chassis between them.
//
//	            ready                start(epoch)               stop
//	open ports ------> forwarding ---------------> the run ------------> report
//	                   (ARP, ping, TCP set-up)     (trace is kept)
//
// The switch forwards from ready on, since hosts set up their connections before a run.
// Its clock starts with the process and never jumps; timer threads, links and limits count
// in that time. The trace is shifted to the epoch as it is written. Events before the
// epoch are counted and left out. Links that change do so at times from the epoch, which the
// chassis is told as soon as it is known, some time before it ([chassis.Chassis.Begin]).
//
// The trace has one JSON object a line, a [trace.Event], for the kinds that the check of
// sums needs: block-sent and block-aged. Events of all kinds are also kept in bounded
// memory. The latest are in the answer to the parent's question about a stalled run; all
// go to a file at the end, if the parent wants it.
//
// Requests of the control plane (package control), and those of clients of a user's own
// ([ServiceMaker]), run between two batches of packets, on the goroutine of the machine. If
// that does not get to one in time, the answer is that the switch is busy. Where it serves such
// clients, it looks before every round of the drive for jobs that the engine has refused
// (dataplane.Refuser), and tells the parent ([Teller]) and the clients ([TellsClients]).
//
// Left out: starting the process and its talk with the parent (harness/proc, harness/node),
// and all rules of forwarding and aggregation (package chassis).
package daemon
