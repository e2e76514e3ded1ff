// Package replay runs frames of a capture through one Trio PFE with a Microcode program,
// without a lab: no chassis, no links, every next hop leads to one output.
//
//	frames, times --> [ Run: PFE, its clock, its timers ] --> frames of all next hops
//	                               |
//	                               +--> a Life for each packet and each timer's thread
//	                               +--> Result: what came of all of them
//
// The owner of a Run
//
//  1. makes it with [New], which loads the program, sets the initial memory and arms the timers;
//  2. calls [Run.Frame] for each frame in the order of their times, which never go back;
//  3. calls [Run.Finish] once, which lets the threads at work end and the last packets leave;
//  4. reads [Run.Result].
//
// Frames reach the program as in a chassis: from the Ethernet header on, each by a port. With
// timing (trio.Timing) packets take virtual time and may overtake each other inside; without,
// each is done when it comes. A thread that does wrong ends, the packet is dropped, and the
// PFE goes on.
//
// Left out: the chassis, its forwarding and its links; what a control plane does while a
// program runs.
package replay
