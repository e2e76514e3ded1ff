// Package xaggctl is the wire format of XAgg's control messages: UDP port 25300 (decided here: the
// paper names no format). Everything is big-endian. A message has a header of 16 bytes:
//
//	 0         1      2     4           6      8         12          16
//	| version | kind | job | iteration | tree | host id | number ... | body
//
// The host id is the sender's (XAgg §IV-A, one-hot). The tree is the version that made the edge
// between sender and receiver (package manager). The number orders messages of a kind: a newer
// request or notice replaces an older one (package rates), a loss report is answered once (package
// groups).
//
//	kind      body                               from, to
//	Request   heard 32, phase 8, 0 24, rate 64   child to parent: its phase and the most it can send at
//	Notice    heard 32, rate 64                  parent to child: its rate in bit/s
//	Lost      indexes 32 each, 1 to 256          parent to child: packets to send again
//	Done      -                                  child to parent: everything is sent
//	Complete  -                                  parent to child: everything is there
package xaggctl
