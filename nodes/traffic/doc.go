// Package traffic is the two ends of a flow of other traffic between hosts: UDP at a
// constant rate or on and off, and TCP that sends as fast as it can or at a rate.
//
//	Source --packets with number and time--> Sink      UDP
//	Sender --byte stream (newreno.Conn)----> Receiver  TCP
//
//	|<- start      |<- on ->|<- off ->|<- on ->|        stop ->|
//	|              P P P P P          P P P P P  ...           |
//
// A [Pattern] says when packets are sent. A packet of an on-time follows the one before
// when the rate has sent that; remainders of the division are carried, so that the rate is
// exact. A sender of TCP writes such packets, or without a rate as much as its connection
// takes. Each end is a machine with one port, the interface of its host.
//
// A [Collector] is the end of reports that programs in switches send of such traffic.
//
// Ends that count fill [Sent] and [Received], and receiving ones a [meter.Meter]. A sink knows a
// packet as lost if a later one came. Live, TCP is the kernel's (package nodes/live); it follows the same [Writer].
//
// Left out: rates that follow congestion in UDP, request and response, random gaps, traffic
// to groups, processor time of the host.
package traffic
