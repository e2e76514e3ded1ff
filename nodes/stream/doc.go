// Package stream gives a machine that speaks by byte streams the connections of
// a host under the virtual clock, where live runs use the kernel's TCP or an
// RDMA NIC.
//
// A [Node] wraps such a machine, whose port i is the i'th connection, and is
// itself a machine with one port, the host's interface:
//
//	inner machine --port 0--> connection 0 --\
//	      ring    --port 1--> connection 1 ---+--> interface (port 0)
//	    halving   --port 2--> connection 2 --/          |
//	       ps     <-- bytes of connection i -- demultiplexed by number
//
// A train on a stream has no header: its body is the next bytes, and Unstored
// tells how many unstored ones follow. Both come out at the other end in
// the same order; where trains begin and end does not matter.
//
// Connections are reliable connections of RDMA (package roce) or TCP (package
// newreno). All of a host use the same transport and share its window. They are
// told apart by the number of their near end, a TCP port or a queue pair, so that
// numbers differ within a host. Who listens and who opens is configured; a run
// starts with the opening.
//
// Unstored bytes of RDMA messages fill packets as content does, so that a run that
// carries unstored values takes the same time. TCP cuts a segment where content
// follows unstored bytes, which is at most one segment more a message.
//
// Left out: the time that a host's processor takes (package hostmodel), closing
// of connections, and back-pressure: what the inner machine sends is buffered,
// up to the limit of the transport. A collective sends a tensor or two at most
// before it waits.
package stream
