// Package sockets captures the packets of a running lab: a packet socket at each tap, in the
// network namespace of its node.
//
//	interface --ring--> super-packets --> capture.Capture --> file
//	switch  --control socket--> events ---^
//
// A socket sees both directions, and takes nothing away. What the kernel had no room for is
// counted. Switches are asked for their events, which become comments.
//
// Left out: frames that a program in the kernel (XDP) takes before sockets see them, as on hosts
// of XAgg: look at the switch.
package sockets
