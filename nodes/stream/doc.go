// Package stream gives a machine that speaks byte streams the connections of a host
// under the virtual clock. Live runs use the kernel's TCP instead (package pktio/tcp).
//
// A [Node] wraps such a machine, whose port i is the i'th connection. The node is a
// machine with one port, the host's interface:
//
//	inner machine --port 0--> connection 0 --\
//	      ring    --port 1--> connection 1 ---+--> interface (port 0)
//	    halving   --port 2--> connection 2 --/          |
//	       ps     <-- bytes of connection i -- demultiplexed by number
//
// A train on a stream has no header. Its body, and the unstored bytes behind it, come
// out at the other end in the same order; boundaries of trains do not matter.
//
// Connections are reliable connections of RDMA (package roce) or TCP (package newreno),
// which may react to marks of congestion. Those of a host use one transport and share its
// window. Each has a number of its own at its near end, a TCP port or a queue pair. The
// configuration says which end listens and which opens; a run starts with the opening.
//
// Unstored bytes of RDMA messages fill packets as content does, so they change no time.
// TCP ends a segment where content follows them: at most one segment more a message.
//
// Left out: processor time of the host (package hostmodel), closing of connections, and
// back-pressure: sends are buffered up to the limit of the transport. A collective
// sends a tensor or two at most before it waits.
package stream
