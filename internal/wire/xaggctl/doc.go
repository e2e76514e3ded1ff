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
//	Tree      see below                          root to any node: its place in the tree
//	TreeAck   -                                  any node to root: it has that place
//	Report    used 64, total 64, idle rate 64,   server to root: its load, in bytes, bit/s and cores
//	          idle cores 32
//	Round     t1 64, t2 64                       worker to root: training and transmission, in ps
//
// # The management plane (XAgg §V)
//
// A Tree message is an order: all of the place of a node, not what changed in it. The tree of the
// header is the version of the whole tree, the iteration is the first in which the place holds, and
// the number orders the orders to a node. A node takes an order whose number is newer than that of
// its last one, in the arithmetic of 32 bits, and answers each with a TreeAck of the same tree and
// number. The body:
//
//	 0        4      8     14      16      17         18
//	| parent | IPv4 | MAC | since | flags | children | host id 32, below 32, since 16 | ...
//
// Since is the version that made an edge. It goes into the headers of messages over that edge, and an
// edge with the same ends and the same version is the same edge. Below has the host ids of all hosts
// below a child, and is 0 for a worker. The root has parent 0. A node that left the tree has parent 0
// and no children. With flag bit 0 the edge to the parent was made in mid-iteration: the node sends
// all of its gradient again, once for the edge. A node's children number at most 31, so that the
// longest order has 344 bytes.
//
// The number of a Report counts the reports of a server, and its tree is that of the server's last
// order, or 0 before it has one. No whole tree has version 0. The iteration of a Round is the one that was
// measured. Both are sent without an answer: reports once in a period, a round again until the
// next iteration opens.
package xaggctl
